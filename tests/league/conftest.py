"""The tiny game is known by its name, and one small league is played for many tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.core.registry import GAMES
from arena.league.league import League
from tests.league.making import CRASHES, opened, play


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch, lent_keepers: None) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


@pytest.fixture(scope="session")
def played_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a league of four bots, one of which crashes, that played a round."""
    path = tmp_path_factory.mktemp("league") / "cup.league"
    GAMES["tiny"] = "tests.tiny:TINY"
    try:
        with opened(path, "1", "2", "3", CRASHES) as league:
            play(league)
    finally:
        del GAMES["tiny"]
    return path


@pytest.fixture
def played(played_once: Path) -> Iterator[League]:
    """That league, to be looked at."""
    with League(played_once) as league:
        yield league
