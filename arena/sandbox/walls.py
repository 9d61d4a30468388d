"""What is asked of the keeper for a bot at each level: the order without its pipes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from arena.limits import Limits
from arena.sandbox import bubblewrap
from arena.sandbox.levels import Level
from arena.sandbox.seccomp import FILE_LOCKS

PASSED_ON = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "JAVA_HOME")
"""The environment variables that a bot gets. Whatever else the caller has (keys, tokens) is
nothing to it."""
PASSED_IN = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""Those that get into a sandbox."""
NO_WALLS: dict[str, Any] = {"level": Level.OFF.value}
Tools = Sequence[Path]
"""Files and folders outside the system's own that a program is shown."""


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
    tools = bubblewrap.toolchain(argv[0]) if _is_trusted(argv[0], placed) else []
    walls: dict[str, Any] = {"level": level.value, "limits": msgspec.structs.asdict(limits)}
    if level is Level.GUARD:
        folder = str(placed.folder)
        walls |= {"read": _readable([*tools, *placed.parts]), "write": [folder, *_devices()]}
        return {"argv": argv, "cwd": folder, "env": inside(limits, tools, folder), "walls": walls}
    assert etc is not None  # whoever chose the level has made it
    links = [*placed.files.iterdir()] if placed.files else []
    walls["wall"] = bubblewrap.wall(placed.parts, links, limits, etc=etc, tools=tools)
    env = inside(limits, tools, bubblewrap.HOME)
    return {"argv": argv, "cwd": "/", "env": env, "walls": walls}


def build_order(
    argv: Sequence[str],
    draft: Path,
    home: Path,
    level: Level,
    limits: Limits,
    shown: Tools,
    etc: Path | None,
) -> dict[str, Any]:
    """As `order`, for a command of a build, in the folder ``files`` of `draft`, where it may write.
    `home` is its folder for other files at the guard, which has no ``/tmp`` of its own; `shown` is
    what it sees besides the system. (Not for `Level.OFF`.)"""
    walls: dict[str, Any] = {"level": level.value, "limits": msgspec.structs.asdict(limits)}
    walls["allow"] = FILE_LOCKS
    files = str(draft / "files")
    if level is Level.GUARD:
        walls |= {"read": _readable(shown), "write": [str(draft), str(home), *_devices()]}
        env = _building(inside(limits, shown, str(home)))
        return {"argv": argv, "cwd": files, "env": env, "walls": walls}
    assert etc is not None
    walls["wall"] = bubblewrap.wall(
        (), (), limits, etc=etc, tools=shown, workplace=draft, start=files
    )
    env = _building(inside(limits, shown, bubblewrap.HOME))
    return {"argv": argv, "cwd": "/", "env": env, "walls": walls}


def _devices() -> list[str]:
    return [f"/dev/{name}" for name in (*bubblewrap.DEVICES, "random")]


def _building(environment: dict[str, str]) -> dict[str, str]:
    """For compilers: where rustup's are, that there is no network to fetch anything from, and
    that a process limit is no measure of the machine's many cores."""
    return environment | {
        "RUSTUP_HOME": str(bubblewrap.rustup_home()),
        "CARGO_NET_OFFLINE": "true",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "GOMAXPROCS": "4",
    }


def _is_trusted(program: str, placed: Placed) -> bool:
    """Whether the user, not the bot, says where the program lives. Else the bot could have shown
    to it whatever folder it names, or sets a link to: ``run = "/home/me/private/bin/tool"``."""
    if placed.files is None:
        return Path(program) not in placed.parts
    return program == sys.executable or os.path.dirname(program) in os.get_exec_path()


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


def _readable(shown: Tools) -> list[str]:
    """What the guard lets a program read and execute. (All of ``/proc``: what concerns other
    processes in it Landlock keeps shut, but for their names and numbers.)"""
    system = [place for place in bubblewrap.SYSTEM if os.path.isdir(place)]
    return [*system, *map(str, bubblewrap.of_etc()), "/proc", *map(str, shown)]


def outside(limits: Limits) -> dict[str, str]:
    """The environment of a bot without walls."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return passed | _java(limits)


def inside(limits: Limits, tools: Tools, home: str) -> dict[str, str]:
    """The environment of a program behind walls."""
    passed = {name: os.environ[name] for name in PASSED_IN if name in os.environ}
    folders = [place if place.name == "bin" else place / "bin" for place in tools]
    own = [str(folder) for folder in folders if folder.is_dir()]
    path = ":".join([*dict.fromkeys(own), bubblewrap.PATH])
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
