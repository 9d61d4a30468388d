"""Some games of OpenSpiel play as they did when their playthroughs were written."""

from __future__ import annotations

import pytest

from tests.games.openspiel.goldens import GOLDEN, SHOWN, WRITTEN_WITH, texts
from tests.support.tools import needs_open_spiel

pytestmark = pytest.mark.dear
needs_open_spiel()

import pyspiel  # noqa: E402


def test_they_play_as_before() -> None:
    if pyspiel.__version__ != WRITTEN_WITH:
        pytest.skip(f"the playthroughs are those of open_spiel {WRITTEN_WITH}")
    for name, text in texts().items():
        assert text == (GOLDEN / name).read_text("utf-8"), name


def test_none_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(SHOWN)
