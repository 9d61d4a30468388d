"""What a program sees, with which environment it runs and behind which walls: by what a real
program finds, where it is a matter of safety."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.bots.address import is_intact
from arena.bots.intake import take_in
from arena.core.limits import Limits
from arena.sandbox import bubblewrap, installations, placement
from arena.sandbox.keeper.messages import (
    GroupLimits,
    ProcessLimits,
    Sandbox,
    SelfWalls,
    SpawnRequest,
)
from arena.sandbox.keeper.seccomp import COUNTED_MEMORY, FILE_LOCKS, OWN_PROCESSES
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.levels import Level
from arena.sandbox.placement import (
    BuildCommand,
    Program,
    bot_request,
    build_request,
    moved,
    places_inside,
    shared_etc,
)
from arena.sandbox.session import keeper_running
from tests.sandbox.programs import WALLED, Ended, lay_out, linux_only, open_to_all, run_program

LIMITS = Limits(memory=1 << 30, processes=5, files=6, file_size=7)


@pytest.fixture
def keeper(tmp_path: Path) -> KeeperProcess:
    """As placement needs one; it is not running."""
    return KeeperProcess(None, None, etc=tmp_path)  # type: ignore[arg-type]


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A folder of the user's own: a program in its ``bin``, and a secret beside that."""
    folder = tmp_path / "private"
    lay_out(folder / "secret", "the key of the house")
    (folder / "bin").mkdir()
    shutil.copy("/bin/cat", folder / "bin" / "tool")
    open_to_all(folder / "bin", tmp_path)
    return folder


def read_secret(private: Path, tmp_path: Path, level: Level, *, is_folder: bool) -> Ended:
    """What the program in the private folder gets to read of the secret beside it, started for a
    bot that is a folder, or for one that is a command line."""
    files, own = tmp_path / "files", tmp_path / "own"
    lay_out(files / "bot.toml")
    own.mkdir(exist_ok=True)
    argv = [str(private / "bin" / "tool"), str(private / "secret")]
    program = Program(argv, (files,) if is_folder else (), own, files=files if is_folder else None)
    open_to_all(files, tmp_path)
    return run_program(program, level)


@linux_only
@pytest.mark.parametrize("level", WALLED)
def test_a_bot_does_not_choose_a_folder_to_be_shown(
    private: Path, tmp_path: Path, level: Level
) -> None:
    """``run = "/home/me/private/bin/tool"`` in a bot's own files opens nothing."""
    ended = None
    try:
        ended = read_secret(private, tmp_path, level, is_folder=True)
    except Exception as error:
        assert "is not visible behind walls" in str(error)  # noqa: PT017
    assert ended is None or "the key" not in ended.out
    assert ended is None or ended.exit.code != 0


@linux_only
@pytest.mark.parametrize("level", WALLED)
def test_a_program_that_the_user_names_is_shown_with_its_installation(
    private: Path, tmp_path: Path, level: Level
) -> None:
    ended = read_secret(private, tmp_path, level, is_folder=False)
    assert ended.out == "the key of the house"


@linux_only
@pytest.mark.parametrize("level", WALLED)
def test_a_program_on_the_path_is_shown_with_its_installation(
    private: Path, tmp_path: Path, level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{private / 'bin'}:{os.environ['PATH']}")
    ended = read_secret(private, tmp_path, level, is_folder=True)
    assert ended.out == "the key of the house"


@linux_only
@pytest.mark.parametrize("level", WALLED)
def test_of_a_bot_that_is_one_file_only_that_is_shown(
    private: Path, tmp_path: Path, level: Level
) -> None:
    """Also when it lies in a folder that is called ``bin``."""
    tool, own = private / "bin" / "tool", tmp_path / "own"
    own.mkdir()
    ended = run_program(Program([str(tool), str(private / "secret")], (tool,), own), level)
    assert ended.exit.entered
    assert ended.exit.code == 1
    assert ended.out == ""
    assert "secret" in ended.err


@pytest.mark.parametrize("files", [True, False])
def test_a_file_of_the_bot_does_not_show_what_is_above_it(
    private: Path, keeper: KeeperProcess, tmp_path: Path, files: bool
) -> None:
    """What is shown is its own files, and nothing for the sake of its place: neither when it is
    one file nor when it is a program in a folder."""
    tool = private / "bin" / "tool"
    part = tool.parent if files else tool
    program = Program([str(tool)], (part,), tmp_path, files=part if files else None)
    walls = bot_request(program, Level.GUARD, LIMITS, keeper).walls
    assert isinstance(walls, SelfWalls)
    own = [Path(place) for place in walls.read if Path(place).is_relative_to(tmp_path)]
    assert own == [part]


@linux_only
@pytest.mark.parametrize("level", WALLED)
@pytest.mark.parametrize("how", ["shebang", "env", "link", "shebang of a folder"])
def test_an_interpreter_of_a_version_manager(
    level: Level, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs with its whole installation, named in each way in which a bot can name it."""
    python = tmp_path / "pyenv" / "versions" / "3" / "bin" / "mython"
    lay_out(python, '#!/bin/sh\nread -r word < "${0%/*}/../lib/word"; echo $word\n', 0o755)
    lay_out(python.parents[1] / "lib" / "word", "installed")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    files = tmp_path / "bot"
    line = "#!/usr/bin/env mython\n" if how == "env" else f"#!{python}\n"
    bot = lay_out(files / "bot", line, 0o755)
    if how == "env":
        monkeypatch.setenv("PATH", f"{python.parent}:{os.environ['PATH']}")
    if how == "link":
        bot.unlink()
        bot.symlink_to(python)
    (tmp_path / "own").mkdir()
    is_folder = how in ("link", "shebang of a folder")
    part = files if is_folder else bot
    open_to_all(python.parent, tmp_path)
    open_to_all(files, tmp_path)
    program = Program([str(bot)], (part,), tmp_path / "own", files=files if is_folder else None)
    if how == "link":  # a script finds its installation by the path it is called by
        program = Program([str(python)], (part,), tmp_path / "own", files=files)
    assert run_program(program, level).out == "installed"


@pytest.mark.parametrize("level", [Level.GUARD, Level.SANDBOX])
def test_what_cannot_be_shown_is_named(
    private: Path, keeper: KeeperProcess, tmp_path: Path, level: Level
) -> None:
    tool = private / "bin" / "tool"
    bot = lay_out(tmp_path / "bot", f"#!{tool}\n", 0o755)
    with pytest.raises(
        OSError, match="is not visible behind walls: what runs a bot must"
    ) as caught:
        bot_request(Program([str(bot)], (bot,), tmp_path), level, LIMITS, keeper)
    assert str(caught.value).startswith(f"{tool} is not")


def test_a_bot_that_is_a_link_to_a_file_is_shown(keeper: KeeperProcess, tmp_path: Path) -> None:
    link = tmp_path / "bot"
    link.symlink_to(lay_out(tmp_path / "elsewhere" / "bot", mode=0o755))
    assert bot_request(Program([str(link)], (link,), tmp_path), Level.GUARD, LIMITS, keeper)


def test_the_interpreter_of_the_arena_is_trusted_in_any_folder(
    keeper: KeeperProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = lay_out(tmp_path / "venv" / "bin" / "python")
    monkeypatch.setattr(sys, "executable", str(python))
    program = Program([str(python)], (), tmp_path, files=tmp_path)
    walls = bot_request(program, Level.GUARD, LIMITS, keeper).walls
    assert isinstance(walls, SelfWalls)
    assert str(tmp_path / "venv") in walls.read


# -- the walls of a level --------------------------------------------------------------------------


def test_without_walls(keeper: KeeperProcess, tmp_path: Path) -> None:
    program = Program(["./bot", "x"], (), tmp_path)
    request = bot_request(program, Level.OFF, LIMITS, keeper)
    assert request.argv == ("./bot", "x")
    assert (request.cwd, request.walls) == (str(tmp_path), None)
    elsewhere = Program(["./bot"], (), tmp_path, cwd=Path("/else"))
    assert bot_request(elsewhere, Level.OFF, LIMITS, keeper).cwd == "/else"


def test_a_kept_copy_stays_as_it_is_without_walls(keeper: KeeperProcess, tmp_path: Path) -> None:
    """As root Python could write its compiled modules there."""
    (bot := tmp_path / "bot").mkdir()
    (bot / "bot.py").write_text("import helper")
    (bot / "helper.py").write_text("print('helps')")
    kept = take_in(bot, tmp_path / "kept").folder
    program = Program([sys.executable, str(kept / "bot.py")], [kept], tmp_path, files=kept)
    request = bot_request(program, Level.OFF, LIMITS, keeper)
    done = subprocess.run(request.argv, env=request.env, capture_output=True, check=True)
    assert done.stdout == b"helps\n"
    assert is_intact(kept)


def test_the_guard_opens_little(keeper: KeeperProcess, tmp_path: Path) -> None:
    program = Program(["/bin/sh"], (Path("/bots/x"),), tmp_path, cwd=Path("/else"))
    request = bot_request(program, Level.GUARD, LIMITS, keeper)
    assert request.cwd == str(tmp_path)
    assert request.env["HOME"] == request.env["TMPDIR"] == str(tmp_path)
    assert isinstance(request.walls, SelfWalls)
    devices = {f"/dev/{name}" for name in ("null", "urandom", "random")}
    assert set(request.walls.write) == {str(tmp_path), *devices}
    system = {*installations.SYSTEM, *map(str, [*bubblewrap.of_etc(), *installations.linked()])}
    own = set(request.walls.read) - system
    assert own == {"/proc", "/bots/x"}
    assert request.walls.limits == ProcessLimits(6, 7, 5)
    assert request.walls.allow == ()


@linux_only
@pytest.mark.parametrize("level", [Level.SANDBOX, Level.CGROUP])
def test_a_sandbox_has_a_group_only_where_that_is_its_level(
    keeper: KeeperProcess, tmp_path: Path, level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "find", lambda: "/usr/bin/bwrap")
    request = bot_request(Program(["/bin/sh"], (), tmp_path), level, LIMITS, keeper)
    assert isinstance(request.walls, Sandbox)
    assert request.walls.group == (GroupLimits(1 << 30, 5) if level is Level.CGROUP else None)
    assert request.walls.limits == ProcessLimits(6, 7, 5)
    counted = COUNTED_MEMORY if level is Level.CGROUP else ()
    assert request.walls.allow == (*OWN_PROCESSES, *counted)
    assert request.walls.command[0] == "/usr/bin/bwrap"
    assert (request.cwd, request.env["HOME"]) == ("/", "/tmp")


@linux_only
def test_a_bot_that_is_a_folder_finds_links_to_its_files(
    keeper: KeeperProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "find", lambda: "/usr/bin/bwrap")
    data = lay_out(tmp_path / "files" / "data.txt")
    program = Program(["/bin/sh"], (data.parent,), tmp_path, files=data.parent)
    walls = bot_request(program, Level.SANDBOX, LIMITS, keeper).walls
    assert isinstance(walls, Sandbox)
    at = walls.options.index("/bot/data.txt")
    assert walls.options[at - 1 : at + 2] == ("--symlink", "/bot/data.txt", "/tmp/data.txt")


@linux_only
def test_a_request_for_a_sandbox_is_made_once_while_the_bot_is_the_same(
    keeper: KeeperProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "find", lambda: "/usr/bin/bwrap")
    bot = lay_out(tmp_path / "files" / "data.txt").parent

    def request(own: str, level: Level = Level.SANDBOX, limits: Limits = LIMITS) -> SpawnRequest:
        program = Program(["/bin/sh"], (bot,), tmp_path / own, files=bot)
        return bot_request(program, level, limits, keeper)

    first = request("one")
    assert request("two") is first
    assert str(tmp_path / "one") not in str(first)
    others = [request("one", Level.CGROUP), request("one", limits=replace(LIMITS, files=7))]
    assert all(other != first for other in others)
    (bot / "more.txt").touch()
    assert "/bot/more.txt" in str(request("one"))
    monkeypatch.setenv("PATH", "/opt/bin")
    assert request("one") is not first
    guarded = [request(own, Level.GUARD) for own in ("one", "two")]
    assert guarded[0] != guarded[1]
    monkeypatch.setattr(placement, "MOST_REQUESTS", len(keeper.requests))
    request("one", limits=replace(LIMITS, files=8))
    assert len(keeper.requests) == 1


@pytest.mark.parametrize("level", [Level.GUARD, Level.SANDBOX, Level.CGROUP])
def test_a_build(
    keeper: KeeperProcess, tmp_path: Path, level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "find", lambda: "/usr/bin/bwrap")
    place, home = tmp_path / "draft", tmp_path / "home"
    command = BuildCommand(["gcc", f"{place}/x.c"], place, home, [Path("/opt/tool")])
    request = build_request(command, level, LIMITS, keeper)
    source = f"{place}/x.c" if level is Level.GUARD else "/build/x.c"
    assert request.argv == ("gcc", source)
    assert request.env["GOPROXY"] == "off"
    assert request.walls is not None
    assert set(FILE_LOCKS) <= set(request.walls.allow)
    assert request.walls.limits == ProcessLimits(6, 7, 5)
    if isinstance(request.walls, SelfWalls):
        assert request.cwd == str(place / "files")
        assert request.env["HOME"] == str(home)
        assert request.walls.write[:2] == (str(place), str(home))
        assert "/opt/tool" in request.walls.read
        assert str(place) not in request.walls.read
    else:
        words = request.walls.options
        assert words[words.index("--chdir") + 1] == "/build/files"
        at = words.index("--bind")
        assert words[at + 1 : at + 3] == (str(place), "/build")
        assert (request.walls.group is None) == (level is Level.SANDBOX)


def test_a_list_of_users_is_shown_to_that_command_alone(
    keeper: KeeperProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "find", lambda: "/usr/bin/bwrap")
    command = BuildCommand(["unar", "x.rar"], tmp_path / "draft", tmp_path, [], has_user=True)
    for _ in range(2):  # both commands of a build
        request = build_request(command, Level.SANDBOX, LIMITS, keeper)
        assert isinstance(request.walls, Sandbox)
        assert str(tmp_path / "etc") in request.walls.options
    assert (tmp_path / "etc" / "passwd").read_text() == "bot:x:1:1::/tmp:/bin/sh\n"
    assert not (shared_etc(keeper) / "passwd").exists()


# -- the command -----------------------------------------------------------------------------------


def test_the_own_files_of_a_bot_are_named_by_full_paths(
    keeper: KeeperProcess, tmp_path: Path
) -> None:
    own = lay_out(tmp_path / "files" / "bot.py")
    lay_out(tmp_path / "files" / "data")
    argv = ["/bin/sh", "bot.py", "./data", "data", "./no-such-file", "", "-x"]
    program = Program(argv, (own,), tmp_path / "own", cwd=own.parent)
    request = bot_request(program, Level.GUARD, LIMITS, keeper)
    data = str(own.with_name("data"))
    assert request.argv == ("/bin/sh", str(own), data, "data", "./no-such-file", "", "-x")
    as_folder = Program(argv, (own,), tmp_path / "own", cwd=Path("/else"), files=own.parent)
    assert bot_request(as_folder, Level.GUARD, LIMITS, keeper).argv == request.argv


@pytest.mark.parametrize(
    ("parts", "inside"),
    [
        (["me/bot.py"], ["/bot/bot.py"]),
        (["me/folder/"], ["/bot"]),
        (["me/bots/bot.py", "me/data/words"], ["/bot/bots/bot.py", "/bot/data/words"]),
        (["me/deep/er/bot.py", "you/x"], ["/bot/bot.py", "/bot1/x"]),
        (["me/deep/er/built/", "you/venv/"], ["/bot", "/bot1"]),
        (["me/bots/", "me/bots/lib/"], ["/bot"]),
        ([], []),
    ],
)
def test_where_a_sandbox_shows_the_files_of_a_bot(
    parts: list[str], inside: list[str], tmp_path: Path
) -> None:
    for part in parts:
        (lay_out(tmp_path / part / "x") if part.endswith("/") else lay_out(tmp_path / part))
    paths = [tmp_path / part for part in parts]
    assert places_inside(["/bin/sh"], [*paths, Path("/usr/share")]) == dict(
        zip(paths, inside, strict=False)
    )


def test_a_script_of_an_interpreter_of_its_own_stays_where_it_is(tmp_path: Path) -> None:
    """Its first line names that by its path."""
    folder = tmp_path / "bot"
    python = lay_out(folder / "venv" / "bin" / "python", mode=0o755)
    script = lay_out(folder / "bot", f"#!{python}\n", 0o755)
    assert places_inside([str(script)], [folder]) == {folder: str(folder)}


@pytest.mark.parametrize(
    ("word", "inside"),
    [
        ("/me/bot", "/bot"),
        ("/me/bot/x.py", "/bot/x.py"),
        ("/me/bot/out:/me/bot/files", "/bot/out:/bot/files"),
        ("--from=/me/bot/x", "--from=/bot/x"),
        ("/me/bot.py", "/bot/bot.py"),
        *((word, word) for word in ("/me/bots", "/else/me/bot", "me/bot", "/me", "-x", "")),
    ],
)
def test_the_words_of_a_command_name_the_places_inside(word: str, inside: str) -> None:
    assert moved(word, {Path("/me/bot"): "/bot", Path("/me/bot.py"): "/bot/bot.py"}) == inside


# -- the environment -------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [Level.OFF, Level.GUARD])
def test_secrets_of_the_environment_stay_outside(
    keeper: KeeperProcess, tmp_path: Path, level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "secret")
    monkeypatch.setenv("HOME", "/home/me")
    for name in ("LANG", "LC_ALL", "LC_NUMERIC", "LANGUAGE"):
        monkeypatch.setenv(name, "de_DE.UTF-8")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("JAVA_HOME", "/opt/java")
    env = bot_request(Program(["/bin/sh"], (), tmp_path), level, LIMITS, keeper).env
    assert "TOKEN" not in env
    assert not {"LANG", "LC_NUMERIC", "LANGUAGE"} & set(env)
    assert (env["LC_ALL"], env["TZ"]) == ("C.UTF-8", "UTC")
    assert env["HOME"] == ("/home/me" if level is Level.OFF else str(tmp_path))
    assert ("JAVA_HOME" in env) == (level is Level.OFF)
    assert env.get("USER") == (os.environ.get("USER") if level is Level.OFF else "bot")


def test_behind_walls_the_path_begins_with_the_toolchain(
    keeper: KeeperProcess, tmp_path: Path
) -> None:
    tool = lay_out(tmp_path / "tools" / "bin" / "python", mode=0o755)
    program = Program([str(tool)], (), tmp_path)
    env = bot_request(program, Level.GUARD, LIMITS, keeper).env
    assert env["PATH"] == f"{tool.parent}:{bubblewrap.PATH}"
    bare = bot_request(Program(["/bin/sh"], (), tmp_path), Level.GUARD, LIMITS, keeper).env
    assert bare["PATH"] == bubblewrap.PATH


def test_java_gets_three_quarters_of_the_memory(keeper: KeeperProcess, tmp_path: Path) -> None:
    program = Program(["/bin/sh"], (), tmp_path)
    env = bot_request(program, Level.OFF, Limits(memory=400 << 20), keeper).env
    assert env["JDK_JAVA_OPTIONS"] == "-XX:-UsePerfData -Xmx300m"
    env = bot_request(program, Level.GUARD, Limits(memory=None), keeper).env
    assert env["JDK_JAVA_OPTIONS"] == "-XX:-UsePerfData"


@pytest.mark.parametrize("level", [Level.OFF, Level.GUARD])
def test_java_is_told_on_its_command_line(
    keeper: KeeperProcess, tmp_path: Path, level: Level
) -> None:
    """Of the variable it tells on stderr, each time. Its last word wins: the bot's own."""
    program = Program(["/usr/bin/java", "-Xmx8m", "Bot"], (), tmp_path)
    request = bot_request(program, level, Limits(memory=400 << 20), keeper)
    options = ("-XX:-UsePerfData", "-Xmx300m")
    assert request.argv == ("/usr/bin/java", *options, "-Xmx8m", "Bot")
    assert "JDK_JAVA_OPTIONS" not in request.env


# -- /etc ------------------------------------------------------------------------------------------


def test_etc_is_made_once_and_removed_with_the_keeper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with keeper_running() as keeper:
        folder = shared_etc(keeper)
        assert shared_etc(keeper) == folder
        assert list(tmp_path.iterdir()) == [folder]
        assert folder.stat().st_mode & 0o777 == 0o755
    assert list(tmp_path.iterdir()) == []


def test_etc_that_is_half_made_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise OSError("No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(bubblewrap, "copy_etc", fail)
    keeper = KeeperProcess(None, None)  # type: ignore[arg-type]
    with pytest.raises(OSError, match="No space left"):
        shared_etc(keeper)
    assert keeper.etc is None
    assert list(tmp_path.iterdir()) == []
