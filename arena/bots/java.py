"""What has to be known about a Java source before it can be compiled and run."""

from __future__ import annotations

import re
from pathlib import Path, PurePath

_NOISE = r'//[^\n]*|/\*.*?\*/|"""(?:\\.|.)*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
_PACKAGE = r"^\s*package\s+([\w.]+)\s*;"
_MARKS = (
    r"[{}]"
    r"|(?<![.\w])(?:class|record|enum|interface)\s+(?P<type>\w+)"
    r"|\bstatic\b[\w\s]*\bvoid\s+(?P<main>main)\s*\("
)


def main_class(folder: Path, main: str) -> dict[str, str]:
    """Facts about the source `main` in `folder`: the class to run and the root of its packages.

    The class is the one at top level that holds ``static void main``; when there is none (it may
    be inherited), the one named like the file.
    """
    text = (folder / main).read_text("utf-8", "replace")
    text = re.sub(_NOISE, " ", text, flags=re.DOTALL)
    declared = re.search(_PACKAGE, text, re.MULTILINE)
    package = declared[1].split(".") if declared else []
    name = _holder_of_main(text) or PurePath(main).stem
    return {"main": ".".join([*package, name]), "root": _root(main, package)}


def _holder_of_main(text: str) -> str | None:
    depth, holder = 0, None
    for mark in re.finditer(_MARKS, text):
        if mark["main"]:
            return holder
        if mark["type"]:
            holder = mark["type"] if depth == 0 else holder
        else:
            depth += 1 if mark[0] == "{" else -1
    return None


def _root(main: str, package: list[str]) -> str:
    """The folder in which a compiler looks for packages: ``src`` for ``src/bot/Bot.java``."""
    parts = list(PurePath(main).parent.parts)
    if package and parts[-len(package) :] == package:
        parts = parts[: -len(package)]
    return str(PurePath(".", *parts))
