"""The tables of `records.md` are those of the types."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pytest
from msgspec import UNSET, Struct, UnsetType

from arena.guide import schema
from arena.guide.schema import PAGE, SECTIONS, filled, section


def test_the_page_is_up_to_date() -> None:
    page = PAGE.read_text("utf-8")
    assert filled(page) == page, "run: python -m arena.guide.schema"


def test_every_section_stands_on_the_page() -> None:
    found = [name for _, name, _ in schema.MARKED.findall(PAGE.read_text("utf-8"))]
    assert found == list(SECTIONS)


def test_every_row_has_three_cells() -> None:
    rows = [row for name in SECTIONS for row in section(name).splitlines() if row.startswith("|")]
    assert {row.count("|") for row in rows} == {4}


class Colour(StrEnum):
    """Two of them."""

    RED = "red"
    BLUE = "blue"


@dataclass
class Leaf:
    """A part."""

    size: int
    """In leaves."""


class Branch(Struct, tag="branch", omit_defaults=True):
    """All kinds of ``fields``."""

    leaves: list[Leaf]
    by_name: dict[str, Leaf]
    colour: Colour
    """None of the others."""
    points: tuple[float, ...]
    text: str = ""
    share: float | None = None
    other: Any = 7
    counts: dict[str, int] = {}
    lost: bool | UnsetType = UNSET


def test_a_type_becomes_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SECTIONS, "branch", (Branch,))
    text = section("branch")
    assert text.split("\n\n")[:2] == ["#### `branch`", "All kinds of `fields`."]
    found = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    assert [[cell.strip() for cell in row] for row in found] == [
        ["`type`", '`"branch"`', ""],
        ["`leaves`", "list of Leaf", ""],
        ["`by_name`", "object, each value Leaf", ""],
        ["`colour`", '`"red"`, `"blue"`', "null of the others."],
        ["`points`", "list of number", ""],
        ["`text`", f"text; absent when `{json.dumps('')}`", ""],
        ["`share`", "number; may be absent", ""],
        ["`other`", "any; absent when `7`", ""],
        ["`counts`", "object, each value integer; absent when `{}`", ""],
        ["`lost`", "true or false; may be absent", ""],
        ["`size`", "integer", "In leaves."],
    ]
    assert text.count("#### Leaf") == 1


def test_a_section_without_types_is_refused() -> None:
    with pytest.raises(KeyError, match="nothing"):
        filled("<!-- schema: nothing -->\n<!-- end -->")


def test_the_page_describes_each_type_once() -> None:
    titles = re.findall(r"^#### (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert "MatchReport" in titles
    assert sorted(titles) == sorted(set(titles))
