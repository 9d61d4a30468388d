"""Build the `SpawnRequest` of a program: what it may see, its environment and its walls.

`bot_request` does this for a bot, `build_request` for a command of a build.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from arena.core.limits import Limits
from arena.sandbox import bubblewrap, environment, installations
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

_UNCHANGED = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Extra environment for write-protected bots. Root can write to them anyway: Python would, and the
league would find the bot changed. (PYTHONPYCACHEPREFIX would also recompile the standard library at
each start.)"""
MOST_REQUESTS = 256
"""Requests that one keeper has ready. A request for a large folder takes some 10 KiB."""
NEAR = 2
"""Maximum depth of a command's folders below a common one for them to keep their relative paths."""


class Program(Struct, frozen=True):
    """A program to place."""

    argv: Sequence[str]
    parts: Sequence[Path]
    """The program's own files."""
    folder: Path
    """The program's private folder outside a sandbox."""
    cwd: Path | None = None
    """Working directory at `Level.OFF`, if not `folder`."""
    files: Path | None = None
    """The folder of a bot that is a folder: its entries are linked into the working directory."""
    written: str = ""
    """The name of a file that the arena has written into the private folder; an entry of `files` of
    that name is not linked."""
    kept: bool = False
    """Whether the private folder is also the home in a sandbox, so that written files are kept."""


class BuildCommand(Struct, frozen=True):
    """A command of a build, run in the folder ``files`` of its workplace."""

    argv: Sequence[str]
    workplace: Path
    """The folder that the command may write to."""
    home: Path
    """A private folder outside the workplace: for temporary files at the guard, which has no
    private ``/tmp``, and for a private ``/etc`` in a sandbox."""
    shown: Sequence[Path]
    """The toolchains that the command sees besides the system."""
    has_user: bool = False
    """Whether the command sees a list of users. (``unar`` fails without one, whatever it lists.)"""


def bot_request(
    program: Program, level: Level, limits: Limits, keeper: KeeperProcess
) -> SpawnRequest:
    """The request to start a bot's program behind the walls of a level, for this keeper.

    One for a sandbox takes a millisecond. So it is made once for all matches, as long as the bot's
    files are as they were. (Its private folder is not part of it, unless written files are kept, or
    it reads one there.) Raises OSError for an impossible wall.
    """
    if level not in (Level.SANDBOX, Level.CGROUP) or program.kept or program.written:
        return _bot_request(program, level, limits, keeper)
    named = tuple(program.argv), tuple(program.parts), program.cwd, program.files
    key = named, level, limits, os.environ.get("PATH"), _seen(program)
    if key not in keeper.requests:
        request = _bot_request(program, level, limits, keeper)
        if len(keeper.requests) == MOST_REQUESTS:
            keeper.requests.clear()
        keeper.requests[key] = request
    return keeper.requests[key]


def _seen(program: Program) -> tuple[object, ...]:
    """What tells whether the files of a bot, or its command, have changed. (A folder changes with
    the names in it; only those at the top are part of a request.)"""
    found: list[object] = []
    for path in (*program.parts, program.files or "", program.argv[0]):
        try:
            status = os.lstat(path)
        except OSError:
            found.append(None)
        else:
            found.append((status.st_dev, status.st_ino, status.st_ctime_ns, status.st_size))
    return tuple(found)


def _bot_request(
    program: Program, level: Level, limits: Limits, keeper: KeeperProcess
) -> SpawnRequest:
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
    entries = program.files.iterdir() if program.files and not program.kept else ()
    links = [entry for entry in entries if entry.name != program.written]
    options = bubblewrap.options(
        places,
        [moved(str(link), places) for link in links],
        limits,
        etc=shared_etc(keeper),
        tools=tools,
        home=program.folder if program.kept else None,
        given=program.folder / program.written if program.written and not program.kept else None,
    )
    argv = tuple(moved(word, places) for word in argv)
    env = _inside(tools, bubblewrap.HOME) | told
    return SpawnRequest(argv, "/", env, _sandbox(level, limits, options))


def build_request(
    command: BuildCommand, level: Level, limits: Limits, keeper: KeeperProcess
) -> SpawnRequest:
    """The request to start a command of a build, like `bot_request`. (Not for `Level.OFF`.)"""
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
    """The ``/etc`` that all sandboxes of a keeper share, made on first use."""
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
    return Sandbox(
        limits=_of_process(limits),
        allow=allowed,
        command=command,
        group=group,
        options=tuple(options),
        memory=limits.memory,
    )


def _of_process(limits: Limits) -> ProcessLimits:
    return ProcessLimits(limits.files, limits.file_size, limits.processes)


def _readable(shown: Sequence[Path]) -> tuple[str, ...]:
    """The paths that the guard lets a program read and execute. (All of ``/proc``: Landlock hides
    the data of other processes there, except their names and pids.)"""
    system = [place for place in installations.SYSTEM if os.path.isdir(place)]
    more = [*bubblewrap.of_etc(), *installations.linked(), *shown]
    return (*system, "/proc", *map(str, more))


# -- the program -----------------------------------------------------------------------------------


def _tools(path: str, program: Program) -> list[Path]:
    """The installations that run a program: of the file itself and of a script's interpreter.
    Raises OSError when one of them cannot be shown."""
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
    """Whether the user, not the bot, chose the program's path. A bot that chose it could see any
    folder that it names or links to: ``run = "/home/me/private/bin/tool"``."""
    return program.files is None and path == program.argv[0] and Path(path) not in program.parts


def _check_shown(path: str, shown: Sequence[Path]) -> None:
    """Raise OSError when a file that exists outside does not exist behind the walls."""
    for step in installations.way(path) if os.path.isabs(path) and os.path.exists(path) else ():
        if Path(step) in shown:
            return  # shown itself; a shown link brings its target
        if not installations.in_system(step) and not any(map(Path(step).is_relative_to, shown)):
            raise OSError(
                f"{step} is not visible behind walls: what runs a bot must be installed in the"
                " system, in PATH or by a version manager, or be in the folder of the bot"
            )


def _absolute(program: Program) -> tuple[str, ...]:
    """The command with full paths of the bot's own files: behind walls it does not run in the
    folder that the caller's paths are relative to."""
    place = program.files or program.cwd or program.folder
    paths = [os.path.normpath(place / word) if word else "" for word in program.argv]
    parts = set(map(str, program.parts))
    return tuple(
        path if path in parts or (word.startswith("./") and os.path.exists(path)) else word
        for word, path in zip(program.argv, paths, strict=True)
    )


def places_inside(argv: Sequence[str], parts: Sequence[Path]) -> dict[Path, str]:
    """The paths of a bot's files in a sandbox: below `bubblewrap.BOT`, so that a bot learns nothing
    of the folders outside. Files near each other keep their relative paths; others get a folder
    each.

    If a script's ``#!`` interpreter is one of these files, all keep their paths."""
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
    """The folders that become top folders in a sandbox: a single common one if all are near it."""
    folders = dict.fromkeys(part if part.is_dir() else part.parent for part in own)
    tops = [one for one in folders if not any(other in one.parents for other in folders)]
    above = Path(os.path.commonpath(tops)) if tops else Path("/")
    is_near = all(len(top.relative_to(above).parts) <= NEAR for top in tops)
    return [above] if is_near else tops


def moved(word: str, places: Mapping[Path, str]) -> str:
    """A word of a command with its outside paths replaced by the paths inside."""
    if not places:
        return word
    longest_first = sorted(map(str, places), key=len, reverse=True)
    paths = "|".join(map(re.escape, longest_first))
    found = rf"(?<![\w./~-])(?:{paths})(?=/|:|$)"
    return re.sub(found, lambda match: places[Path(match[0])], word)


# -- the environment -------------------------------------------------------------------------------


def _outside(parts: Sequence[Path]) -> dict[str, str]:
    """The environment of a bot without walls; `parts` are its files."""
    return environment.outside() | (_UNCHANGED if any(map(_is_kept, parts)) else {})


def _is_kept(part: Path) -> bool:
    """Whether a file is write-protected, like the copies that leagues keep."""
    return not part.lstat().st_mode & 0o222


def _inside(tools: Sequence[Path], home: str) -> dict[str, str]:
    """The environment of a program behind walls; `tools` are the installations that run it."""
    folders = [place if place.name == "bin" else place / "bin" for place in tools]
    own = [str(folder) for folder in folders if folder.is_dir()]
    path = ":".join([*dict.fromkeys(own), bubblewrap.PATH])
    return {**environment.FIXED, "PATH": path, "HOME": home, "TMPDIR": home, "USER": "bot"}


def _told(argv: tuple[str, ...], limits: Limits) -> tuple[tuple[str, ...], dict[str, str]]:
    """The command of a bot and its extra environment, so that Java respects the limits. Options go
    on the command line where possible: Java reports the variable on stderr at each start."""
    if os.path.basename(argv[0]) != "java":
        return argv, _for_java(limits)
    return (argv[0], *_java_options(limits), *argv[1:]), {}


def _for_java(limits: Limits) -> dict[str, str]:
    return {"JDK_JAVA_OPTIONS": " ".join(_java_options(limits))}


def _java_options(limits: Limits) -> list[str]:
    """The options for Java, the same at all levels. (The bot's own options take precedence.)

    Heap size: the default is a quarter of the machine, or half of the control group's limit. And no
    file of performance counters: where Java cannot lock it, it says so on stdout, among the
    replies.
    """
    options = ["-XX:-UsePerfData"]
    if limits.memory is not None:
        options.append(f"-Xmx{limits.memory * 3 // 4 >> 20}m")
    return options


def _for_compilers(given: dict[str, str]) -> dict[str, str]:
    """Add settings for compilers: rustup's folder, no network for downloads, and few Go threads
    (the machine may have more cores than the process limit allows for)."""
    return given | {
        "RUSTUP_HOME": str(installations.rustup_home()),
        "CARGO_NET_OFFLINE": "true",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "GOMAXPROCS": "4",
    }
