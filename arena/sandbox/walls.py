"""What is asked of the keeper for a bot at each level: the order without its pipes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from arena.limits import Limits
from arena.sandbox import bubblewrap
from arena.sandbox.levels import Level

PASSED_ON = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "JAVA_HOME")
"""The environment variables that a bot gets. Whatever else the caller has (keys, tokens) is
nothing to it."""
PASSED_IN = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""Those that get into a sandbox."""
NO_WALLS: dict[str, Any] = {"level": Level.OFF.value}


class Placed(Struct, frozen=True):
    """A program to start and where: `folder` is its private folder outside a sandbox, `cwd` where
    it wants to run instead; `parts` are the files that it consists of, `files` the folder of which
    it finds links in its private folder."""

    argv: Sequence[str]
    parts: Sequence[Path]
    folder: Path
    cwd: Path | None = None
    files: Path | None = None


def order(placed: Placed, level: Level, limits: Limits, etc: Path | None = None) -> dict[str, Any]:
    """The arguments of `Children.spawn` but the name. `etc` is what the keeper has for sandboxes.

    Raises OSError for a wall that cannot be.
    """
    if level is Level.OFF:
        cwd = str(placed.cwd or placed.folder)
        return {"argv": placed.argv, "cwd": cwd, "env": outside(limits), "walls": NO_WALLS}
    argv = _absolute(placed)
    walls: dict[str, Any] = {"level": level.value, "limits": msgspec.structs.asdict(limits)}
    if level is Level.GUARD:
        folder = str(placed.folder)
        devices = [f"/dev/{name}" for name in bubblewrap.DEVICES]
        walls |= {"read": _readable(argv[0], placed.parts), "write": [folder, *devices]}
        return {"argv": argv, "cwd": folder, "env": inside(limits, argv[0], folder), "walls": walls}
    links = [*placed.files.iterdir()] if placed.files else []
    walls["wall"] = bubblewrap.wall(placed.parts, argv[0], links, limits, etc)
    env = inside(limits, argv[0], bubblewrap.HOME)
    return {"argv": argv, "cwd": "/", "env": env, "walls": walls}


def _absolute(placed: Placed) -> list[str]:
    """The command with the bot's own files by their full paths: behind walls it does not run in
    the folder from which the caller named them."""
    place = placed.files or placed.cwd or placed.folder
    paths = [os.path.normpath(place / word) if word else "" for word in placed.argv]
    parts = set(map(str, placed.parts))
    return [
        path if path in parts or (word.startswith("./") and os.path.exists(path)) else word
        for word, path in zip(placed.argv, paths, strict=True)
    ]


def _readable(program: str, parts: Iterable[Path]) -> list[str]:
    """What the guard lets a program read and execute. (All of ``/proc``: what concerns other
    processes in it Landlock keeps shut, but for their names and numbers.)"""
    etc = [str(path) for pattern in bubblewrap.ETC for path in Path("/etc").glob(pattern)]
    system = [place for place in bubblewrap.SYSTEM if os.path.isdir(place)]
    own = [str(path) for path in (*bubblewrap.toolchain(program), *parts)]
    return [*system, *etc, "/proc", *own]


def outside(limits: Limits) -> dict[str, str]:
    """The environment of a bot without walls."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return passed | _java(limits)


def inside(limits: Limits, program: str, home: str) -> dict[str, str]:
    """The environment of a bot behind walls."""
    passed = {name: os.environ[name] for name in PASSED_IN if name in os.environ}
    own = [str(place / "bin") for place in bubblewrap.toolchain(program) if place.is_dir()]
    path = ":".join([*own, bubblewrap.PATH])
    return passed | {"PATH": path, "HOME": home, "TMPDIR": home, "USER": "bot"} | _java(limits)


def _java(limits: Limits) -> dict[str, str]:
    """What Java must be told, alike at all levels. (The bot's own options win.)

    Its heap: it would take a quarter of the machine, or half of what its control group allows.
    And no file of performance counters: where it cannot lock that, it says so on stdout, among the
    answers.
    """
    options = ["-XX:-UsePerfData"]
    if limits.memory is not None:
        options.append(f"-Xmx{limits.memory * 3 // 4 >> 20}m")
    return {"JDK_JAVA_OPTIONS": " ".join(options)}
