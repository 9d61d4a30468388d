"""What has to be known about a Java source before it can be compiled and run.

It is found out by scanning its beginning once, word by word: no pattern here can be matched in two
ways, and what is opened and not closed (a comment, a text) goes on to the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePath

from arena.bots.content import SCANNED, Scan, beginning
from arena.bots.language import operand
from arena.bots.modules import without_comments

_TOKEN = r"[\w.$]++|[{}();]"
_PACKAGE = r"(?<![\w.$])package\s++([\w.]++)\s*+;"
_TESTED = r"\bimport\s++(?:static\s++)?+(?:org\.junit|junit\.framework|org\.testng|org\.mockito)\b"
_TYPES = ("class", "record", "enum", "interface")
LIBRARIES = ("lib", "libs", "jars", ".")
"""Folders whose jars are in the class path."""
_DECLARATION = 16 << 10
"""Bytes in which a source declares its package."""


def main_class(folder: Path, main: str) -> dict[str, str]:
    """Facts about the source `main` in `folder`: the class to run and the root of its packages.

    The class is the one at top level that holds ``static void main``; when there is none (it may
    be inherited), the one named like the file.
    """
    text = _code(folder / main)
    package = _package(text)
    name = _holder_of_main(text) or PurePath(main).stem
    return {"main": ".".join([*package, name]), "root": operand(_root(main, package))}


def of_one_program(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """Which of the sources `names` are compiled with `main`: those that lie where their package
    says, below the root of its packages, and those beside it in its own package. So also a class is
    there that is only reached by its name. What is there for tests alone is compiled when a class
    mentions it."""
    root, package = main_class(folder, main)["root"], _package(_code(folder / main, _DECLARATION))
    found, place = [], PurePath(main).parent
    for name in names:
        if PurePath(name).parent == place or PurePath(name).is_relative_to(root):
            code = _code(folder / name, _DECLARATION)
            declared = _package(code)
            is_beside = PurePath(name).parent == place and declared == package
            is_test = _is_test(name) or re.search(_TESTED, code) is not None
            if not is_test and (is_beside or _lies_right(name, root, declared)):
                found.append(name)
    return found


def options(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """The encoding of sources that are not UTF-8, and the class path, if there are libraries."""
    sources = [main, *(name for name in names if name.endswith(".java"))]
    encoding = [] if _are_utf8(folder, sources) else ["-encoding", "ISO-8859-1"]
    has_jars = any(name.endswith(".jar") for name in names)
    libraries = ["-cp", ":".join(f"{place}/*" for place in LIBRARIES)] if has_jars else []
    return [*encoding, *libraries]


def _are_utf8(folder: Path, sources: Sequence[str]) -> bool:
    scan = Scan()
    for name in sources:
        text = scan.read(folder / name)
        try:
            text.decode("utf-8")
        except UnicodeDecodeError as error:
            if error.start < len(text) - 4:  # and not a letter that is cut at the end
                return False
    return True


def _is_test(name: str) -> bool:
    return PurePath(name).stem.endswith(("Test", "Tests"))


def _lies_right(name: str, root: str, package: Sequence[str]) -> bool:
    place = PurePath(name).parent
    return place.is_relative_to(root) and list(place.relative_to(root).parts) == list(package)


def _code(path: Path, size: int = SCANNED) -> str:
    """The beginning of a source, without comments and texts."""
    return without_comments(beginning(path, size)).decode("utf-8", "replace")


def _package(text: str) -> list[str]:
    declared = re.search(_PACKAGE, text)
    return declared[1].split(".") if declared else []


def _holder_of_main(text: str) -> str | None:
    """The class at top level in which ``static … void main(`` stands."""
    depth, holder, static, before = 0, None, False, ("", "")
    for token in re.findall(_TOKEN, text):
        if token == "(" and static and before == ("void", "main"):
            return holder
        if before[1] in _TYPES and depth == 0 and token not in "{}();":
            holder = token
        depth += (token == "{") - (token == "}")
        static = token not in "{}();" and (static or token == "static")
        before = (before[1], token)
    return None


def _root(main: str, package: list[str]) -> str:
    """The folder in which a compiler looks for packages: ``src`` for ``src/bot/Bot.java``."""
    parts = list(PurePath(main).parent.parts)
    if package and parts[-len(package) :] == package:
        parts = parts[: -len(package)]
    return str(PurePath(".", *parts))
