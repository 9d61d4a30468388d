"""The golden file: what is played today is what was checked by hand."""

from __future__ import annotations

import pytest

from tests.games.tncc.goldens import GOLDEN, texts

TEXTS = texts()


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_nothing_has_changed(name: str) -> None:
    assert TEXTS[name] == (GOLDEN / name).read_text("utf-8"), (
        "if this is meant: python -m tests.games.regenerate tncc, and raise rules_version"
    )


def test_no_golden_file_is_missing_or_left_over() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(TEXTS)


def test_the_match_shows_what_it_is_for() -> None:
    text = TEXTS["match.txt"]
    for piece in (
        "note 3 syntax: 'NO': say yes or no",
        "3> result illegal syntax",
        "1< (late)",
        "1< (absent)",
        "1< (dead)",
        "2> result war defender 87",
        "3> game_over 4 0",
        "2> game_over 3 0",
        "1> game_over 2 0",
        "0> game_over 1 1",
    ):
        assert f"\n{piece}\n" in text, piece
