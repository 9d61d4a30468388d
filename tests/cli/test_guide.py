"""``arena guide``: the list, a guide as Markdown, a guide on a terminal."""

from __future__ import annotations

import sys

import pytest

from arena.cli.guide import WIDTH
from arena.guide.pages import find_guide, guide_names
from tests.cli.conftest import Arena
from tests.forks import ArenaTerminal


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
    assert "Four times of each request" in shown
    assert "## " not in shown
    assert "\x1b[3" not in shown, "a colour"
    assert max(map(len, shown.splitlines())) <= widest
