"""Where a program is placed: what it may see, with what environment and behind which walls it
runs. The result is a `SpawnRequest`: of a bot (`bot_request`), or of a command of a build
(`build_request`)."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from arena.core.limits import Limits
from arena.sandbox import bubblewrap, installations
from arena.sandbox.keeper import tempdirs
from arena.sandbox.keeper.messages import (
    GroupLimits,
    ProcessLimits,
    Sandbox,
    SelfWalls,
    SpawnRequest,
)
from arena.sandbox.keeper.seccomp import FILE_LOCKS, KINDS
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.levels import Level

PASSED_ON = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "JAVA_HOME")
"""The environment variables that a bot gets, and none else (keys, tokens)."""
_UNCHANGED = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Root can write where nobody is to write: Python would, and the league would find the bot changed.
(PYTHONPYCACHEPREFIX would compile the standard library anew at each start, too.)"""
PASSED_IN = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""Those that get behind walls."""


NEAR = 2
"""Folders between those of one command line at most, for it to find one file from another."""


class Program(Struct, frozen=True):
    """A program to place."""

    argv: Sequence[str]
    parts: Sequence[Path]
    """The files that it consists of."""
    folder: Path
    """Its private folder outside a sandbox."""
    cwd: Path | None = None
    """Where it wants to run instead, at `Level.OFF`."""
    files: Path | None = None
    """The folder of a bot that is one: the program finds links to all in it where it runs."""
    kept: bool = False
    """Whether its private folder is its home in a sandbox, too: what it writes can be kept."""


class BuildCommand(Struct, frozen=True):
    """A command of a build. It runs in the folder ``files`` of its workplace."""

    argv: Sequence[str]
    workplace: Path
    """The folder in which it may write."""
    home: Path
    """A folder of its own beside that: for other files at the guard, which has no ``/tmp`` of its
    own, and for an ``/etc`` of its own in a sandbox."""
    shown: Sequence[Path]
    """What it sees besides the system: toolchains."""
    has_user: bool = False
    """Whether there is a list of users for it. (``unar`` ends without one, whatever is in it.)"""


def bot_request(
    program: Program, level: Level, limits: Limits, keeper: KeeperProcess
) -> SpawnRequest:
    """The request to start a bot's program behind the walls of a level, for this keeper.

    Raises OSError for a wall that cannot be.
    """
    if level is Level.OFF:
        cwd = program.cwd or program.folder
        argv, told = _told(tuple(program.argv), limits)
        return SpawnRequest(argv, str(cwd), _outside(program.parts) | told)
    argv = _absolute(program)
    tools = _tools(argv[0], program)
    argv, told = _told(argv, limits)
    if level is Level.GUARD:
        folder = str(program.folder)
        walls = _guard(limits, [*tools, *program.parts], [folder])
        return SpawnRequest(argv, folder, _inside(tools, folder) | told, walls)
    places = places_inside(program.argv, program.parts)
    links = [*program.files.iterdir()] if program.files and not program.kept else []
    options = bubblewrap.options(
        places,
        [moved(str(link), places) for link in links],
        limits,
        etc=shared_etc(keeper),
        tools=tools,
        home=program.folder if program.kept else None,
    )
    argv = tuple(moved(word, places) for word in argv)
    env = _inside(tools, bubblewrap.HOME) | told
    return SpawnRequest(argv, "/", env, _sandbox(level, limits, options))


def build_request(
    command: BuildCommand, level: Level, limits: Limits, keeper: KeeperProcess
) -> SpawnRequest:
    """The request to start a command of a build, likewise. (Not for `Level.OFF`.)"""
    argv, shown, place = tuple(command.argv), command.shown, command.workplace
    if level is Level.GUARD:
        shown = (*shown, *([bubblewrap.USERS] if command.has_user else ()))
        walls = _guard(limits, shown, [str(place), str(command.home)], FILE_LOCKS)
        env = _inside(shown, str(command.home)) | _for_java(limits)
        return SpawnRequest(argv, str(place / "files"), _for_compilers(env), walls)
    etc = bubblewrap.etc_with_user(command.home) if command.has_user else shared_etc(keeper)
    options = bubblewrap.options({}, (), limits, etc=etc, tools=shown, workplace=place)
    argv = tuple(moved(word, {place: bubblewrap.BUILD}) for word in argv)
    env = _inside(shown, bubblewrap.HOME) | _for_java(limits)
    sandbox = _sandbox(level, limits, options, FILE_LOCKS)
    return SpawnRequest(argv, "/", _for_compilers(env), sandbox)


def shared_etc(keeper: KeeperProcess) -> Path:
    """What all sandboxes of a keeper show as ``/etc``; made for the first of them."""
    if keeper.etc is None:
        folder = Path(tempfile.mkdtemp(prefix=tempdirs.prefix()))
        try:
            bubblewrap.copy_etc(folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        keeper.etc = folder
    return keeper.etc


# -- walls -----------------------------------------------------------------------------------------


def _guard(
    limits: Limits, shown: Sequence[Path], write: Sequence[str], allow: Sequence[str] = ()
) -> SelfWalls:
    devices = (f"/dev/{name}" for name in (*bubblewrap.DEVICES, "random"))
    return SelfWalls(_of_process(limits), tuple(allow), _readable(shown), (*write, *devices))


def _sandbox(
    level: Level, limits: Limits, options: Sequence[str], allow: Sequence[str] = ()
) -> Sandbox:
    group = GroupLimits(limits.memory, limits.processes) if level is Level.CGROUP else None
    allowed = (*(KINDS[2] if group else KINDS[1]), *allow)
    command = tuple(bubblewrap.command(limits))
    return Sandbox(_of_process(limits), allowed, command, group, tuple(options))


def _of_process(limits: Limits) -> ProcessLimits:
    return ProcessLimits(limits.files, limits.file_size, limits.processes)


def _readable(shown: Sequence[Path]) -> tuple[str, ...]:
    """What the guard lets a program read and execute. (All of ``/proc``: what concerns other
    processes in it Landlock keeps shut, but for their names and numbers.)"""
    system = [place for place in installations.SYSTEM if os.path.isdir(place)]
    more = [*bubblewrap.of_etc(), *installations.linked(), *shown]
    return (*system, "/proc", *map(str, more))


# -- the program -----------------------------------------------------------------------------------


def _tools(path: str, program: Program) -> list[Path]:
    """The installations that run a program: that of the file itself, and, of a script, that of its
    interpreter. Raises OSError when one of them cannot be shown."""
    scripts = installations.interpreter_of(path)
    tools = _installation(path, program)
    if scripts is not None and os.path.isabs(scripts):
        tools += _installation(scripts, program)
    for needed in filter(None, (path, scripts)):
        _check_shown(needed, [*tools, *program.parts])
    return list(dict.fromkeys(tools))


def _installation(path: str, program: Program) -> list[Path]:
    if _is_trusted(path, program):
        return installations.toolchain(path)
    return installations.chosen_toolchain(path)


def _is_trusted(path: str, program: Program) -> bool:
    """Whether the user, not the bot, says where the program lives. Else the bot could have shown
    to it whatever folder it names, or sets a link to: ``run = "/home/me/private/bin/tool"``."""
    return program.files is None and path == program.argv[0] and Path(path) not in program.parts


def _check_shown(path: str, shown: Sequence[Path]) -> None:
    """Raise OSError when a file that is there outside is not there behind the walls."""
    for step in installations.way(path) if os.path.isabs(path) and os.path.exists(path) else ():
        if Path(step) in shown:
            return  # shown by itself, which a link is with what it leads to
        if not installations.in_system(step) and not any(map(Path(step).is_relative_to, shown)):
            raise OSError(
                f"{step} is not shown behind walls: what runs a bot must be installed in the"
                " system, in PATH or by a version manager, or lie in the folder of the bot"
            )


def _absolute(program: Program) -> tuple[str, ...]:
    """The command with the bot's own files by their full paths: behind walls it does not run in
    the folder from which the caller named them."""
    place = program.files or program.cwd or program.folder
    paths = [os.path.normpath(place / word) if word else "" for word in program.argv]
    parts = set(map(str, program.parts))
    return tuple(
        path if path in parts or (word.startswith("./") and os.path.exists(path)) else word
        for word, path in zip(program.argv, paths, strict=True)
    )


def places_inside(argv: Sequence[str], parts: Sequence[Path]) -> dict[Path, str]:
    """Where a sandbox shows the files of a bot: beneath `bubblewrap.BOT`, near ones as they lie to
    each other, others each in a folder of its own. So a bot sees nothing of the folders that they
    are in outside.

    A script stays where it is if the interpreter that it names is one of these files."""
    shown = [part for part in parts if not installations.in_system(str(part))]
    interpreter = installations.interpreter_of(argv[0])
    if interpreter and any(map(Path(interpreter).is_relative_to, shown)):
        return {part: str(part) for part in shown}
    own = [part for part in shown if not any(one in part.parents for one in shown)]
    tops = _tops(own)
    names = {top: f"{bubblewrap.BOT}{number or ''}" for number, top in enumerate(tops)}
    return {
        part: os.path.normpath(f"{names[top]}/{part.relative_to(top)}")
        for part in own
        for top in tops
        if part.is_relative_to(top)
    }


def _tops(own: Sequence[Path]) -> list[Path]:
    """The folders that become folders of a sandbox: the one that all is near, if there is one."""
    folders = dict.fromkeys(part if part.is_dir() else part.parent for part in own)
    tops = [one for one in folders if not any(other in one.parents for other in folders)]
    above = Path(os.path.commonpath(tops)) if tops else Path("/")
    is_near = all(len(top.relative_to(above).parts) <= NEAR for top in tops)
    return [above] if is_near else tops


def moved(word: str, places: Mapping[Path, str]) -> str:
    """A word of a command with the places inside for the paths outside that are in it."""
    if not places:
        return word
    longest_first = sorted(map(str, places), key=len, reverse=True)
    paths = "|".join(map(re.escape, longest_first))
    found = rf"(?<![\w./~-])(?:{paths})(?=/|:|$)"
    return re.sub(found, lambda match: places[Path(match[0])], word)


# -- the environment -------------------------------------------------------------------------------


def _outside(parts: Sequence[Path]) -> dict[str, str]:
    """The environment of a bot without walls, which consists of these files."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return passed | (_UNCHANGED if any(map(_is_kept, parts)) else {})


def _is_kept(part: Path) -> bool:
    """Whether nobody is to write in it, as in the copies that leagues keep."""
    return not part.lstat().st_mode & 0o222


def _inside(tools: Sequence[Path], home: str) -> dict[str, str]:
    """The environment of a program behind walls. `tools` are the folders of the programs that run
    it."""
    passed = {name: os.environ[name] for name in PASSED_IN if name in os.environ}
    folders = [place if place.name == "bin" else place / "bin" for place in tools]
    own = [str(folder) for folder in folders if folder.is_dir()]
    path = ":".join([*dict.fromkeys(own), bubblewrap.PATH])
    return passed | {"PATH": path, "HOME": home, "TMPDIR": home, "USER": "bot"}


def _told(argv: tuple[str, ...], limits: Limits) -> tuple[tuple[str, ...], dict[str, str]]:
    """The command of a bot, and what its environment has besides, so that Java keeps the limits.
    The command line says it where it can: of the variable Java tells on stderr, each time."""
    if os.path.basename(argv[0]) != "java":
        return argv, _for_java(limits)
    return (argv[0], *_java_options(limits), *argv[1:]), {}


def _for_java(limits: Limits) -> dict[str, str]:
    return {"JDK_JAVA_OPTIONS": " ".join(_java_options(limits))}


def _java_options(limits: Limits) -> list[str]:
    """What Java must be told, alike at all levels. (The bot's own options win.)

    Its heap: it would take a quarter of the machine, or half of what its control group allows.
    And no file of performance counters: where it cannot lock that, it says so on stdout, among the
    answers.
    """
    options = ["-XX:-UsePerfData"]
    if limits.memory is not None:
        options.append(f"-Xmx{limits.memory * 3 // 4 >> 20}m")
    return options


def _for_compilers(environment: dict[str, str]) -> dict[str, str]:
    """With what compilers must be told: where rustup's are, that there is no network to fetch
    anything from, and that a process limit is no measure of the machine's many cores."""
    return environment | {
        "RUSTUP_HOME": str(installations.rustup_home()),
        "CARGO_NET_OFFLINE": "true",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "GOMAXPROCS": "4",
    }
