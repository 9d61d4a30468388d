"""The tiny game is known by its name, and one small league is played for many tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.core.registry import GAMES
from arena.league.bots import hand_in
from arena.league.league import League
from tests.league.making import CRASHES, fails, lay_out, opened, play


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch, lent_keepers: None) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


@pytest.fixture(scope="session")
def played_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a league of four bots, one of which crashes, that played a round."""
    path = tmp_path_factory.mktemp("league") / "cup.league"
    with tiny_known(), opened(path, "1", "2", "3", CRASHES) as league:
        play(league)
    return path


@pytest.fixture(scope="session")
def full_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a league with a row in each of its tables."""
    path = tmp_path_factory.mktemp("full") / "cup.league"
    with tiny_known(), opened(path, "1", "2", CRASHES) as league:
        hand_in(league, lay_out(path.parent, "bot4", f"{CRASHES}#\n"), test=fails)
        league.admit("bot4", "it crashes in one position")
        (player,) = [one for one in league.players() if one.name == "bot3"]
        league.withdraw(player, "its author asked for it")
        play(league)
        league.annul([2], "the wrong map")
        play(league)
        league.void(1, "the machine slept")
        league.end()
        league.remember('{"kind":"round-robin"}')
    return path


@pytest.fixture
def full(full_once: Path, tmp_path: Path) -> Path:
    """A copy of it, to be spoilt."""
    path = tmp_path / full_once.name
    shutil.copy(full_once, path)
    shutil.copytree(f"{full_once}.d", f"{path}.d")
    return path


@contextmanager
def tiny_known() -> Iterator[None]:
    """For leagues that many tests share."""
    GAMES["tiny"] = "tests.tiny:TINY"
    try:
        yield
    finally:
        del GAMES["tiny"]


@pytest.fixture
def played(played_once: Path) -> Iterator[League]:
    """That league, to be looked at."""
    with League(played_once) as league:
        yield league
