"""The golden files: what is played and drawn today is what was checked by hand."""

from __future__ import annotations

import pytest

from tests.games.toroid.goldens import BOARDS, GOLDEN, texts

TEXTS = texts()


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_nothing_has_changed(name: str) -> None:
    assert TEXTS[name] == (GOLDEN / name).read_text("utf-8"), (
        "if this is meant: python -m tests.games.regenerate toroid, and raise rules_version"
    )


def test_no_golden_file_is_missing_or_left_over() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(TEXTS)


@pytest.mark.parametrize(("name", "seats"), BOARDS.items())
def test_the_golden_boards_keep_the_rules(name: str, seats: int) -> None:
    """Read from the file alone."""
    settings, cells = (GOLDEN / name).read_text("utf-8").split("\n\n")[:2]
    ring = cells.split()
    for sign in "ABCDEFGH"[:seats]:
        assert ring.count(f"{sign}2") == 3
    neutrals = [int(cell[1:]) for cell in ring if cell[0] == "."]
    assert len(neutrals) == 2 * seats == len(ring) - 3 * seats
    assert set(neutrals) <= {1, 2, 3, 4, 5}
    lines = settings.splitlines()
    assert lines[-1].split() == ["setup_map", "ring", *map(str, range(5 * seats))]
    players = [f"player{seat + 1}" for seat in range(seats)]
    assert sorted(lines[-2].split()[2:]) == players
    assert f"settings max_game_turns {20 * seats}" in lines


def test_the_match_shows_what_it_is_for() -> None:
    text = TEXTS["match.txt"]
    for word in (
        "note 2 direction", "note 1 few_units", "note 0 syntax", "note 1 not_own", "(late)",
        " victory", " defeat", " conquer", "result 3 scout", "result 2 transfer", "result 0 build",
        "result 0 skip", "0> game_over 3 0", "1> game_over 2 0", "2> game_over 1 1",
    ):  # fmt: skip
        assert word in text, word
