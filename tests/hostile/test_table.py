"""The table of cases and the tests agree."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from tests.hostile.cases import CASES
from tests.support.tools import every

HERE = Path(__file__).parent


def ids(name: str) -> list[str]:
    """The cases that the name of a test bears; none where it is about a single fault."""
    return re.findall(r"(?<=_)[A-Z]\d\d(?=_)", name)


def found() -> Iterator[tuple[str, str, set[str]]]:
    """Every test of a case: id, name, and the levels under which it runs."""
    for path in sorted(HERE.glob("test_*.py")):
        module = importlib.import_module(f"tests.hostile.{path.stem}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("test_") and path.name != "test_table.py":
                words = inspect.signature(function).parameters
                for one in ids(name):
                    yield one, name, levels(one, set(words))


def levels(one: str, words: set[str]) -> set[str]:
    """Where a test with these parameters runs."""
    if "level" in words:
        return set(CASES[one].levels) if one in CASES else {"off", "strict"}
    return {"strict"} if "strict" in words else set()


TESTS = list(found())


@every("one", CASES)
def test_every_case_is_tested_where_the_table_says(one: str) -> None:
    tests = [where for known, _, where in TESTS if known == one]
    assert tests, f"{one} ({CASES[one].meaning}) has no test"
    assert set().union(*tests) == set(CASES[one].levels)


def test_every_test_has_its_case() -> None:
    assert {one for one, _, _ in TESTS} <= set(CASES)


def test_a_level_that_is_left_out_has_its_reason() -> None:
    for one, case in CASES.items():
        assert case.meaning, one
        assert bool(case.why) == (set(case.levels) != {"off", "strict"}), one
