"""What every player has without writing it."""

from __future__ import annotations

import pytest

from arena.core.replies import TimedReply
from arena.players.player import Player, Stopped


class Slow(Player):
    """Has the two methods that a player must have, and never an answer."""

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        pass

    def poll(self) -> TimedReply | None:
        return None


async def test_the_first_reason_to_stop_counts() -> None:
    player = Slow("s")
    await player.shut_down(Stopped.TIMEOUTS, "missed 2 answers")
    player.mark_stopped(Stopped.MEMORY, "used more")
    assert (player.stopped, player.stopped_detail) == (Stopped.TIMEOUTS, "missed 2 answers")


async def test_a_player_that_is_not_instant_needs_a_reply() -> None:
    with pytest.raises(NotImplementedError, match=r"Slow\.poll"):
        await Slow("s").reply()
