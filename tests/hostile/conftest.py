"""The levels under which a test runs come from the table of cases, by the id in its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.core.registry import GAMES
from arena.sandbox.levels import Level
from tests.hostile.arena_runs import strongest
from tests.hostile.cases import CASES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give `level` all values that the table names for this case."""
    if "level" in metafunc.fixturenames:
        match = re.match(r"test_([A-Z]\d\d)_", metafunc.function.__name__)
        case = CASES.get(match[1]) if match else None
        levels = case.levels if case else ("off", "strict")
        metafunc.parametrize("level", levels, indirect=True)


@pytest.fixture
def level(request: pytest.FixtureRequest) -> Level:
    """The level to play under."""
    return Level.OFF if request.param == "off" else strongest()


@pytest.fixture
def strict() -> Level:
    """The strongest level, for what no program is kept from without walls."""
    return strongest()


@pytest.fixture(autouse=True)
def _a_place_of_its_own(own_temporary_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The games of the tests, and a temporary folder that no other program uses."""
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")
    monkeypatch.setitem(GAMES, "loud", "tests.hostile.arena_runs:LOUD")
