"""Soak test: many matches in one process, whose programs behave, die and misbehave in turns::

    python -m tests.experiments.soak --matches 2000 [--sandbox strict] [--quick] [--drop-caches]

The exit status is 1 if one of these promises is broken: no process, descriptor, thread, temporary
folder or control group is left, and the memory of the arena and of its keeper in the last quarter
is within 5 % of that in the second quarter. With ``--drop-caches`` (as root) this includes kernel
memory. ``--quick`` omits the programs that have to be waited for.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import psutil
import trio

from arena.core.clock import Clock
from arena.core.limits import Limits
from arena.core.registry import GAMES
from arena.errors import MachineError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.players.terms import Terms, Timing
from arena.sandbox.levels import SANDBOX_MODES, Level, SandboxWish
from arena.sandbox.probe import prove_level
from arena.sandbox.session import keeper_running, run_with
from tests.hostile.arena_runs import bomb, honest, hostile
from tests.support.kernel_memory import KernelMemory
from tests.support.leftovers import left_behind
from tests.tiny import TinySettings

if TYPE_CHECKING:
    from arena.bots.program import BotProgram
    from arena.sandbox.children import Children

MIB = 1 << 20
GROWTH = 1.05
"""How much larger the memory of the last quarter may be than that of the second."""
WALLS = (Level.SANDBOX, Level.CGROUP)
LITTLE = 500
"""Milliseconds for those that do not answer, so that the soak does not wait for them."""
START_UP = 10_000
"""Milliseconds, as in a league: on a full machine a start once stood for 470 ms, neither running
nor ready to."""


PULSE = 0.005
"""Seconds between two beats of the loop."""
BEATS_MISSED = 0.8
"""The part of the time for which a loop is away that its missing beats surely show."""


class Pulse:
    """For how long the loop was away at a time."""

    def __init__(self) -> None:
        self.longest = 0.0
        """Seconds."""

    async def beat(self) -> None:
        """Measure until cancelled."""
        before = trio.current_time()
        while True:
            await trio.sleep(PULSE)
            now = trio.current_time()
            self.longest, before = max(self.longest, now - before), now


class Sin(NamedTuple):
    """What the one at the first seat does at its second request, and what becomes of it."""

    ends: tuple[str | None, ...] = (None,)
    """Why it may then be ended; None: it is not."""
    number: int | None = None
    """The argument of a sin in `hostile/bomb.c`; without one it is a sin of `hostile/bot.py`."""
    levels: tuple[Level, ...] = tuple(Level)
    """Where it is committed: one that fills what only walls bound would harm the machine."""
    bank: int = 5000
    pondering: bool = True
    memory: int = 64 * MIB
    late: float = 0.0
    """Seconds by which it answers late. It is in time only where the loop was away as long: an
    arena that did not look at the deadline takes what it finds at its first look."""


SINS = {
    # What comes out of a program, and when
    "say": Sin(),  # one senseless answer, and else as it should be
    "flood": Sin(("output",)),
    "flood_blank": Sin(("output",)),
    "twice": Sin(),
    "half_a_line_and_leave": Sin(("exited",)),
    "deaf": Sin(("timeouts",), bank=LITTLE),
    "late_by_bank": Sin(("timeouts",), bank=LITTLE, late=0.1),
    # How it ends
    "crash": Sin(("crashed",)),
    "leave": Sin(("exited",)),
    "daemon": Sin(),
    "stubborn": Sin(),
    "stop_itself": Sin(("timeouts",), bank=LITTLE),
    "close_stdout": Sin(("closed",)),
    "crash_loop": Sin(("crashed",), 20),
    "block_in_vfork": Sin(("timeouts",), 40, bank=LITTLE),
    "traced": Sin(("timeouts",), 0, bank=LITTLE),
    "leader_leaves": Sin(("timeouts",), 0, bank=LITTLE),
    "kill_the_parent": Sin(levels=WALLS),
    # Memory
    "eat": Sin(("memory",)),
    "memory": Sin(("memory",), 1000),
    "memory_in_child": Sin(("memory",), 1000),
    "ownerless_memory": Sin(("memory",), 200, (Level.CGROUP,)),
    "zero_device": Sin(number=200, levels=(Level.SANDBOX,)),  # it is refused
    "empty_files": Sin(("memory",), 400_000, WALLS),
    "page_tables": Sin(("memory",), 200, WALLS),
    # Its own answer waits for the lock as well: 2.0 to 4.4 s of its 5 s on a quiet machine.
    "hold_the_map": Sin((None, "memory", "timeouts"), 40),
    "full_sockets": Sin(("memory",), 200, WALLS),
    "full_pipes": Sin(("memory",), 60, (Level.SANDBOX,)),
    "populate": Sin((None, "cpu"), 200, pondering=False, memory=1 << 30),
    # Processes and signals
    "many_children": Sin(("processes", None), 600),
    "deep_chain": Sin(("processes", "timeouts"), 1100, bank=LITTLE),
    "chain": Sin(number=200),
    "zombies": Sin(number=20),
    "queued_signals": Sin(number=5000),
}


QUICK = (
    *("say", "flood", "twice", "half_a_line_and_leave", "crash", "leave", "daemon"),
    *("close_stdout", "kill_the_parent", "zombies", "queued_signals"),
)
"""Those whose matches are over at once."""
LOOKS = 40
"""At the kernel's memory, in a whole soak."""

LEVELS: dict[str, SandboxWish] = {**SANDBOX_MODES, **{one.value: one for one in Level}}
COUNTED = ("processes", "descriptors", "threads", "folders", "groups")


@dataclass
class Tally:
    """What a soak has seen."""

    matches: int = 0
    void: int = 0
    """Made so by the machine, and played again."""
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)
    """Matches that did not end as they should."""
    processes: int = 0
    descriptors: int = 0
    threads: int = 0
    folders: int = 0
    groups: int = 0
    arena: list[float] = field(default_factory=list)
    keeper: list[float] = field(default_factory=list)
    """Resident MiB after each match."""
    kernel: KernelMemory | None = None

    def quarters(self, samples: list[float]) -> list[float]:
        """The median of each quarter."""
        size = max(1, len(samples) // 4)
        return [statistics.median(samples[i * size : (i + 1) * size]) for i in range(4)]

    def broken(self, growth: float = GROWTH) -> list[str]:
        """The promises that were not kept, in words."""
        found = list(self.wrong)
        left = {what: getattr(self, what) for what in COUNTED}
        found += [f"{number} {what} left" for what, number in left.items() if number]
        for who, samples in (("arena", self.arena), ("keeper", self.keeper)):
            _, second, _, last = self.quarters(samples)
            if last > second * growth:
                found.append(f"the {who} grew from {second:.1f} to {last:.1f} MiB")
        return found + (self.kernel.broken() if self.kernel else [])

    def text(self) -> str:
        """For people."""
        rate = self.matches / self.seconds
        pace = f"{self.seconds:.1f} s ({rate:.1f} a second)"
        lines = [f"{self.matches} matches in {pace}, {self.void} void and played again"]
        lines.append("left: " + ", ".join(f"{getattr(self, what)} {what}" for what in COUNTED))
        for who, samples in (("arena", self.arena), ("keeper", self.keeper)):
            numbers = ", ".join(f"{mb:.1f}" for mb in self.quarters(samples))
            lines.append(f"memory of the {who} by quarter: {numbers} MiB")
        return "\n".join(lines)


def soak(
    matches: int,
    wish: SandboxWish,
    names: Sequence[str] = tuple(SINS),
    kernel: KernelMemory | None = None,
) -> Tally:
    """Play them, one after the other, in one process with one keeper. `names` are the sins that
    are committed, in turns. `kernel` looks after each."""
    GAMES["tiny"] = "tests.tiny:TINY"
    tally = Tally(kernel=kernel)
    with _own_folder() as folder:
        with keeper_running(wish) as keeper:
            run_with(keeper, functools.partial(_play_all, matches, wish, names, tally, folder))
            tally.processes = len(left_behind(keeper.process.pid))
        tally.groups = len(list(Path("/sys/fs/cgroup").glob(f"**/arena-{keeper.process.pid}-*")))
        tally.folders = len(os.listdir(tempfile.gettempdir()))
    return tally


@contextlib.contextmanager
def _own_folder() -> Iterator[Path]:
    """A temporary folder that no other program uses, and one beside it for the bots."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # bots behind walls are strangers
        (folder / "t").mkdir()
        tempfile.tempdir = str(folder / "t")
        try:
            yield folder
        finally:
            tempfile.tempdir = before


async def _play_all(
    matches: int,
    wish: SandboxWish,
    names: Sequence[str],
    tally: Tally,
    folder: Path,
    children: Children,
) -> None:
    level = await prove_level(children, wish)
    here = [name for name in names if level in SINS[name].levels]
    sins = [(name, _sinner(folder, name)) for name in here]
    rival = honest(folder)
    for sin, bot in sins:  # what is loaded at the first time is loaded
        await _play(_spec(sin, bot, rival, wish), children, tally)
    arena, keeper = psutil.Process(), psutil.Process(_keeper_of())
    before = _open_files(), _threads()
    start = time.monotonic()
    for number in range(matches):
        sin, bot = sins[number % len(sins)]
        pulse = Pulse()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pulse.beat)
            report = await _play(_spec(sin, bot, rival, wish), children, tally)
            nursery.cancel_scope.cancel()
        tally.wrong += judge(number, sin, report, pulse.longest)
        tally.arena.append(arena.memory_info().rss / MIB)
        tally.keeper.append(keeper.memory_info().rss / MIB)
        if tally.kernel:
            tally.kernel.after(number + 1)
    tally.matches, tally.seconds = matches, time.monotonic() - start
    tally.descriptors = _open_files() - before[0]
    tally.threads = _threads() - before[1]


async def _play(spec: MatchSpec, children: Children, tally: Tally) -> MatchReport:
    """A match; again, as in a series, when the machine had too much to do to be fair."""
    from arena.match.play import play_match

    for _ in range(9):
        try:
            return await play_match(spec, children)
        except* MachineError:
            tally.void += 1
    return await play_match(spec, children)


def _sinner(folder: Path, name: str) -> BotProgram:
    number = SINS[name].number
    if number is None:
        return hostile(folder, name, 2, "nonsense")
    return bomb(folder, name, 2, number)


def _spec(name: str, bot: BotProgram, rival: BotProgram, wish: SandboxWish) -> MatchSpec:
    """A short match."""
    sin = SINS[name]
    settings = TinySettings(max_rounds=3, timebank=sin.bank, time_per_move=sin.bank, max_timeouts=1)
    return MatchSpec(
        "tiny",
        programs((bot, rival)),
        "1",
        settings,
        Terms(
            limits=Limits(memory=sin.memory),
            timing=Timing(Clock.FAIR, pondering=sin.pondering, start_up=START_UP),
            sandbox=wish,
        ),
    )


def judge(number: int, sin: str, report: MatchReport, away: float) -> list[str]:
    """Whether the guilty one was ended for its sin, and the other not at all. `away`: the seconds
    for which the loop was away at a time, at most."""
    bad, good = report.players
    wrong = []
    late = SINS[sin].late
    forgiven = bad.stopped is None and 0 < late * BEATS_MISSED <= away
    if bad.stopped not in SINS[sin].ends and not forgiven:
        detail = f"{bad.stopped_detail}; the loop was away for {away * 1000:.0f} ms at most"
        wrong.append(f"match {number}: {sin} was ended for {bad.stopped} ({detail})")
    if good.stopped or good.faults:
        first = good.first_faults.items()
        details = {kind: f"in round {one.round}: {one.detail}" for kind, one in first}
        wrong.append(f"match {number}: {sin}: the honest one has {details}")
    return wrong


def _keeper_of() -> int:
    """Our only child that keeps bots."""
    lines = {one.pid: " ".join(one.cmdline()) for one in psutil.Process().children()}
    return next(int(pid) for pid, line in lines.items() if "keeper" in line)


def _threads() -> int:
    """Without those that Trio keeps for ten seconds in case that they are needed again."""
    return sum(not one.name.startswith("Trio") for one in threading.enumerate())


def _open_files() -> int:
    return int(psutil.Process().num_fds())


def main() -> int:
    """Soak as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.experiments.soak", description=__doc__)
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--sandbox", choices=LEVELS, default="off")
    parser.add_argument("--quick", action="store_true", help="only matches that are over at once")
    parser.add_argument(
        "--drop-caches", action="store_true", help="judge the kernel's memory, as root"
    )
    options = parser.parse_args()
    matches, names = max(8, options.matches), QUICK if options.quick else tuple(SINS)
    kernel = KernelMemory(every=max(1, matches // LOOKS), drop_caches=options.drop_caches)
    tally = soak(matches, LEVELS[options.sandbox], names, kernel)
    print(tally.text())
    broken = tally.broken()
    for promise in broken:
        print(f"BROKEN: {promise}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
