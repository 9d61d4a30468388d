"""Matches of one hostile program against an honest one, and what must hold after each of them:
the honest one unharmed, no process, folder, control group or descriptor left, a record that
verifies.
"""

from __future__ import annotations

import importlib.util
import json
import os
import py_compile
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.core.limits import Limits
from arena.core.steps import Script, Show, Tell
from arena.errors import MachineError, UsageError, root_cause
from arena.match.play import play_match
from arena.match.report import MatchReport, PlayerReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.players.terms import Terms, Timing
from arena.record.format import Answered, Record
from arena.record.source import read_records
from arena.record.verify import verify
from arena.sandbox.children import Children
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.probe import prove_level
from arena.sandbox.session import keeper_running, run_with
from tests.support.descriptors import watched_descriptors
from tests.support.forks import ArenaProcess
from tests.support.groups import wait_until
from tests.support.keepers import shared_keeper
from tests.support.leftovers import left_behind
from tests.support.tools import needs_tool
from tests.tiny import TINY, TinySettings, TinyWorld, script

HERE = Path(__file__).parent
SIMPLE = HERE.parents[1] / "sample_bots" / "warlight" / "simple.py"
INSTANT = HERE.parent / "experiments" / "bench" / "instant.c"
MIB = 1 << 20
TEMPORARY = Path(tempfile.gettempdir())
ANSWERED = 2.0
"""Seconds within which what was asked of the kernel is answered."""


linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has what it tests")


def loud_script(world: TinyWorld) -> Script:
    """The tiny game, but first every bot is told more than a pipe holds."""
    for seat in range(len(world.purse)):
        for _ in range(40):
            yield Tell(seat, "noise " * 1000)
    return (yield from script(world))


LOUD = replace(TINY, name="loud", script=loud_script)


def strongest() -> Level:
    """The strongest level that this machine can keep, or the one that the environment variable
    ARENA_TESTS_LEVEL names (``sandbox``, to test as where there are no control groups). Without one
    the test is skipped, or fails where the environment variable CI is ``true``."""
    needs_tool("bwrap", "bubblewrap")
    level, problem = _strongest()
    if level is None and os.environ.get("CI") == "true":
        pytest.fail(problem, pytrace=False)
    if level is None:
        pytest.skip(problem)
    return level


@cache
def _strongest() -> tuple[Level | None, str]:
    asked = os.environ.get("ARENA_TESTS_LEVEL")
    wish = Level(asked) if asked else SandboxMode.STRICT
    with keeper_running(wish) as keeper:
        try:
            return run_with(keeper, lambda children: prove_level(children, wish)), ""
        except UsageError as error:
            return None, str(error)


# -- bots ------------------------------------------------------------------------------------------


def lay_out(folder: Path, command: list[str], *files: Path) -> BotProgram:
    """A bot that is a folder with these files."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copy(file, folder)
    (folder / "bot.toml").write_text(f"run = {json.dumps(command)}\n")
    return find_bot(str(folder))


def python(*words: object) -> list[str]:
    return [sys.executable, "-S", "-E", *map(str, words)]


def hostile(
    folder: Path, sin: str, when: int = 2, argument: object = "", name: str = ""
) -> BotProgram:
    """A Python bot that commits `sin` at request `when`. It need not compile itself, which would be
    half of its start."""
    words = argument if isinstance(argument, str | int | float) else json.dumps(argument)
    place = folder / (name or sin.replace(".", "_"))
    (place / "__pycache__").mkdir(parents=True)
    (place / "bot.pyc").write_bytes(compiled_python("bot"))
    modules = [part for part in ("hog", "spy") if sin.startswith(f"{part}.")]
    for part in modules:
        kept = place / importlib.util.cache_from_source(f"{part}.py")
        kept.write_bytes(compiled_python(part))
    command = python("bot.pyc", sin, when, words)
    return lay_out(place, command, *(HERE / f"{part}.py" for part in modules))


def bomb(folder: Path, sin: str, when: int = 2, number: object = 0) -> BotProgram:
    """A C bot that commits `sin` at request `when`."""
    return lay_out(folder / sin, ["./bomb", sin, str(when), str(number)], compiled("bomb"))


def honest(folder: Path, pause: float = 0, name: str = "honest") -> BotProgram:
    """A bot that answers everything with 1, after `pause` seconds. In C where there is a compiler:
    Python would take ten times as long to start."""
    if shutil.which("gcc") is None:
        return lay_out(folder / name, python("honest.py", pause), HERE / "honest.py")
    return lay_out(folder / name, ["./honest", str(pause)], compiled("honest"))


@cache
def compiled_python(name: str) -> bytes:
    """What Python keeps of a module beside this file, valid whatever the age of the source."""
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    with tempfile.TemporaryDirectory(dir=TEMPORARY) as folder:
        kept = Path(folder) / "kept"
        py_compile.compile(
            str(HERE / f"{name}.py"), str(kept), doraise=True, invalidation_mode=unchecked
        )
        return kept.read_bytes()


def instant() -> str:
    """The command of a bot for real games that answers at once, in C where there is a compiler: for
    matches that are about the arena. Two starts of Python take longer than a short match."""
    if shutil.which("gcc") is None:
        return str(SIMPLE)
    return str(compiled("instant", INSTANT.parent))


@cache
def compiled(name: str, folder: Path = HERE) -> Path:
    """The program of a C source, compiled once for all test processes."""
    source = folder / f"{name}.c"
    compiler = needs_tool("gcc", "gcc")
    place = TEMPORARY / f"arena-tests-{os.getuid()}-{name}-{source.stat().st_mtime_ns}"
    if not place.exists():
        mine = Path(tempfile.mkdtemp(dir=TEMPORARY))
        options = ["-O1", "-Wall", "-Werror", "-pthread", "-o", str(mine / name)]
        subprocess.run([compiler, *options, source], check=True)
        mine.chmod(0o755)
        with suppress(OSError):  # another test process was faster: its file is as good
            mine.rename(place)
    return place / name


# -- matches ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """A match that kept all promises."""

    report: MatchReport
    records: list[Record]
    seconds: float

    @property
    def bad(self) -> PlayerReport:
        """The hostile one, at the first seat."""
        return self.report.players[0]

    @property
    def rival(self) -> PlayerReport:
        """The honest one."""
        return self.report.players[1]

    @property
    def answers(self) -> list[str]:
        """What counted as the answers of the hostile one."""
        return [r.text for r in self.records if type(r) is Answered and r.seat == 0]

    @property
    def bids(self) -> list[int]:
        """What they came to, by round."""
        return [r.frame["bids"][0] for r in self.records if type(r) is Show][1:]

    @property
    def said(self) -> str:
        """Its stderr."""
        return "".join(turn.text for turn in self.bad.stderr)

    @property
    def attempts(self) -> dict[str, str]:
        """How its attempts went, by name: ``ok`` or ``refused``."""
        return dict(re.findall(r"^ATTEMPT (\S+) (ok|refused)", self.said, re.MULTILINE))

    @property
    def counts(self) -> dict[str, int]:
        """What it counted, the largest of each name."""
        found: dict[str, int] = {}
        for name, number in re.findall(r"^COUNT (?:(\S+) )?(-?\d+)$", self.said, re.MULTILINE):
            found[name] = max(int(number), found.get(name, 0))
        return found


def play(
    level: Level,
    *bots: BotProgram,
    memory: int | None = 1 << 30,
    processes: int = 64,
    game: str = "tiny",
    replay: Path | None = None,
    unharmed: bool = True,
    pondering: bool = True,
    **settings: Any,
) -> Played:
    """A match, and the proof that every promise was kept. `unharmed`: the second seat is honest.

    Unless said otherwise it has three rounds, 10 s for each answer, and one missed answer ends a
    program.
    """
    values = {"max_rounds": 3, "timebank": 10_000, "time_per_move": 10_000, "max_timeouts": 1}
    with (
        shared_keeper(level) as keeper,
        tempfile.TemporaryDirectory() as folder,
        nothing_left(keeper),
    ):
        path = replay or Path(folder) / "r.jsonl"
        spec = MatchSpec(
            game,
            programs(bots),
            "1",
            TinySettings(**{**values, **settings}),
            Terms(
                limits=Limits(memory=memory, processes=processes),
                timing=Timing(pondering=pondering),
                sandbox=level,
            ),
            replay=path,
        )
        start = time.monotonic()
        report = run_with(keeper, lambda children: fair_match(spec, children))
        seconds = time.monotonic() - start
        assert left_behind(keeper.process.pid) == []
        assert verify(path).problem == ""
        played = Played(report, list(read_records(path)), seconds)
    assert report.status == "completed"
    assert report.rounds == settings.get("max_rounds", values["max_rounds"])
    if unharmed:
        assert played.rival.stopped is None
        assert played.rival.faults == {}
        assert played.rival.requests == report.rounds
    return played


async def fair_match(spec: MatchSpec, children: Children) -> MatchReport:
    """The match, played again when a machine with too much to do made it void, as a series would
    be; but not for ever."""
    for _ in range(4):
        try:
            return await play_match(spec, children)
        except* MachineError as fault:
            print(f"void: {root_cause(fault)}")
    return await play_match(spec, children)


def against_honest(
    folder: Path, level: Level, sin: str, argument: object = "", when: int = 2, **options: Any
) -> Played:
    """A sin of the Python bot against an honest rival."""
    return play(level, hostile(folder, sin, when, argument), honest(folder), **options)


@contextmanager
def nothing_left(keeper: KeeperProcess | None = None) -> Iterator[None]:
    """Prove that no descriptor, folder or control group is left of what is done inside, but for the
    empty folders that a `keeper` of several tests has ready. (A thread that asks for shared memory
    is not waited for: it ends when the kernel has answered.)"""
    before = footprints()
    with watched_descriptors() as opened:
        yield
        if keeper is not None:
            keeper.folders.clear()
        with suppress(AssertionError):  # which does not say what is left
            wait_until(lambda: not opened(), ANSWERED)
        assert not opened(), opened()
    assert footprints() <= before


def footprints() -> set[str]:
    """What lies in the temporary folder, which is this test's own (see `conftest`)."""
    return set(os.listdir(tempfile.gettempdir()))


# -- the command line ------------------------------------------------------------------------------


def arena(*words: object, **options: Any) -> subprocess.Popen[str]:
    """Start a command line as a process in a session of its own. `program` is what Python is told
    to run."""
    program = options.pop("program", ("-m", "arena"))
    place = {"TMPDIR": tempfile.gettempdir()}
    environment = {**os.environ, "NO_COLOR": "1", **place, **options.pop("env", {})}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return ArenaProcess(
        [sys.executable, *program, *map(str, words)],
        text=True,
        cwd=HERE.parents[1],
        env={name: value for name, value in environment.items() if value is not None},
        start_new_session=True,
        **{**pipes, **options},
    )
