"""Dependencies between the sources of a program, and the files that make up one program.

A source *uses* another when it names something that the other defines: its class, module or file.
This is decided by words alone, each read once. It may find too many uses, which makes the choice of
a main file harder, but never runs the wrong one: a main file that others use is only passed over
for one that none uses.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path, PurePath

from arena.bots.content import Scan, beginning, everything
from arena.bots.executables import find_command
from arena.bots.language import Together

Texts = Mapping[str, bytes]
"""The beginnings of sources, by their names in the folder."""

# Patterns are texts, which `re` compiles when they are first used, and keeps: to compile them all
# takes 5 ms, and what runs a script or an executable needs none.

_NOISE = (
    rb"(?s)//[^\n]*+"
    rb"|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?"
    rb'|"""(?:[^"\\]++|\\.|"(?!""))*+(?:""")?'
    rb'|"(?:[^"\\\n]++|\\.)*+"?'
    rb"|'(?:[^'\\\n]++|\\.)*+'?"
)
"""Comments and string literals. All repeats are possessive, so nothing is read twice."""

_WORD = rb"[\w\x80-\xff]++"
_DOTTED = rb"[\w.]++"
_SYMBOL = rb"[\w.*+!?<>=-]++"
_ALIAS = rb"\b[A-Z]\w*+(?:\.[A-Z]\w*+)*+"
_QUOTED = rb"""["'`]([^"'`\s]++)["'`]"""
_LOADS = (
    rb"\b(?:require|require_relative|require_once|include|include_once|load|autoload|import|from"
    rb"|dofile|loadfile|do|use|source)\b[^\n]*+"
)
_PERL_USES = rb"(?m)^[ \t]*+(?:use|require)[ \t]++(?:[\w]++::)*+(\w++)"
_SHELL_LOADS = rb"(?m)^[ \t]*+(?:\.|source)[ \t]++([^\n]++)"
_PYTHON_IMPORTS = (
    rb"(?m)^[ \t]*+(?:from[ \t]++([.\w]++)[ \t]++import\b[ \t(]*+([\w., \t]*+)"
    rb"|import[ \t]++([\w., \t]++))"
)
NAMESPACE = rb"\(ns\s++(?:\^\S++\s++){0,9}+([\w.*+!?<>=-]++)"
"""The namespace declaration of a Clojure source."""
ELIXIR_MODULE = rb"(?m)^[ \t]*+defmodule[ \t]++([\w.]++)"
"""The beginning of a module in an Elixir source."""

_BY_FILE = frozenset({"JavaScript", "TypeScript", "Ruby", "PHP", "Lua", "Tcl", "R", "Raku"})
"""Languages that load other sources by file name."""


_NO_TITLE = frozenset({"main"})
"""File names that occur in every source as a function, for languages compared by words."""


def without_comments(text: bytes) -> bytes:
    """A source of Java, C# or C without comments and string literals. An unclosed one runs to the
    end."""
    return re.sub(_NOISE, b" ", text)


def used(language: str, texts: Texts) -> set[str]:
    """The sources of one language that another one uses."""
    owners = _owners(language, texts)
    return {other for name in texts for other in _used_by(language, owners, name, texts[name])}


def _owners(language: str, texts: Texts) -> dict[bytes, list[str]]:
    """The sources that define each name: possibly several, in two projects of one tree."""
    found: dict[bytes, list[str]] = {}
    for name, text in texts.items():
        for title in titles(language, name, text):
            found.setdefault(title, []).append(name)
    return found


def _used_by(language: str, owners: Mapping[bytes, list[str]], name: str, text: bytes) -> list[str]:
    """The sources that one source uses, in the order of their first mention."""
    found = {other: None for title in _names_of(language)(text) for other in owners.get(title, ())}
    return [other for other in found if other != name]


def in_order(language: str, texts: Texts, main: str) -> list[str]:
    """The sources that `main` uses, directly or indirectly, in dependency order. (Two that use each
    other come in some order.)"""
    owners = {title: [nearest(main, own)] for title, own in _owners(language, texts).items()}
    uses = {name: _used_by(language, owners, name, text) for name, text in texts.items()}
    order, seen, ahead = list[str](), {main}, [(main, iter(uses[main]))]
    while ahead:
        name, rest = ahead[-1]
        following = next((one for one in rest if one not in seen), None)
        if following is None:
            order.append(name)
            ahead.pop()
        else:
            seen.add(following)
            ahead.append((following, iter(uses[following])))
    return order[:-1]


def nearest(main: str, names: Sequence[str]) -> str:
    """The source that shares the most folders with the main one, in a tree of several programs."""

    def shared(name: str) -> int:
        pairs = zip(PurePath(main).parts, PurePath(name).parts, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    return max(names, key=shared)


def titles(language: str, name: str, text: bytes) -> list[bytes]:
    """The names by which other sources refer to this one."""
    path = PurePath(name)
    if language == "Python":
        parts = [*path.parent.parts, *([] if path.stem == "__init__" else [path.stem])]
        return [os.fsencode(".".join(parts[start:])) for start in range(len(parts))]
    if language == "Clojure":
        found = re.search(NAMESPACE, text)
        return [found[1]] if found else []
    if language == "OCaml":
        return [os.fsencode(path.stem[:1].upper() + path.stem[1:])]
    if path.stem in _NO_TITLE:
        return []
    if language == "Elixir":
        return re.findall(ELIXIR_MODULE, text)
    return [os.fsencode(path.stem)]


def _names_of(language: str) -> Callable[[bytes], Iterator[bytes]]:
    """The function that finds the names that a source mentions."""
    if language == "Python":
        return _imports
    if language in _BY_FILE:
        return _loaded_files
    if language == "Perl":
        return lambda text: (found[1] for found in re.finditer(_PERL_USES, text))
    if language == "shell":
        return lambda text: _words(b"\n".join(re.findall(_SHELL_LOADS, text)))
    if language in ("Clojure", "Elixir"):
        pattern = _SYMBOL if language == "Clojure" else _ALIAS
        return lambda text: (found[0] for found in re.finditer(pattern, text))
    return lambda text: _words(without_comments(text))


def _words(text: bytes) -> Iterator[bytes]:
    return (found[0] for found in re.finditer(_WORD, text))


def _loaded_files(text: bytes) -> Iterator[bytes]:
    for line in re.finditer(_LOADS, text):
        for quoted in re.finditer(_QUOTED, line[0]):
            last = quoted[1].rsplit(b"/", 1)[-1]
            stem, _, ending = last.rpartition(b".")
            yield stem if ending in (b"js", b"mjs", b"cjs", b"ts", b"rb", b"php", b"lua") else last
            yield ending or last  # Lua: require "brain.words"


def _imports(text: bytes) -> Iterator[bytes]:
    """Python imports: ``a``, and ``a.b``, which may be a module or a name in one."""
    for module, names, plain in (found.groups() for found in re.finditer(_PYTHON_IMPORTS, text)):
        if module is None:
            yield from re.findall(_DOTTED, plain)
            continue
        place = module.strip(b".")
        if place:
            yield place
        for name in re.findall(_WORD, names):
            yield place + b"." + name if place else name


# The files of a folder that make one program in C, C++, Go and other compiled languages.

HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tpp")
MOST_FOLDERS = 100
"""Maximum number of folders passed to a compiler as options."""

TESTS = frozenset(
    {
        *("test", "tests", "example", "examples", "bench", "benchmarks", "build"),
        *("doc", "docs", "spec", "obj"),
    }
)
"""Folders whose sources are not part of a bot: tests, examples, and build output."""
_BUILD_FILE = (
    r"(?:setup|conftest|noxfile|build)\.(?:py|rs|clj|ml)"
    r"|(?:mix|config|runtime|dev|prod|test|\.formatter)\.exs"
    r"|(?:project|boot|profiles|user)\.clj|Setup\.hs|Makefile\.PL|myocamlbuild\.ml"
    r"|[\w.-]*(?:config|conf)\.[cm]?[jt]s|(?:[Gg]ulp|[Gg]runt|karma)[\w.-]*\.js|.*\.d\.ts"
    r"|(?:package|module)-info\.java|AssemblyInfo\.cs"
    r"|test_.*\.py|.*_test\.(?:py|go|exs|rb|erl)|.*_spec\.rb|.*_SUITE\.erl"
    r"|.*(?:Test|Tests|Spec)\.(?:java|kt|scala|cs)|.*\.(?:test|spec)\.[cm]?[jt]s"
)
"""Names of sources that describe or test a program, and are never the bot itself."""
MAIN = rb"^(?:[ \t]*+(?:int|auto|void)\s++)?+main[ \t]*+\("
"""The beginning of a main function in C and C++."""


def is_test(name: str) -> bool:
    """Whether a file lies in a folder of tests or examples."""
    return not TESTS.isdisjoint(part.lower() for part in PurePath(name).parts[:-1])


def is_build_file(name: str) -> bool:
    """Whether a source describes or tests a program, by its name."""
    return re.fullmatch(_BUILD_FILE, PurePath(name).name) is not None


def below(top: PurePath, names: Sequence[str]) -> list[str]:
    """The sources in and below a folder, without tests and examples."""
    inside = [name for name in names if PurePath(name).is_relative_to(top)]
    return [name for name in inside if not is_test(str(PurePath(name).relative_to(top)))]


def sources_but_for(main_function: bytes) -> Together:
    """Select the sources to compile with the main one: those beside and below it, except tests,
    examples, and other programs, that is, sources with a main function of their own (by that
    pattern, if there is one)."""

    def together(folder: Path, main: str, names: Sequence[str]) -> list[str]:
        found = below(PurePath(main).parent, names)
        others = with_main_function(folder, found, main_function)
        return [name for name in found if name not in others]

    return together


def whole_project(main_function: bytes) -> Together:
    """The same for languages with free placement of sources: takes those of the largest folder
    around the main one that holds no other program, even beside the main one's folder."""

    def together(folder: Path, main: str, names: Sequence[str]) -> list[str]:
        found = [name for name in below(PurePath(), names) if not is_build_file(name)]
        others = with_main_function(folder, found, main_function)
        top = _largest_without(others, main)
        found = [name for name in below(top, names) if not is_build_file(name)]
        return [name for name in found if name not in others]

    return together


def _largest_without(others: set[str], main: str) -> PurePath:
    """The largest folder around `main` without any of the others; its own if they lie there."""
    own = PurePath(main).parent
    for place in reversed(PurePath(main).parents):
        if not any(PurePath(name).is_relative_to(place) for name in others):
            return place
    return own


def with_main_function(folder: Path, names: Sequence[str], main_function: bytes) -> set[str]:
    """The sources that match the pattern, if there is one."""
    pattern, scan = re.compile(main_function, re.MULTILINE), Scan()
    known = names if main_function else ()
    return {name for name in known if pattern.search(scan.read(folder / name))}


_INCLUDE = rb'(?m)^[ \t]*+#[ \t]*+include[ \t]*+"([^"\n]++)"'
_beside_and_below = sources_but_for(MAIN)


def of_one_program(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """C and C++: the sources beside and below the main one, and any elsewhere whose headers they
    include, matched by name (``words.cpp`` for ``"../common/words.h"``)."""
    found = list(_beside_and_below(folder, main, names))
    own = {PurePath(name).stem for name in (main, *found)}
    stems: dict[str, list[str]] = {}
    for name in below(PurePath(), names):
        if PurePath(name).stem not in own:
            stems.setdefault(PurePath(name).stem, []).append(name)
    headers = _headers(folder) if stems else {}
    ahead, scan = [main, *found], Scan()
    while ahead and stems:
        text = scan.read(folder / ahead.pop())
        for included in (PurePath(os.fsdecode(one)) for one in re.findall(_INCLUDE, text)):
            places = headers.pop(included.name, [])
            ahead += places
            if sources := stems.pop(included.stem, []):
                found.append(nearest((*places, main)[0], sources))
                ahead.append(found[-1])
    return found


def _headers(folder: Path) -> dict[str, list[str]]:
    """The headers in and below a folder, by file name."""
    found: dict[str, list[str]] = {}
    for name in everything(folder):
        if PurePath(name).suffix in HEADERS:
            found.setdefault(PurePath(name).name, []).append(name)
    return found


def of_one_package(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """Go: the sources beside `main`, without tests. (Other folders are packages of their own, which
    the compiler finds by itself.)"""
    place = os.path.dirname(main)
    return [name for name in names if _is_beside(name, place) and not name.endswith("_test.go")]


_GO_IMPORT = rb'(?m)^[ \t]*+(?:import[ \t]++)?+(?:[\w.]++[ \t]++)?+"([^"\n]++)"'


def go_module(folder: Path, main: str) -> list[tuple[str, ...]]:
    """Go: the command that names the module if the packages of a folder belong to none. The name is
    the prefix with which `main` imports a package of the folder."""
    go = find_command("go")
    parents = [folder / place for place in PurePath(main).parents]
    if go is None or any((place / "go.mod").is_file() for place in parents):
        return []
    for one in re.findall(_GO_IMPORT, beginning(folder / main)):
        parts = PurePath(os.fsdecode(one)).parts
        for start in range(1, len(parts)):
            if (folder / PurePath(*parts[start:])).is_dir():
                return [(go, "mod", "init", "/".join(parts[:start]))]
    return []


def _is_beside(name: str, place: str) -> bool:
    return os.path.dirname(name) == place


def include_options(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """Compiler options to find headers: in the usual header folders of projects and, for those
    included in ``"quotes"``, in every folder with headers."""
    places = [os.path.dirname(name) for name in names if PurePath(name).suffix in HEADERS]
    own = (os.path.dirname(main), "include", "src")
    options = [f"-I./{place}" for place in dict.fromkeys(own) if place]
    quoted = [f"-iquote./{place}" for place in sorted(set(places)) if place]
    return [*options, *quoted[:MOST_FOLDERS]]
