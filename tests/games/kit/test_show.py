"""Words of headlines and pictures."""

from __future__ import annotations

from arena.games.kit import counted, letter


def test_numbers_with_their_nouns() -> None:
    assert [counted(n, "cell") for n in (0, 1, 2)] == ["0 cells", "1 cell", "2 cells"]
    assert [counted(n, "army", "armies") for n in (1, 2)] == ["1 army", "2 armies"]


def test_owners_are_letters() -> None:
    assert [letter(owner) for owner in (-7, -1, 0, 1, 7)] == [".", ".", "A", "B", "H"]
