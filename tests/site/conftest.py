"""A small league that was played, as a site."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.league.conftest import tiny_known
from tests.league.making import CRASHES, opened, play


@pytest.fixture(autouse=True)
def _tiny_is_a_game() -> Iterator[None]:
    with tiny_known():
        yield


@pytest.fixture(scope="session")
def league_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of three bots, one of which crashes, that played a round."""
    path = tmp_path_factory.mktemp("site") / "spring cup.league"
    with tiny_known(), opened(path, "1", "2", CRASHES) as league:
        play(league)
    return path


@pytest.fixture
def league_file(league_once: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    path = tmp_path / league_once.name
    shutil.copy(league_once, path)
    shutil.copytree(f"{league_once}.d", f"{path}.d")
    return path
