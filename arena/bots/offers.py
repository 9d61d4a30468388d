"""What a user is offered for a folder without a ``bot.toml``, and for a file in a language that has
no entry of its own: the ``bot.toml`` that would do, written for what lies there."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from arena.bots.archives.signatures import NAMES
from arena.bots.languages import ENDINGS, language_of
from arena.text import nearest, printable

BEGINNINGS = ("mybot", "my_bot", "bot", "main", "player")
"""Names that a main file has, likeliest first."""


class Recipe(Struct, frozen=True):
    """How the sources of one kind are built and run. `{file}` and `{stem}` are those of the main
    file, `{name}` is the folder's."""

    run: str
    build: str = ""


LANGUAGES: dict[tuple[str, ...], Recipe] = {
    (".swift",): Recipe("./bot", "swiftc -O -o bot {file}"),
    (".zig",): Recipe("./bot", "zig build-exe -O ReleaseFast --name bot {file}"),
    (".dart",): Recipe("dart run {file}"),
    (".jl",): Recipe("julia {file}"),
    (".class",): Recipe("java -cp . {stem}"),
    (".pyz", ".pyc"): Recipe("python3 {file}"),
    (".exe",): Recipe("mono {file}"),
}
"""By the endings of sources that have no entry in the table of languages."""

PROJECTS: tuple[tuple[str, Recipe], ...] = (
    ("Cargo.toml", Recipe("./target/release/{name}", "cargo build --release --offline")),
    ("go.mod", Recipe("./bot", "go build -o bot .")),
    ("*.csproj", Recipe("dotnet out/{stem}.dll", "dotnet publish -c Release -o out {file}")),
    ("pom.xml", Recipe("java -jar target/{name}.jar", "mvn -q -o package")),
    ("build.gradle*", Recipe("java -jar build/libs/{name}.jar", "gradle --offline jar")),
    (
        "*.cabal",
        Recipe("./bot", "cabal install --offline --installdir=."),
    ),
    (
        "CMakeLists.txt",
        Recipe("./bot", "sh -c 'cmake -B out && cmake --build out'"),
    ),
    ("[Mm]akefile", Recipe("./bot", "make")),
)
"""By the file that describes a whole project."""
OR_INSTEAD = '# or, instead of main:  build = "make"  and  run = "./bot"'
ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")


def for_folder(folder: Path) -> str:
    """The ``bot.toml`` for a folder, as indented lines, or what it should say in general."""
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
    """What to do with a file of which nothing is known."""
    shown = printable(path.name)
    other = f"add a #! line and chmod +x {shown}, or quote a whole command"
    return f"{shown} is neither a program nor in a language known here: {rename(path, other)}"


def rename(path: Path, other: str) -> str:
    """Which ending a source should have instead of its own, or what other way there is."""
    stem = printable(path.stem)
    if path.suffix and (near := nearest(path.suffix, ENDINGS)) is not None:
        return f"did you mean {stem}{near}?"
    known = f"{stem}.py, {stem}.js; arena guide author lists them"
    return f"give it the ending of its language ({known}), {other}"


def for_file(path: Path) -> str | None:
    """What to do with a file that is in no language known here; None where nothing is known."""
    shown = printable(path.name)
    if path.suffix.lower() in ARCHIVES:
        known = ", ".join(NAMES)
        return f"{shown} is no archive that can be unpacked here: pack the bot as {known}"
    recipe = _recipe(path)
    if recipe is None:
        return None
    offer = _toml(printable(path.stem), recipe, path)
    todo = "put it into one, name that, and write there"
    return f"{shown} needs a folder with a bot.toml: {todo}\n{offer}"


def _recipe(path: Path) -> Recipe | None:
    found = (one for endings, one in LANGUAGES.items() if path.suffix in endings)
    return next(found, None)


def _main_of(folder: Path) -> Path | None:
    """The file that is probably the main one."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name[0] != ".")
    known = [path for path in files if language_of(path)] or [p for p in files if _recipe(p)]
    return min(known, key=lambda path: _likelihood(path, folder), default=None)


def _likelihood(path: Path, folder: Path) -> tuple[int, str]:
    names: Sequence[str] = (folder.name.lower(), *BEGINNINGS)
    stem = path.stem.lower()
    return (names.index(stem) if stem in names else len(names), path.name)


def _toml(name: str, recipe: Recipe, file: Path) -> str:
    given = {"file": file.name, "stem": file.stem, "name": name}
    words = {key: shlex.quote(printable(text)) for key, text in given.items()}
    keys = [("build", recipe.build), ("run", recipe.run)]
    return _lines(name, [(key, text.format(**words)) for key, text in keys if text])


def _lines(name: str, keys: Sequence[tuple[str, str]], more: Sequence[str] = ()) -> str:
    said = [
        f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in [("name", name), *keys]
    ]
    return "\n".join(f"    {line}" for line in [*said, *more])
