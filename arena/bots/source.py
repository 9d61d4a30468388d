"""From a source file to a command: gather its files, compile them when they must be, fill in."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.bots.executables import UTF16, head, mounted_noexec
from arena.bots.languages import Language, command, not_installed
from arena.bots.names import printable
from arena.errors import BotError

if TYPE_CHECKING:
    from arena.bots.draft import Files
    from arena.bots.workshop import Workshop

_NO_CONTENT = frozenset({".git", ".hg", ".svn", "__pycache__", "__MACOSX", ".DS_Store"})


@dataclass(frozen=True, slots=True)
class Ready:
    """A command to run, and the folder in which the bot's files are (a copy if it was built)."""

    argv: tuple[str, ...]
    folder: Path
    built: Path | None = None
    """The entry of the cache that holds all of it, if it was built."""


def prepare(
    language: Language,
    folder: Path,
    main: str,
    files: Callable[[], Files],
    before: Sequence[tuple[str, ...]],
    shop: Workshop,
    along: Sequence[str] = (),
) -> Ready:
    """Make the source `main` in `folder` ready to run.

    `files` says what to copy when something has to be built: the commands `before`, then the
    compiler, if the language has one; `along` names other sources that it compiles with `main`.
    Raises BotError.
    """
    shown, out = printable(main), ""
    if head(folder / main).startswith(UTF16):
        raise BotError(f"{shown} is saved as UTF-16, which its language cannot read: use UTF-8")
    entry = None
    facts, steps = language.facts(folder, main), [*before]
    if language.compile:
        sources = [_operand(name) for name in (main, *along)]
        steps.append(_compiler(language, shown, sources, facts))
    if steps:
        from arena.bots.build import build

        what = f"compile {shown}" if not before else f"build {printable(folder.name)}"
        entry = build(what, files(), steps, shop)
        folder, out = entry / "files", str(entry / "out")
    argv = command(language.run, source=str(folder / main), out=out, **facts)
    if argv is None:
        raise BotError(f"cannot start {shown}: {_why_not(language, out)}")
    return Ready(argv, folder, entry)


def _compiler(
    language: Language, shown: str, sources: Sequence[str], facts: Mapping[str, str]
) -> tuple[str, ...]:
    found = command(language.compile, source=sources[0], **facts)
    if found is None:
        raise BotError(f"cannot compile {shown}: {not_installed(language.compile, language)}")
    place = found.index(sources[0])
    return (*found[:place], *sources, *found[place + 1 :])


def _operand(main: str) -> str:
    return f"./{main}" if main.startswith("-") else main


def _why_not(language: Language, out: str) -> str:
    if not language.run[0].startswith("{out}"):
        return not_installed(language.run, language)
    if mounted_noexec(Path(out)):
        root = Path(out).parents[2]
        return f"the cache {root} is mounted noexec: set ARENA_CACHE to a folder elsewhere"
    return f"its compiler wrote no program: remove {os.path.dirname(out)} and try again"


def beside(source: Path, endings: tuple[str, ...]) -> Files:
    """The source and those files next to it that it may read: a header, another class.

    Taken is what is mentioned by name, directly or by a file taken. That may be too much, which
    only costs a compilation more; what is not taken the compiler does not see, so a build can
    never depend on a file that its key leaves out.
    """
    left = [
        path
        for path in sorted(source.parent.iterdir())
        if path.suffix in endings and path != source and os.access(path, os.R_OK) and path.is_file()
    ]
    found, queue = {source.name: source}, [source]
    while queue and left:
        text = queue.pop().read_bytes()
        named = [path for path in left if os.fsencode(path.stem) in text]
        found |= {path.name: path for path in named}
        queue += named
        left = [path for path in left if path not in named]
    return found


def everything(folder: Path) -> Files:
    """All files of a folder, without what version control and file managers leave there."""
    found = {}
    for place, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if name not in _NO_CONTENT]
        for link in (path for name in folders if (path := Path(place, name)).is_symlink()):
            raise BotError(
                f"cannot build {printable(folder.name)}: {link} is a link to a folder: copy it in"
            )
        for path in (Path(place, name) for name in names if name not in _NO_CONTENT):
            if path.is_file():
                found[str(path.relative_to(folder))] = path
    return found


def _raise(error: OSError) -> None:
    raise error
