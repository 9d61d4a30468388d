"""Choice of the main source in a folder without a ``bot.toml``.

A source is a candidate if it can be started: in languages with main functions, if it has one; in
the others, if no source uses it. (If none qualifies, all are candidates.) Of the candidates, in
this order:

1. the one with ``__main__`` in a comment, in JavaScript, TypeScript, PHP, Perl and Pascal;
2. the one that a project file names (``pom.xml``, ``package.json``, …: `manifests`);
3. the one named ``MyBot`` (or ``my_bot``), else ``main`` (or ``__main__``), else ``bot``, else
   ``BotStarter`` or ``Program``, in the highest folder that has one (case does not count);
4. the only one that has a main function, or a line such as ``if __name__ == "__main__"``;
5. the only one.

If several match, the one that no other source uses is taken, otherwise none. A folder of several
bots is refused (`_of_other_bots`) instead of playing the one whose name comes first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path, PurePath

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.archives.rules import is_junk
from arena.bots.content import Scan, everything
from arena.bots.executables import looks_executable
from arena.bots.language import Language
from arena.bots.languages import language_of
from arena.bots.manifests import by_stem, manifests_of
from arena.bots.modules import TESTS, in_order, is_build_file, used, without_comments
from arena.errors import BotError
from arena.text import printable

# The sources of a folder: which ones the author wrote for the bot itself, and their contents.

_OTHERS = frozenset(
    {
        *("node_modules", "vendor", "site-packages", "venv", ".venv", "env", "target", "dist"),
        *("deps", "_build", "dist-newstyle", "third_party", "external", "packages"),
    }
)
"""Folders whose sources come from others or from a build tool."""
_LIB = frozenset({"lib", "libs"})
"""Folders of third-party libraries in most languages."""
_OWN_LIB = (".ex", ".exs", ".rb")
"""Endings of languages in which ``lib`` holds the bot itself."""
SOURCE_FOLDERS = frozenset({"src", "lib", "app", "bin", "cmd", "source", "Sources", "main"})
"""Names of source folders, which do not serve as the name of a bot."""


class Sources:
    """The sources of one folder. Each is read once, within the limits of `Scan`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._texts: dict[str, bytes] = {}
        self._held: dict[tuple[str, bytes], bool] = {}
        self._scan = Scan()

    @cached_property
    def files(self) -> list[str]:
        """The names of all files. Raises BotError if they exceed the limits of a bot."""
        return list(everything(self.folder))

    @cached_property
    def declared(self) -> dict[str, str]:
        """The main sources that project files name, each with its project file."""
        found = manifests_of(self.folder, self.files)
        if not found:
            return {}
        stems = by_stem([name for name in self.files if language_of(Path(name)) is not None])
        return {name: one.file for one in reversed(found) for name in one.mains(stems)[:1]}

    @cached_property
    def own(self) -> list[str]:
        """The sources that the author wrote for the bot itself. A folder that usually holds
        third-party sources counts only if there are no sources elsewhere."""
        known = [name for name in self.files if language_of(Path(name)) is not None]
        known = [name for name in known if not is_build_file(name)]
        for left_out in (TESTS | _OTHERS | _LIB, TESTS | _OTHERS, _OTHERS):
            if found := [name for name in known if not _lies_in(name, left_out)]:
                return found
        return []

    def text(self, name: str) -> bytes:
        """The beginning of a source."""
        if name not in self._texts:
            self._texts[name] = self._scan.read(self.folder / name)
        return self._texts[name]

    def language(self, name: str) -> Language:
        """The language of one of `own`."""
        found = language_of(Path(name))
        assert found is not None, name
        return found

    def holds(self, name: str, pattern: bytes) -> bool:
        """Whether the source matches the pattern, outside comments if their syntax is known."""
        if (name, pattern) not in self._held:
            text = self.text(name)
            if self.language(name).name in ("Java", "C#"):
                text = without_comments(text)
            self._held[name, pattern] = re.search(pattern, text, re.MULTILINE) is not None
        return self._held[name, pattern]

    @cached_property
    def used(self) -> set[str]:
        """The sources of `own` that another one uses."""
        found: set[str] = set()
        for language in {self.language(name).name for name in self.own}:
            names = [name for name in self.own if self.language(name).name == language]
            found |= used(language, {name: self.text(name) for name in names})
        return found


def _lies_in(name: str, folders: frozenset[str]) -> bool:
    path = PurePath(name)
    own = _LIB if path.suffix in _OWN_LIB else frozenset[str]()
    return not (folders - own).isdisjoint(part.lower() for part in path.parts[:-1])


STEMS = (("mybot", "my_bot"), ("main", "__main__"), ("bot",), ("botstarter", "program"))
"""Stems of main files, most likely first."""
NAMED = 8
"""Maximum number of sources or folders that an error names."""

_HELPERS = ("shell", "AWK")
"""Languages whose sources often build or start a bot written in another language."""
_MARK = b"__main__"
_COMMENT = re.compile(rb"//|#|/\*|\{|\(\*|^[ \t]*+\*")


class Main(Struct, frozen=True):
    """The main source of a folder."""

    name: str
    """Its name in the folder."""
    how: str
    """How it was found, in words."""
    alone: bool = True
    """Whether no other source of the folder can be started."""


def main_of(folder: Path) -> Main | None:
    """The main source of a folder; None for a folder without sources.

    Raises BotError if there are several, and suggests a ``bot.toml`` line that decides.
    """
    bots = sorted(path.parent.name for path in folder.glob("*/bot.toml"))
    if len(bots) > 1:
        raise _several_bots(folder, bots)
    sources = Sources(folder)
    possible = _startable(sources)
    _refuse_without_main(sources)
    for how, choose in _RULES:
        if found := choose(sources, possible):
            main = _only(sources, found, how)
            if bots and _top(main.name) not in ("", *bots):
                raise _several_bots(folder, sorted([_top(main.name), *bots]))
            if others := _of_other_bots(sources, possible, main.name):
                raise _several(folder, sorted([main.name, *others]))
            return replace(main, alone=set(possible) <= {main.name})
    return None


def _of_other_bots(sources: Sources, possible: Sequence[str], main: str) -> list[str]:
    """The main files of other bots in the folder: candidates with the name of a main file.

    A tree is taken for several bots only if nothing makes it one project: a file at its top other
    than a text for people, a usual source folder, or a source that uses one of another folder.
    """
    usual = {stem for stems in STEMS for stem in stems}
    named = [name for name in possible if PurePath(name).stem.lower() in usual]
    others = [name for name in named if _top(name) != _top(main)]
    is_project = any(not _top(name) and not _is_prose(name) for name in sources.files)
    if not others or is_project or not _stands_alone(sources, main):
        return []
    return [name for name in others if _stands_alone(sources, name)]


def _top(name: str) -> str:
    """The folder at the top in which a file lies; empty if it lies at the top itself."""
    return PurePath(name).parts[0] if len(PurePath(name).parts) > 1 else ""


def _is_prose(name: str) -> bool:
    return PurePath(name).suffix == ".md" or PurePath(name).stem.lower() in ("readme", "license")


def _stands_alone(sources: Sources, name: str) -> bool:
    """Whether a source lies in a folder that may hold a whole bot, and uses none outside of it."""
    if _top(name) in SOURCE_FOLDERS:
        return False
    kind = sources.language(name).name
    names = [one for one in {*sources.own, name} if sources.language(one).name == kind]
    texts = {one: sources.text(one) for one in sorted(names)}
    return all(_top(one) == _top(name) for one in in_order(kind, texts, name))


def only_file(folder: Path) -> Path | None:
    """The only file of a folder, if it is a program or a source: then the folder is the same bot as
    that file."""
    held = [path for path in folder.iterdir() if not is_junk(path.name)]
    if len(held) != 1 or held[0].name == "bot.toml" or not held[0].is_file():
        return None
    is_bot = language_of(held[0]) is not None or looks_executable(held[0])
    return held[0] if is_bot else None


def _several_bots(folder: Path, bots: Sequence[str]) -> BotError:
    return BotError(
        f"{printable(folder.name)} is not a bot: it holds {len(bots)} bots, each in a folder of its"
        f" own ({listed(bots)}): name one of these folders, or write a bot.toml there"
    )


def _refuse_without_main(sources: Sources) -> None:
    """Raise BotError if all sources are Java classes and none can be started."""
    languages = {sources.language(name).name for name in sources.own}
    if languages == {"Java"} and not any(_can_start(sources, name) for name in sources.own):
        raise BotError(
            f"none of the {len(sources.own)} Java sources of {printable(sources.folder.name)} has a"
            " main function: write one, public static void main(String[] args), in the class that"
            " starts the bot"
        )


def _startable(sources: Sources) -> list[str]:
    """The sources that could be the main one."""
    found = [name for name in sources.own if _can_start(sources, name)] or sources.own
    return [name for name in found if sources.language(name).name not in _HELPERS] or found


def _can_start(sources: Sources, name: str) -> bool:
    if entry := sources.language(name).entry:
        return sources.holds(name, entry)
    return name not in sources.used


def _marked(sources: Sources, possible: Sequence[str]) -> list[str]:
    own = [name for name in sources.own if sources.language(name).marked]
    return [name for name in own if _is_marked(sources.text(name))]


def _is_marked(text: bytes) -> bool:
    """Whether ``__main__`` occurs on a line after the start of a comment."""
    lines = text.split(b"\n") if _MARK in text else []
    return any(_MARK in line and _COMMENT.search(line.rpartition(_MARK)[0]) for line in lines)


def _declared(sources: Sources, possible: Sequence[str]) -> list[str]:
    """The first candidate that each project file names."""
    return list(sources.declared)


def _named(sources: Sources, possible: Sequence[str]) -> list[str]:
    for stems in STEMS:
        named = [name for name in possible if PurePath(name).stem.lower() in stems]
        top = min((len(PurePath(name).parts) for name in named), default=0)
        if named:
            return [name for name in named if len(PurePath(name).parts) == top]
    return []


def _with_main_function(sources: Sources, possible: Sequence[str]) -> list[str]:
    """The candidates with a main function; empty if one is in a language that needs none."""
    found = [name for name in possible if _has_main_function(sources, name)]
    languages = {sources.language(name).name for name in found}
    others = {sources.language(name).name for name in possible} - languages
    return found if not others else []


def _has_main_function(sources: Sources, name: str) -> bool:
    language = sources.language(name)
    pattern = language.entry or language.guard
    return pattern != b"" and sources.holds(name, pattern)


def _all(sources: Sources, possible: Sequence[str]) -> list[str]:
    return list(possible)


_DECLARED = "named by"
_Rule = Callable[[Sources, Sequence[str]], list[str]]
_RULES: tuple[tuple[str, _Rule], ...] = (
    ("marked as __main__", _marked),
    (_DECLARED, _declared),
    ("found by its name", _named),
    ("the only one with a main function", _with_main_function),
    ("the only one that could be", _all),
)


def _only(sources: Sources, found: Sequence[str], how: str) -> Main:
    if len(found) == 1:
        return Main(found[0], _how(sources, found[0], how))
    unused = [name for name in found if name not in sources.used]
    if len(unused) == 1:
        return Main(unused[0], "the only one that could be and that no other source uses")
    raise _several(sources.folder, unused or found)


def _how(sources: Sources, name: str, how: str) -> str:
    if how == _DECLARED:
        return f"named by {printable(sources.declared[name])}"
    return "its only source" if len(sources.own) == 1 else how


def _several(folder: Path, found: Sequence[str]) -> BotError:
    lines = [f"    main = {json.dumps(name, ensure_ascii=False)}" for name in found[:NAMED]]
    more = f" (of {len(found)}, these are the first)" if len(found) > NAMED else ""
    tops = sorted({_top(name) for name in found} - {"", *SOURCE_FOLDERS})
    name_one = f"name one of its folders ({listed(tops)}), or " if len(tops) == len(found) else ""
    return BotError(
        f"{printable(folder.name)} has several sources that could be its main file: {name_one}write"
        f" a bot.toml there with one of these lines{more}\n" + "\n".join(map(printable, lines))
    )


def listed(names: Sequence[str]) -> str:
    """The first names and the number of the rest, for an error."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(printable(name) for name in names[:NAMED]) + more
