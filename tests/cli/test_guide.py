"""``arena guide``: the list, a guide as Markdown, a guide on a terminal."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from arena.cli.guide import WIDTH
from arena.guide.pages import find_guide, guide_names
from tests.cli.conftest import QUICK, Arena
from tests.support.forks import ArenaTerminal


def test_the_list(arena: Arena) -> None:
    ran = arena("guide")
    assert ran.status == 0
    head, *lines = ran.out.splitlines()
    assert head.split() == ["guide", "about"]
    assert [line.split(maxsplit=1) for line in lines] == [
        [name, find_guide(name).about] for name in guide_names()
    ]


@pytest.mark.parametrize("name", guide_names())
def test_a_guide_is_printed_as_it_is(arena: Arena, name: str) -> None:
    assert arena("guide", name) == (0, find_guide(name).text, "")


def test_an_unknown_guide(arena: Arena) -> None:
    ran = arena("guide", "auther")
    assert ran.status == 2
    assert ran.err == "arena: there is no guide 'auther': did you mean 'author'?\n"


@pytest.mark.parametrize(("columns", "widest"), [(300, WIDTH), (60, 60)])
def test_a_terminal_gets_it_laid_out(columns: int, widest: int) -> None:
    """With rules and tables, as wide as the terminal and no wider than is good to read."""
    program = ArenaTerminal(
        sys.executable,
        ["-m", "arena", "guide", "clocks"],
        env={"PAGER": "cat", "TERM": "xterm", "NO_COLOR": "1", "PATH": "/usr/bin:/bin"},
        dimensions=(50, columns),
        encoding="utf-8",
    )
    shown = program.read()
    program.close()
    assert program.exitstatus == 0
    assert "What a timeout tells you" in shown
    assert "## " not in shown
    assert "\x1b[3" not in shown, "a colour"
    assert max(map(len, shown.splitlines())) <= widest


@pytest.mark.dear
def test_the_schema_is_one_and_holds_for_records_and_documents(
    arena: Arena, tmp_path: Path
) -> None:
    schema = json.loads(arena("guide", "records", "--schema").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    record, short = tmp_path / "r.jsonl", ("--set", "max_rounds=2")
    played = arena("play", "warlight", QUICK, QUICK, "--replay", str(record), *short, "--json")
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert fits(json.loads(played.out), "MatchReport", schema)
    whole = jsonschema.Draft202012Validator(schema)
    assert all(whole.is_valid(line) for line in lines)
    assert fits(lines[0], "Header", schema)
    assert not fits({**lines[0], "players": 2}, "Header", schema)
    assert not fits({**lines[0], "more": 1}, "Header", schema)


def fits(document: Any, name: str, schema: dict[str, Any]) -> bool:
    """Whether the document is of the type of that name."""
    part = {"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}
    return bool(jsonschema.Draft202012Validator(part).is_valid(document))


@pytest.mark.parametrize("name", [(), ("author",)])
def test_only_one_guide_has_a_schema(arena: Arena, name: tuple[str, ...]) -> None:
    ran = arena("guide", *name, "--schema")
    assert ran.status == 2
    assert ran.err == "arena: --schema belongs to one guide: arena guide records --schema\n"
