"""Suggestions for folders without a ``bot.toml``, for files in unknown languages, and for bots that
miss files beside them: usually a ``bot.toml`` that would work, written for the files found."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from arena.bots.archives.signatures import NAMES
from arena.bots.languages import ENDINGS, language_of
from arena.text import joined, nearest, printable

BEGINNINGS = ("mybot", "my_bot", "bot", "main", "player")
"""Stems of main files, most likely first."""


class BuildSuggestion(Struct, frozen=True):
    """How sources of one kind are built and run. `{file}` and `{stem}` refer to the main file,
    `{name}` is the folder's name."""

    run: str
    build: str = ""


SUGGESTIONS: dict[tuple[str, ...], BuildSuggestion] = {
    (".swift",): BuildSuggestion("./bot", "swiftc -O -o bot {file}"),
    (".zig",): BuildSuggestion("./bot", "zig build-exe -O ReleaseFast --name bot {file}"),
    (".dart",): BuildSuggestion("dart run {file}"),
    (".jl",): BuildSuggestion("julia {file}"),
    (".class",): BuildSuggestion("java -cp . {stem}"),
    (".pyz", ".pyc"): BuildSuggestion("python3 {file}"),
    (".exe",): BuildSuggestion("mono {file}"),
}
"""Suggestions by endings of sources that are not in the table of languages."""

PROJECTS: tuple[tuple[str, BuildSuggestion], ...] = (
    ("Cargo.toml", BuildSuggestion("./target/release/{name}", "cargo build --release --offline")),
    ("go.mod", BuildSuggestion("./bot", "go build -o bot .")),
    (
        "*.csproj",
        BuildSuggestion("dotnet out/{stem}.dll", "dotnet publish -c Release -o out {file}"),
    ),
    ("pom.xml", BuildSuggestion("java -jar target/{name}.jar", "mvn -q -o package")),
    ("build.gradle*", BuildSuggestion("java -jar build/libs/{name}.jar", "gradle --offline jar")),
    (
        "*.cabal",
        BuildSuggestion("./bot", "cabal install --offline --installdir=."),
    ),
    (
        "CMakeLists.txt",
        BuildSuggestion("./bot", "sh -c 'cmake -B out && cmake --build out'"),
    ),
    ("[Mm]akefile", BuildSuggestion("./bot", "make")),
)
"""Suggestions by the file that describes a whole project."""
OR_INSTEAD = '# or, instead of main:  build = "make"  and  run = "./bot"'
ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")

DATA_ENDINGS = (
    ".json",
    ".jsonl",
    ".toml",
    ".yaml",
    ".yml",
    ".xml",
    ".csv",
    ".html",
    ".epd",
    ".pgn",
)
"""Files that no program is in, although their endings may resemble one, as ``.json`` does."""


def for_folder(folder: Path) -> str:
    """A ``bot.toml`` for a folder, as indented lines, or general advice on its contents."""
    name = printable(folder.name)
    for pattern, recipe in PROJECTS:
        for path in sorted(folder.glob(pattern)):
            return _toml(name, recipe, path)
    main = _main_of(folder)
    if main is not None and (own := _recipe(main)) is not None:
        return _toml(name, own, main)
    said = printable(main.name) if main is not None else "Bot.java"
    return _lines(name, [("main", said)], [OR_INSTEAD])


def unknown(path: Path) -> str:
    """Advice for a file of an unknown kind."""
    shown = printable(path.name)
    if not path.stat().st_size:
        return f"{shown} is empty: write the bot into it (arena new makes a first one)"
    if path.suffix.lower() in DATA_ENDINGS:
        return f"{shown} is no program: name the program, or the folder that has both"
    other = f"add a #! line and chmod +x {shown}, or quote a whole command"
    return f"{shown} is neither a program nor in a known language: {rename(path, other)}"


def rename(path: Path, other: str) -> str:
    """Advice on the ending that a source should have, or on another way to run it."""
    stem = printable(path.stem)
    if path.suffix and (near := nearest(path.suffix, ENDINGS)) is not None:
        return f"did you mean {stem}{near}?"
    known = f"{stem}.py, {stem}.js; arena guide author lists them"
    return f"give it the ending of its language ({known}), {other}"


def for_file(path: Path) -> str | None:
    """Advice for a file in a language without a table entry; None if there is no advice."""
    shown = printable(path.name)
    if path.suffix.lower() in ARCHIVES:
        known = ", ".join(NAMES)
        return f"{shown} is not an archive that this machine can unpack: pack the bot as {known}"
    recipe = _recipe(path)
    if recipe is None:
        return None
    offer = _toml(printable(path.stem), recipe, path)
    todo = "put it into a folder, name that, and write there"
    return f"{shown} needs a folder with a bot.toml: {todo}\n{offer}"


def _recipe(path: Path) -> BuildSuggestion | None:
    found = (one for endings, one in SUGGESTIONS.items() if path.suffix in endings)
    return next(found, None)


def _main_of(folder: Path) -> Path | None:
    """The most likely main file."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name[0] != ".")
    known = [path for path in files if language_of(path)] or [p for p in files if _recipe(p)]
    return min(known, key=lambda path: _likelihood(path, folder), default=None)


def _likelihood(path: Path, folder: Path) -> tuple[int, str]:
    names: Sequence[str] = (folder.name.lower(), *BEGINNINGS)
    stem = path.stem.lower()
    return (names.index(stem) if stem in names else len(names), path.name)


def _toml(name: str, recipe: BuildSuggestion, file: Path) -> str:
    given = {"file": file.name, "stem": file.stem, "name": name}
    words = {key: shlex.quote(printable(text)) for key, text in given.items()}
    keys = [("build", recipe.build), ("run", recipe.run)]
    return _lines(name, [(key, text.format(**words)) for key, text in keys if text])


def _lines(name: str, keys: Sequence[tuple[str, str]], more: Sequence[str] = ()) -> str:
    said = [
        f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in [("name", name), *keys]
    ]
    return "\n".join(f"    {line}" for line in [*said, *more])


# Files beside a single-file bot that the bot misses.
#
# A single-file bot is built and started alone: it runs in an empty folder, and behind walls the
# files beside it are not visible at all, since they may be a rival's. If its compiler or the bot
# itself misses one of them, the author is told which, and how a folder with a ``bot.toml`` includes
# it.

MAX_NEIGHBOURS = 10_000
"""Maximum number of neighbouring files that are checked."""
MAX_OUTPUT = 64 << 10
"""Maximum characters of output that are searched."""

_MISSES = re.compile(
    r"no such file|not found|no module named|cannot (?:find|open|load)|can't (?:open|locate|find)"
    r"|could ?n[o']t (?:open|read|find)|failed (?:to )?open|enoent|symbol: +class",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w.-]++")


def not_taken(source: Path, said: str) -> str:
    """A sentence about the files beside `source` that its compiler missed, judging by its output
    `said`; empty if there are none."""
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
    """The names of files beside `files` that `said` reports as missing."""
    lines = [line for line in said[:MAX_OUTPUT].splitlines() if _MISSES.search(line)]
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
            return [entry.name for entry in islice(entries, MAX_NEIGHBOURS)]
    except OSError:
        return []


def _sentence(name: str, missed: list[str], line: str) -> str:
    if not missed:
        return ""
    them = joined(map(printable, missed[:3]))
    lie = "lies" if len(missed) == 1 else "lie"
    return (
        f"{them} {lie} beside {printable(name)}, but a single file travels alone: put all of these"
        f" files into a folder of their own, with a bot.toml that says {printable(line)}\n"
    )
