"""The golden files: what is told and played today is what was checked by hand."""

from __future__ import annotations

import pytest

from tests.games.codecharacter.goldens import GOLDEN, texts

TEXTS = texts()


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_nothing_has_changed(name: str) -> None:
    assert TEXTS[name] == (GOLDEN / name).read_text("utf-8"), (
        "if this is meant: python -m tests.games.regenerate codecharacter, and raise rules_version"
    )


def test_no_golden_file_is_missing_or_left_over() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(TEXTS)


def test_the_match_shows_what_it_is_for() -> None:
    text = TEXTS["match.txt"]
    codes = "syntax multiple_tasks not_own dead_soldier position target_invalid target_base"
    more = "target_razed territory (late) (absent) dead pursuit attack move"
    assert [word for word in f"{codes} {more}".split() if word not in text] == []
    assert " idle 1 " in text
