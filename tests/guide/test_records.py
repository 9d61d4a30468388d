"""What `records.md` says is so: what a record proves, and what documents hold besides the types."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.status import JSON_FORMAT
from arena.guide.pages import find_guide
from arena.record.format import FORMAT
from tests.cli.conftest import SHELL, SIMPLE, Arena
from tests.guide.reading import code_words, flat
from tests.record.forge import Line, joined, lines_of, sealed

TEXT = flat("records")
UNPROVED = {
    "player": {"stopped", "cpu_ms", "peak_memory", "pondered_ms"},
    "conditions": {"means", "counted_by"},
    "drawn": {"request", "text"},  # what bots draw is no part of the match
}
"""What can be changed alone in a record of a match by the wall clock, with the seal made anew, and
neither the rules nor arithmetic can tell."""


@pytest.fixture
def played(arena: Arena, tmp_path: Path) -> Path:
    """A record of a short match."""
    path = tmp_path / "r.jsonl"
    short = ("--set", "max_rounds=2", "--seed", "7", "--clock", "wall", "--replay", str(path))
    assert arena("play", "warlight", SIMPLE, SHELL, *short).status == 0
    return path


def changed(value: Any) -> Any:
    """Another value that can stand there."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case list():
            return [changed(item) for item in value]
        case {"memory": _}:
            return {**value, "memory": "hopes"}
        case dict():
            return {"new": 1, **{key: changed(item) for key, item in value.items()}}
        case _:
            return f"{value or ''}x"


def changes(lines: list[Line]) -> Iterator[tuple[str, str, list[Line]]]:
    """Each field of the last line of each type changed alone: the type, the field, all lines.
    (Who did it is a matter of other tests.)"""
    last = {line["type"]: number for number, line in enumerate(lines)}
    for kind, number in last.items():
        for key in lines[number].keys() - {"type", "seat"}:
            other = {**lines[number], key: changed(lines[number][key])}
            yield kind, key, [*lines[:number], other, *lines[number + 1 :]]


def test_what_is_proved_and_what_is_not(arena: Arena, played: Path) -> None:
    unseen: dict[str, set[str]] = {}
    for kind, key, lines in changes(lines_of(played.read_bytes())):
        played.write_bytes(joined(lines))
        assert arena("verify", str(played)).status == 1
        played.write_bytes(sealed(lines))
        if kind != "seal" and arena("verify", str(played)).status == 0:
            unseen.setdefault(kind, set()).add(key)
    assert unseen == UNPROVED


def test_the_guide_names_what_is_not_proved() -> None:
    (named,) = re.findall(r"\*\*By comparing with a seal kept elsewhere\*\*(.*?)## Types", TEXT)
    wanted = {*UNPROVED["player"], "ms", "wall_ms", "cpu_ms", "delay_ms", "conditions", "fault"}
    assert wanted | {"stderr", "drawn", "players", "clock", "dead"} <= set(code_words(named))


def test_the_seal_can_be_made_without_the_arena(played: Path) -> None:
    (command,) = re.findall(r"head -n -1 r\.jsonl \| sha256sum", TEXT)
    output = subprocess.run(
        command, shell=True, cwd=played.parent, capture_output=True, check=True, text=True
    ).stdout
    assert output.split()[0] == lines_of(played.read_bytes())[-1]["sha256"]


def test_the_format() -> None:
    assert f"`format` is {FORMAT}." in TEXT


def test_every_table_of_fields_is_made_from_types() -> None:
    by_hand = re.sub(r"<!-- schema.*?<!-- end -->", "", find_guide("records").text, flags=re.DOTALL)
    assert "| field | type |" not in by_hand


def test_the_document_of_verify(arena: Arena, played: Path) -> None:
    document = json.loads(arena("verify", str(played), "--json").out)
    assert document["format"] == JSON_FORMAT
    (verdict,) = document["verdicts"]
    assert next(iter(verdict)) == "replay"


@pytest.mark.parametrize("arguments", [("games", "chess"), ("check", "warlight", "no.py")])
def test_the_document_of_an_error(arena: Arena, arguments: tuple[str, ...]) -> None:
    document = json.loads(arena(*arguments, "--json").out)
    assert list(document) == ["format", "status", "error"]
    assert document["status"] == "error"
