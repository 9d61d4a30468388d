"""Every game plays today as it did when its playthroughs were written, and none is missing."""

from __future__ import annotations

import difflib

import pytest

from arena.game import find_game, game_names
from tests import playthroughs

ALL = [(name, seats) for name in game_names() for seats in find_game(name).seats]


@pytest.mark.parametrize(("name", "seats"), ALL)
def test_the_match_is_the_same(name: str, seats: int) -> None:
    game = find_game(name)
    now, kept = playthroughs.make(game, seats), playthroughs.read(game, seats)
    if now != kept:
        lines = difflib.unified_diff(kept.splitlines(), now.splitlines(), "kept", "now", n=1)
        pytest.fail("\n".join([line[:200] for line, _ in zip(lines, range(40), strict=False)]))


def test_none_is_missing_and_none_too_many() -> None:
    wanted = {playthroughs.path(find_game(name), seats) for name, seats in ALL}
    assert set(playthroughs.FOLDER.glob("*.gz")) == wanted
