"""What a build behind walls cannot exceed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import trio
import trio.testing

from arena.bots import steps
from arena.bots.staging import Staged
from arena.errors import BotError, MachineError
from arena.sandbox.child import Child
from arena.sandbox.levels import Level, SandboxMode
from arena.text import size_text
from tests.bots.builds import (
    GOOD,
    MARK,
    needs_linux,
    python,
    refused,
    set_limits,
)

pytestmark = [needs_linux, pytest.mark.usefixtures("own_place")]


def test_A09_endless_output(
    tmp_path: Path, walls: Level | SandboxMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "PRINTED", 8 << 20)
    error = refused(tmp_path, "yes error", walls)
    assert "it printed more than 8 MiB" in str(error)
    assert error.output.startswith("error\nerror\n")
    assert error.output.endswith("\n… (the rest is cut)\n")


def test_A09_a_huge_file(
    tmp_path: Path, walls: Level | SandboxMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limits(monkeypatch, file_size=1 << 20)
    error = refused(tmp_path, "yes | head -c 3000000 > large", walls)
    assert re.search("sh |File size limit exceeded", str(error))


@pytest.mark.dear_for("strict-*", "guard-../out/more")
@pytest.mark.parametrize("where", ["more", "../out/more"])
def test_A09_very_much_in_files(
    where: str, tmp_path: Path, walls: Level | SandboxMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "STAGED_SIZE", 16 << 20)
    script = f"for i in $(seq 40); do yes | head -c 1000000 > {where}$i; done; {GOOD}"
    assert "it wrote more than 16 MiB" in str(refused(tmp_path, script, walls))


def test_A09_very_many_files(
    tmp_path: Path, walls: Level | SandboxMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "STAGED_ENTRIES", 500)
    error = refused(tmp_path, f"mkdir d; cd d; touch $(seq 1000); sleep {MARK}", walls)
    assert "or 500 files" in str(error)


def test_A09_very_much_memory(
    tmp_path: Path, walls: Level | SandboxMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limits(monkeypatch, memory=100 << 20)
    eat = python(f"import time; x = b'1' * (200 << 20); time.sleep({MARK})")
    assert "it needed more than 100 MiB of memory" in str(refused(tmp_path, eat, walls))


@pytest.mark.dear
def test_very_much_cpu_time_in_all_steps_together(
    tmp_path: Path, walls: Level | SandboxMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "CPU_SECONDS", 0.2)
    error = refused(tmp_path, "while :; do :; done", walls)
    assert "it used more than 0 s of CPU time" in str(error)


def test_A08_a_fork_bomb(
    tmp_path: Path, walls: Level | SandboxMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = f"while :; do sleep {MARK} & done"
    monkeypatch.setattr(steps, "CPU_SECONDS", 5)
    error = refused(tmp_path, bomb, walls)
    assert "CPU time" in str(error) or "processes" in str(error) or "fork" in error.output


# -- without a build -------------------------------------------------------------------------------


@pytest.fixture
def child() -> Child:
    """A child that only a meter looks at."""
    child: Child = None  # type: ignore[assignment]
    return child


class FakeMeter:
    """A meter that says what it is told to."""

    def __init__(self) -> None:
        self.figures = {"memory": 0, "oom_kills": 0, "tasks": 1, "cpu_ns": 0, "delay_ns": 0}
        self.closed = False
        self.broken = False

    async def shared_once(self) -> None:
        """There is nothing to say."""

    def __getattr__(self, name: str) -> Callable[[], int]:
        def figure() -> int:
            if self.broken:
                raise OSError("no such group")
            return self.figures[name]

        return figure

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def meter(monkeypatch: pytest.MonkeyPatch) -> FakeMeter:
    meter = FakeMeter()
    monkeypatch.setattr(steps, "meter_of", lambda *_: meter)
    return meter


@pytest.fixture
def limited(tmp_path: Path) -> steps.Limited:
    return steps.Limited("test", Staged(tmp_path), Level.SANDBOX)


MEMORY = steps.LIMITS.memory or 0


@pytest.mark.parametrize(
    ("figure", "most", "text"),
    [
        ("memory", MEMORY, f"it needed more than {size_text(MEMORY)} of memory"),
        ("oom_kills", 0, f"it needed more than {size_text(MEMORY)} of memory"),
        ("tasks", 64, "it had more than 64 processes and threads"),
        ("cpu_ns", 60 * 10**9, "it used more than 60 s of CPU time"),
    ],
)
async def test_each_limit_is_exact(
    figure: str, most: int, text: str, meter: FakeMeter, limited: steps.Limited, child: Child
) -> None:
    with limited.measuring(child):
        meter.figures[figure] = most
        assert await limited.last_look() is None
    meter.figures["cpu_ns"] = 0
    other = steps.Limited("test", Staged(Path()), Level.SANDBOX)
    with other.measuring(child):
        meter.figures[figure] = most + 1
        assert await other.last_look() == text
    assert meter.closed


async def test_cpu_time_is_that_of_all_commands(
    meter: FakeMeter, limited: steps.Limited, child: Child
) -> None:
    meter.figures["cpu_ns"] = 25 * 10**9
    problems = []
    for _ in range(3):
        with limited.measuring(child):
            problems.append(await limited.last_look())
    assert problems == [None, None, "it used more than 60 s of CPU time"]


async def test_what_all_commands_have_waited_for_a_core(
    meter: FakeMeter, limited: steps.Limited, child: Child
) -> None:
    for waited in (2_000_000_000, 3_000_000_000):
        meter.figures["delay_ns"] = waited
        with limited.measuring(child):
            await limited.last_look()
    with limited.measuring(child):
        assert limited.held_up() == 8.0
        meter.broken = True
        assert limited.held_up() == 5.0


@pytest.mark.dear_for("9999-480")
@pytest.mark.parametrize(("waited", "seconds"), [(0, 120), (30, 150), (9999, 480)])
def test_a_build_that_waits_for_a_core_has_more_time(
    waited: int, seconds: int, meter: FakeMeter, tmp_path: Path, child: Child
) -> None:
    """Bots that are handed in together would else refuse each other."""
    meter.figures["delay_ns"] = waited * 1_000_000_000

    async def stopped_after() -> float:
        staged = Staged(tmp_path / "new")
        staged.place.mkdir()
        build = steps.Build(None, Level.GUARD, "test", staged)  # type: ignore[arg-type]  # none runs
        start = trio.current_time()
        with build._allowance.measuring(child), pytest.raises(BotError, match="after 120 s"):
            await build._watch(("make",))
        return round(trio.current_time() - start)

    clock = trio.testing.MockClock(autojump_threshold=0)
    assert trio.run(stopped_after, clock=clock) == seconds


async def test_figures_that_cannot_be_read_are_no_fault_of_the_bot(
    meter: FakeMeter, limited: steps.Limited, child: Child
) -> None:
    meter.broken = True
    text = "cannot test: what it uses cannot be read: no such group"
    with limited.measuring(child), pytest.raises(MachineError, match=text):
        await limited.last_look()


def test_processes_are_looked_at_each_tick_and_files_each_tenth(
    meter: FakeMeter, limited: steps.Limited, child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def wait() -> tuple[float, str]:
        start = trio.current_time()
        with limited.measuring(child):
            problem = await limited.exceeded()
        return round(trio.current_time() - start, 3), problem

    clock = trio.testing.MockClock(autojump_threshold=0)
    monkeypatch.setattr(steps, "STAGED_ENTRIES", -1)
    after, problem = trio.run(wait, clock=clock)
    assert after == 10 * steps.TICK
    assert problem == "it wrote more than 1 GiB or -1 files"
    meter.figures["tasks"] = 65
    assert trio.run(wait, clock=clock) == (
        steps.TICK,
        "it had more than 64 processes and threads",
    )


def test_what_is_printed(limited: steps.Limited) -> None:
    assert limited.printed(64 << 20) is None
    assert limited.printed((64 << 20) + 1) == "it printed more than 64 MiB"


def test_without_walls_nothing_is_measured(child: Child) -> None:
    async def wait() -> bool:
        with trio.move_on_after(3600) as scope:
            await unlimited.exceeded()
        return scope.cancelled_caught

    unlimited: steps.Allowance = steps.Unlimited()
    with unlimited.measuring(child):
        assert trio.run(wait, clock=trio.testing.MockClock(autojump_threshold=0))
        assert trio.run(unlimited.last_look) is None
    assert (unlimited.files(), unlimited.printed(1 << 40)) == (None, None)
