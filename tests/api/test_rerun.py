"""`arena.rerun`: which seats and rounds there are to run again."""

from __future__ import annotations

import pytest

from arena.api.rerun import rerun, seat_transcript
from arena.errors import UsageError
from tests.record.test_transcript import MATCH


@pytest.mark.parametrize(
    ("seat", "first", "error"),
    [
        (2, 0, "there is no player3: the match has player1 to player2"),
        (-1, 0, "there is no player0"),
        (0, 3, "player1 was last asked in round 2"),
    ],
)
def test_what_there_is_not(seat: int, first: int, error: str) -> None:
    with pytest.raises(UsageError, match=error):
        seat_transcript(MATCH, seat, first)


async def test_inside_trio_it_is_refused() -> None:
    with pytest.raises(UsageError, match="would block the loop"):
        rerun(MATCH, 0, "bot.py")
