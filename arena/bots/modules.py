"""Which source of a program uses which, as far as their texts tell.

A source *uses* another when it names what the other defines: its class, its module, its file. That
is found out by words alone, each read once. It may find too many, which makes a choice between
main files harder, and never runs the wrong one: a main file that others use is only passed over
for one that none uses.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import PurePath

Texts = Mapping[str, bytes]
"""The beginnings of sources, by their names in the folder."""

_NOISE = re.compile(
    rb"(?s)//[^\n]*+"
    rb"|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?"
    rb'|"""(?:[^"\\]++|\\.|"(?!""))*+(?:""")?'
    rb'|"(?:[^"\\\n]++|\\.)*+"?'
    rb"|'(?:[^'\\\n]++|\\.)*+'?"
)
"""Comments and texts. None of it is ever read twice: each ``+`` keeps what it has."""

_WORD = re.compile(rb"[\w\x80-\xff]++")
_DOTTED = re.compile(rb"[\w.]++")
_SYMBOL = re.compile(rb"[\w.*+!?<>=-]++")
_ALIAS = re.compile(rb"\b[A-Z]\w*+(?:\.[A-Z]\w*+)*+")
_QUOTED = re.compile(rb"""["'`]([^"'`\s]++)["'`]""")
_LOADS = re.compile(
    rb"\b(?:require|require_relative|require_once|include|include_once|load|autoload|import|from"
    rb"|dofile|loadfile|do|use|source)\b[^\n]*+"
)
_PERL_USES = re.compile(rb"^[ \t]*+(?:use|require)[ \t]++(?:[\w]++::)*+(\w++)", re.MULTILINE)
_SHELL_LOADS = re.compile(rb"^[ \t]*+(?:\.|source)[ \t]++([^\n]++)", re.MULTILINE)
_PYTHON_IMPORTS = re.compile(
    rb"^[ \t]*+(?:from[ \t]++([.\w]++)[ \t]++import\b[ \t(]*+([\w., \t]*+)"
    rb"|import[ \t]++([\w., \t]++))",
    re.MULTILINE,
)
NAMESPACE = re.compile(rb"\(ns\s++(?:\^\S++\s++){0,9}+([\w.*+!?<>=-]++)")
"""How a source of Clojure says its name."""
ELIXIR_MODULE = re.compile(rb"^[ \t]*+defmodule[ \t]++([\w.]++)", re.MULTILINE)
"""How a source of Elixir begins each of its modules."""

_BY_FILE = frozenset({"JavaScript", "TypeScript", "Ruby", "PHP", "Lua", "Tcl", "R", "Raku"})
"""Languages that load another source by the name of its file."""


_NO_TITLE = frozenset({"main"})
"""Names of files that mean a function in each source, in languages whose words are compared."""


def without_comments(text: bytes) -> bytes:
    """A source of Java, C# or C without comments and texts. What is opened and not closed (a
    comment, a text) goes on to the end."""
    return _NOISE.sub(b" ", text)


def used(language: str, texts: Texts) -> set[str]:
    """Those sources of one language that another of them uses."""
    owners = _owners(language, texts)
    return {other for name in texts for other in _used_by(language, owners, name, texts[name])}


def _owners(language: str, texts: Texts) -> dict[bytes, list[str]]:
    """The sources that define each name. (In two projects of one tree two may.)"""
    found: dict[bytes, list[str]] = {}
    for name, text in texts.items():
        for title in titles(language, name, text):
            found.setdefault(title, []).append(name)
    return found


def _used_by(language: str, owners: Mapping[bytes, list[str]], name: str, text: bytes) -> list[str]:
    """What one source uses, in the order in which it is named."""
    found = {other: None for title in _names_of(language)(text) for other in owners.get(title, ())}
    return [other for other in found if other != name]


def in_order(language: str, texts: Texts, main: str) -> list[str]:
    """The sources that `main` uses, also through others, each after those that it uses itself.
    (Two that use each other come in some order.)"""
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
    """The source that shares most folders with the main one, as in a tree of two programs."""

    def shared(name: str) -> int:
        pairs = zip(PurePath(main).parts, PurePath(name).parts, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    return max(names, key=shared)


def titles(language: str, name: str, text: bytes) -> list[bytes]:
    """The names by which other sources call this one."""
    path = PurePath(name)
    if language == "Python":
        parts = [*path.parent.parts, *([] if path.stem == "__init__" else [path.stem])]
        return [os.fsencode(".".join(parts[start:])) for start in range(len(parts))]
    if language == "Clojure":
        found = NAMESPACE.search(text)
        return [found[1]] if found else []
    if language == "OCaml":
        return [os.fsencode(path.stem[:1].upper() + path.stem[1:])]
    if path.stem in _NO_TITLE:
        return []
    if language == "Elixir":
        return ELIXIR_MODULE.findall(text)
    return [os.fsencode(path.stem)]


def _names_of(language: str) -> Callable[[bytes], Iterator[bytes]]:
    """How the names that a source mentions are found."""
    if language == "Python":
        return _imports
    if language in _BY_FILE:
        return _loaded_files
    if language == "Perl":
        return lambda text: (found[1] for found in _PERL_USES.finditer(text))
    if language == "shell":
        return lambda text: _words(b"\n".join(_SHELL_LOADS.findall(text)))
    if language in ("Clojure", "Elixir"):
        pattern = _SYMBOL if language == "Clojure" else _ALIAS
        return lambda text: (found[0] for found in pattern.finditer(text))
    return lambda text: _words(without_comments(text))


def _words(text: bytes) -> Iterator[bytes]:
    return (found[0] for found in _WORD.finditer(text))


def _loaded_files(text: bytes) -> Iterator[bytes]:
    for line in _LOADS.finditer(text):
        for quoted in _QUOTED.finditer(line[0]):
            last = quoted[1].rsplit(b"/", 1)[-1]
            stem, _, ending = last.rpartition(b".")
            yield stem if ending in (b"js", b"mjs", b"cjs", b"ts", b"rb", b"php", b"lua") else last
            yield ending or last  # Lua: require "brain.words"


def _imports(text: bytes) -> Iterator[bytes]:
    """Of Python: ``a``, and ``a.b`` for what may be a module or a name in one."""
    for module, names, plain in (found.groups() for found in _PYTHON_IMPORTS.finditer(text)):
        if module is None:
            yield from _DOTTED.findall(plain)
            continue
        place = module.strip(b".")
        if place:
            yield place
        for name in _WORD.findall(names):
            yield place + b"." + name if place else name
