"""The tests of this folder find the tiny game by its name."""

from __future__ import annotations

import pytest

from arena.core.registry import GAMES


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch, lent_keepers: None) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")
