"""Which of a folder's sources is its bot, where no ``bot.toml`` says so.

Of all sources, but for tests, examples and libraries, in this order:

1. the one that has ``__main__`` in a comment, in JavaScript, TypeScript, PHP, Perl and Pascal;
2. the one named ``MyBot`` (or ``my_bot``), else ``main``, else ``bot``, in the highest folder that
   has one (case does not count);
3. the only one that has a main function, of those whose language has main functions;
4. the only one.

Where two qualify, neither is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath

from arena.bots.archives.rules import is_junk
from arena.bots.content import SCANNED, SCANNED_TOGETHER, beginning, everything
from arena.bots.executables import looks_executable
from arena.bots.language import Language
from arena.bots.languages import language_of
from arena.errors import BotError
from arena.text import printable

STEMS = (("mybot", "my_bot"), ("main",), ("bot",))
"""Names of main files, likeliest first."""
NAMED = 8
"""Sources or folders that an error names."""

_ELSEWHERE = frozenset(
    {
        *("test", "tests", "example", "examples", "bench", "benchmarks", "doc", "docs"),
        *("node_modules", "vendor", "lib", "libs", "site-packages", "venv", ".venv", "target"),
    }
)
"""Folders whose sources are not the bot's own."""
_MARK = re.compile(rb"(?://|#|/\*|\{|\(\*|^[ \t]*+\*)[^\n]*?__main__", re.MULTILINE)


def main_of(folder: Path) -> str | None:
    """The main source, by its name in the folder; None for a folder without sources.

    Raises BotError when several could be, and says which line of a ``bot.toml`` decides.
    """
    _refuse_several(folder)
    sources = [name for name in everything(folder) if _is_own(name)]
    for choose in (_marked, _named, _with_main_function, _all):
        if found := choose(folder, sources):
            return _only(folder, found)
    return None


def _refuse_several(folder: Path) -> None:
    """Raise BotError for a folder of folders that are bots themselves."""
    bots = sorted(path.parent.name for path in folder.glob("*/bot.toml"))
    if len(bots) > 1:
        raise BotError(
            f"{printable(folder.name)} is no bot: it holds {len(bots)} of them, each in a folder "
            f"with a bot.toml ({_listed(bots)}): name one of these folders, or write a bot.toml "
            "there"
        )


def only_file(folder: Path) -> Path | None:
    """The program or source that is all that a folder holds: then the folder is the same bot as
    that file."""
    held = [path for path in folder.iterdir() if not is_junk(path.name)]
    if len(held) != 1 or held[0].name == "bot.toml" or not held[0].is_file():
        return None
    is_bot = language_of(held[0]) is not None or looks_executable(held[0])
    return held[0] if is_bot else None


def _is_own(name: str) -> bool:
    return language_of(Path(name)) is not None and not _ELSEWHERE & set(PurePath(name).parts[:-1])


def _marked(folder: Path, sources: Sequence[str]) -> list[str]:
    return _those(folder, sources, lambda name: _MARK if _language(name).marked else None)


def _named(folder: Path, sources: Sequence[str]) -> list[str]:
    for stems in STEMS:
        named = [name for name in sources if PurePath(name).stem.lower() in stems]
        top = min((len(PurePath(name).parts) for name in named), default=0)
        if named:
            return [name for name in named if len(PurePath(name).parts) == top]
    return []


def _with_main_function(folder: Path, sources: Sequence[str]) -> list[str]:
    """None when some source needs no main function to be a program."""
    if not all(_language(name).entry for name in sources):
        return []
    return _those(folder, sources, lambda name: re.compile(_language(name).entry, re.MULTILINE))


def _all(folder: Path, sources: Sequence[str]) -> list[str]:
    return list(sources)


def _those(
    folder: Path, sources: Sequence[str], pattern_of: Callable[[str], re.Pattern[bytes] | None]
) -> list[str]:
    """The sources in which their pattern is found."""
    found, budget = [], SCANNED_TOGETHER
    for name in sources:
        if (pattern := pattern_of(name)) is not None:
            text = beginning(folder / name, min(SCANNED, budget))
            budget -= len(text)
            if pattern.search(text):
                found.append(name)
    return found


def _language(name: str) -> Language:
    found = language_of(Path(name))
    assert found is not None, name
    return found


def _only(folder: Path, found: list[str]) -> str:
    if len(found) == 1:
        return found[0]
    raise BotError(
        f"{printable(folder.name)} has several sources that could be its main file "
        f"({_listed(found)}): write a bot.toml there that says which, as in: "
        f"main = {json.dumps(found[0])}"
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(printable(name) for name in names[:NAMED]) + more
