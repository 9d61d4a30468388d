"""Which files of a folder make one program in C, C++, Go and other compiled languages."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path, PurePath

from arena.bots.content import SCANNED, SCANNED_TOGETHER, beginning
from arena.bots.language import Together

HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tpp")
MOST_FOLDERS = 100
"""Folders with headers for which a compiler is told."""

_ELSEWHERE = frozenset({"test", "tests", "example", "examples", "bench", "benchmarks", "build"})
"""Folders of a project whose sources are no part of its program."""
MAIN = rb"^[ \t]*+(?:int|auto|void)[ \t]++main[ \t]*+\("
"""How the main function of C and C++ begins."""


def sources_but_for(main_function: bytes) -> Together:
    """Which sources are compiled with the main one: those beside and below it, but for tests and
    examples, and for sources with a main function of their own (by that pattern, if there is one),
    which are other programs."""

    def together(folder: Path, main: str, names: Sequence[str]) -> list[str]:
        pattern = re.compile(main_function, re.MULTILINE) if main_function else None
        found, budget, top = [], SCANNED_TOGETHER, PurePath(main).parent
        for name in names:
            place = PurePath(name).parent
            if place.is_relative_to(top) and not _ELSEWHERE & set(place.relative_to(top).parts):
                text = beginning(folder / name, min(SCANNED, budget)) if pattern else b""
                budget -= len(text)
                if pattern is None or not pattern.search(text):
                    found.append(name)
        return found

    return together


of_one_program = sources_but_for(MAIN)
"""C and C++."""


def of_one_package(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """Go: the sources beside `main`, without tests. (Those in other folders are packages of their
    own, which it finds by itself.)"""
    place = os.path.dirname(main)
    return [name for name in names if _is_beside(name, place) and not name.endswith("_test.go")]


def _is_beside(name: str, place: str) -> bool:
    return os.path.dirname(name) == place


def include_options(main: str, names: Sequence[str]) -> list[str]:
    """Where a compiler finds headers: in the folders in which projects have them, and, those that
    are included ``"so"``, wherever the folder has headers."""
    places = [os.path.dirname(name) for name in names if PurePath(name).suffix in HEADERS]
    own = (os.path.dirname(main), "include", "src")
    options = [f"-I./{place}" for place in dict.fromkeys(own) if place]
    quoted = [f"-iquote./{place}" for place in sorted(set(places)) if place]
    return [*options, *quoted[:MOST_FOLDERS]]
