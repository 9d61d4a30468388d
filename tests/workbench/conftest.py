"""The tiny game as one of the arena's, for all tests here."""

from __future__ import annotations

import pytest

from arena.core.registry import GAMES


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch, lent_keepers: None) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


def one(lines: list[str]) -> str:
    """Bids 1."""
    return "1"


def two(lines: list[str]) -> str:
    """Bids 2."""
    return "2"


def three(lines: list[str]) -> str:
    """Bids 3."""
    return "3"
