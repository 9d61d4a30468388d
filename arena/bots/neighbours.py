"""What lies beside a single file and does not travel with it, said when that matters.

A bot that is one file is built and started alone: it runs in an empty folder, and behind walls the
files beside it are not there at all, since they may be a rival's. When its compiler or the bot
itself misses one of them, its author hears which, and how a folder with a ``bot.toml`` brings it
along.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from arena.bots.languages import language_of
from arena.text import joined, printable

LOOKED_AT = 10_000
"""Files beside it that are looked at."""
SAID = 64 << 10
"""Characters of its words that are looked at."""

_MISSES = re.compile(
    r"no such file|not found|no module named|cannot (?:find|open|load)|can't (?:open|locate|find)"
    r"|could ?n[o']t (?:open|read|find)|failed (?:to )?open|enoent|symbol: +class",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w.-]++")


def not_taken(source: Path, said: str) -> str:
    """A sentence about the files beside `source` that its compiler missed, by its words; empty if
    there is none."""
    return _sentence(source.name, _missed([source], said), _main(source.name))


def left_outside(word: str, said: str) -> str:
    """The same for a bot that was started: `word` is what the user typed, `said` its stderr."""
    if os.path.isdir(word):
        return ""
    if os.path.exists(word):
        files, name = [Path(os.path.abspath(word))], os.path.basename(word)
        language = language_of(files[0])
        line = _main(name) if language else f'run = "./{name}"'
    else:
        files = [Path(os.path.abspath(part)) for part in _split(word) if os.path.isfile(part)]
        name = "its files"
        line = f"run = {_toml_text(word)}"
    return _sentence(name, _missed(files, said), line)


def _main(name: str) -> str:
    return f"main = {_toml_text(name)}"


def _toml_text(text: str) -> str:
    return f'"{text}"' if '"' not in text and "\\" not in text else f"'{text}'"


def _split(word: str) -> list[str]:
    try:
        return shlex.split(word)
    except ValueError:
        return []


def _missed(files: Iterable[Path], said: str) -> list[str]:
    """The files beside `files` of which `said` tells that they are missing."""
    lines = [line for line in said[:SAID].splitlines() if _MISSES.search(line)]
    if not lines:
        return []
    words = {word.rstrip(".") for line in lines for word in _WORD.findall(line)}
    own = {file.name for file in files}
    return sorted(
        {
            name
            for file in files
            for name in _names_in(file.parent)
            if name not in own and (name in words or (os.path.splitext(name)[0] in words))
        }
    )


def _names_in(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in islice(entries, LOOKED_AT)]
    except OSError:
        return []


def _sentence(name: str, missed: list[str], line: str) -> str:
    if not missed:
        return ""
    them = joined(map(printable, missed[:3]))
    lie = "lies" if len(missed) == 1 else "lie"
    return (
        f"{them} {lie} beside {printable(name)}, but a single file travels alone: put them all into"
        f" a folder of their own, with a bot.toml in it that says {printable(line)}\n"
    )
