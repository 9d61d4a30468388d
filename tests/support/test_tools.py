"""Tests of what tests require."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tools import every


@every("number, text", [(1, "1"), (2, "3"), (3, "3"), (4, "x")])
def case(number: int, text: str) -> None:
    assert int(text) == number


def test_all_cases_that_fail_are_listed() -> None:
    with pytest.raises(ExceptionGroup) as failed:
        case()
    assert failed.value.message == "2 of 4 cases fail: (2, '3'), (4, 'x')"
    first, second = map(str, failed.value.exceptions)
    assert first.startswith("(2, '3'): AssertionError: assert 3 == 2")
    assert second.startswith("(4, 'x'): ValueError: invalid literal")


@every("text", ["a", "b"])
def test_each_case_has_a_folder_of_its_own(text: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch(exist_ok=False)
    assert tmp_path.name == str("ab".index(text))


def test_what_should_be_raised_and_is_not() -> None:
    @every("text", ["1", "x"])
    def refused(text: str) -> None:
        with pytest.raises(ValueError, match="x"):
            int(text)

    with pytest.raises(ExceptionGroup, match="1 of 2 cases fail: '1'"):
        refused()
