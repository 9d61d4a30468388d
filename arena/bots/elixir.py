"""Elixir: the sources of a mix project, compiled and started without mix."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from arena.bots import native
from arena.bots.content import beginning
from arena.bots.language import Language
from arena.bots.manifests import MOST_PROJECTS, manifests_around, read_manifest
from arena.bots.modules import ELIXIR_MODULE

_MAIN = re.compile(rb"^[ \t]*+def[ \t]++(main|start|run)\b[ \t]*+(?:\(([^)\n]*+))?+", re.MULTILINE)


def in_project(folder: Path, main: str) -> Language | None:
    """How it is built where a ``mix.exs`` lies above it: all sources of the project become modules,
    and the main function is called. Anywhere else it is a script."""
    if not main.endswith(".ex") or not _projects(folder, main):
        return None
    return Language(
        "Elixir",
        (".ex",),
        compile=("elixirc -o ../out {source}",),
        run=("elixir --erl +S1 -pa {out} -e {call}",),
        install="elixir (Debian, Ubuntu) or https://elixir-lang.org",
        together=_together,
        facts=_facts,
    )


def _projects(folder: Path, main: str) -> list[PurePath]:
    """The folders of its project, and of those in the tree that it needs."""
    found = manifests_around(folder, main, "mix.exs")[:1]
    named = [name for one in found for name in one.paths(one.projects)]
    needed = [read_manifest(folder, name) for name in named[:MOST_PROJECTS]]
    return [one.place for one in (*found, *needed) if one is not None]


def _together(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    places = [place / "lib" for place in _projects(folder, main)]
    own = [name for place in places for name in native.below(place, names)]
    return [name for name in own if name.endswith(".ex")]


def _facts(folder: Path, main: str) -> Mapping[str, str]:
    """The call of its main function: with the list of arguments, as an escript has it, or as an
    application is started, which then goes on until its input ends."""
    text = beginning(folder / main)
    module = ELIXIR_MODULE.search(text)
    name = module[1].decode() if module else PurePath(main).stem.capitalize()
    functions = {found[1].decode(): found[2] or b"" for found in _MAIN.finditer(text)}
    for function in ("main", "run", "start"):
        if function in functions:
            return {"call": f"{name}.{_call(function, functions[function].decode())}"}
    return {"call": f"{name}.main([])"}


def _call(function: str, parameters: str) -> str:
    count = parameters.count(",") + 1 if parameters.strip() else 0
    if function == "start" and count == 2:
        return "start(:normal, []); Process.sleep(:infinity)"
    return f"{function}({'[]' if count else ''})"
