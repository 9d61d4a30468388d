"""The limits between the answers of a bot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import trio

from arena.core.limits import Limits
from arena.errors import MachineError
from arena.players import watch
from arena.players.player import Stopped
from arena.players.watch import Watch
from arena.record.verify import verify
from arena.sandbox.keeper.messages import Exit
from arena.sandbox.session import one_error
from arena.sandbox.usage import procfs
from tests.support import live
from tests.support.fake import Bot, FakeMeter, MockClock, faults, first_fault, obedient, play


async def test_R03_a_bot_that_the_kernel_ended_used_too_much_memory(
    autojump_clock: MockClock,
) -> None:
    async def killed(bot: Bot) -> None:
        await bot.request()
        bot.meter.killed, bot.meter.bytes = 1, 256 << 20
        bot.child.leave(Exit(None, "SIGKILL", 0.0))

    result = await play(killed, obedient, limits=Limits(memory=256 << 20))
    player = result.seats[0].player
    assert player.stopped is Stopped.MEMORY
    assert player.stopped_detail == (
        "used 256 MiB of 256 MiB: the kernel ended one of its processes"
    )


async def test_a_match_on_a_machine_without_memory_is_void(autojump_clock: MockClock) -> None:
    """The kernel ends the largest program, which may be the innocent one."""

    async def killed(bot: Bot) -> None:
        await bot.request()
        bot.meter.killed, bot.meter.machine_is_full = 1, True
        bot.child.leave(Exit(None, "SIGKILL", 0.0))

    with pytest.raises(MachineError, match=r"ran out of memory.* match is void"), one_error():
        await play(killed, obedient)


@pytest.mark.parametrize(
    ("used", "kills", "void"), [(203 << 20, 1, True), (203 << 20, 0, False), (900 << 20, 1, False)]
)
def test_without_control_groups_the_kills_of_the_machine_tell(
    monkeypatch: pytest.MonkeyPatch, used: int, kills: int, void: bool
) -> None:
    counts = iter([7, 7 + kills, 7 + kills])
    monkeypatch.setattr(procfs, "_machine_kills", lambda: next(counts))
    monkeypatch.setattr(watch, "_machine", procfs.MachineKills())
    meter = FakeMeter()
    meter.counts_all, meter.bytes = False, used
    examined = Watch(meter, Limits())
    if void:
        with pytest.raises(MachineError, match="used 203 MiB of 1024 MiB"):
            examined.verdict_on(None, "SIGKILL")
    crash = Stopped.CRASHED, "ended by SIGKILL"
    assert examined.verdict_on(None, "SIGKILL") == crash, "a kill counts once"


LIMITED = Limits(memory=60 << 20)


async def test_what_the_last_look_finds_is_told(
    autojump_clock: MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the report and in the record, as a fault: the match itself is over."""

    async def no_look(self: Watch) -> None:
        await trio.sleep_forever()

    monkeypatch.setattr(Watch, "until_broken", no_look)  # there is only the last one

    async def grows(bot: Bot) -> None:
        await bot.request()
        bot.meter.bytes = 77 << 20
        await bot.say("1\n")
        await trio.sleep_forever()

    path = tmp_path / "r.jsonl"
    result = await play(grows, obedient, limits=LIMITED, replay=path, max_rounds=1)
    assert faults(result) == {"memory": 1}
    assert first_fault(result, "memory") == "used 77 MiB of 60 MiB when the match had ended"
    assert result.seats[0].player.stopped is None
    assert faults(result, 1) == {}
    assert "used 77 MiB of 60 MiB when the match had ended" in path.read_text()
    assert verify(path).problem == ""


async def test_a_look_that_is_overdue_counts_as_made_in_time(
    autojump_clock: MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine the match may end before the arena comes to its next look."""

    async def look_late(self: Watch) -> None:
        self._due = trio.current_time()
        await trio.sleep_forever()

    monkeypatch.setattr(Watch, "until_broken", look_late)

    async def grows(bot: Bot) -> None:
        await bot.request()
        bot.meter.bytes = 77 << 20
        await trio.sleep(0.3)
        await bot.say("1\n")
        await trio.sleep_forever()

    path = tmp_path / "r.jsonl"
    result = await play(grows, obedient, limits=LIMITED, replay=path, max_rounds=1)
    assert verify(path).problem == ""
    assert result.seats[0].player.stopped is Stopped.MEMORY
    assert first_fault(result, "memory") == "used 77 MiB of 60 MiB"
    assert faults(result) == {"memory": 1}


@pytest.mark.parametrize("length", [0.004, 0.016, 0.064])
async def test_a_short_match_is_long_enough_to_be_seen(
    autojump_clock: MockClock, length: float
) -> None:
    """Of one that is above its limit from the middle of a match on."""

    async def grows(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(length / 2)
        bot.meter.bytes = 77 << 20
        await trio.sleep(length / 2 + 0.001)
        await bot.say("1\n")

    result = await play(grows, obedient, limits=LIMITED, max_rounds=1)
    assert result.seats[0].player.stopped is Stopped.MEMORY


# -- with real processes --------------------------------------------------------------------------


@pytest.mark.parametrize("sin", ["eat", "eat_slowly", "eat_in_child"])
def test_R01_R02_R03_a_program_that_eats_memory_is_shut_down(sin: str) -> None:
    limit = 100 << 20
    bad, _ = live.seats(live.play(live.hostile(sin, "2"), live.slow(), memory=limit))
    assert bad.stopped == "memory"
    assert bad.peak_memory is not None
    assert limit < bad.peak_memory < limit + (400 << 20)
    assert bad.stopped_detail.endswith("of 100 MiB")
    assert bad.stopped_detail.startswith("used ")


def test_memory_that_a_family_shares_counts_once() -> None:
    """Five times 60 MiB resident, and 60 MiB in all: no reason to end a program at 150 MiB."""
    bad, _ = live.seats(live.play(live.hostile("family", "2"), live.honest(), memory=150 << 20))
    assert bad.stopped is None
    assert bad.faults == {}
    assert bad.peak_memory is not None
    assert 60 << 20 < bad.peak_memory < 150 << 20


@pytest.mark.parametrize("sin", ["fork_bomb", "thread_bomb"])
def test_R06_R08_too_many_processes_or_threads(sin: str) -> None:
    bad, _ = live.seats(live.play(live.hostile(sin, "2"), live.slow()))
    assert bad.stopped == "processes"
    assert re.fullmatch(r"used \d+ of 256 processes and threads", bad.stopped_detail)


@pytest.mark.dear
def test_cpu_time_beyond_what_the_clock_granted() -> None:
    limits = Limits(cpu_grace=-9.5)  # of a bank of 10 s half a second is left: to be short
    bad, _ = live.seats(
        live.play(live.hostile("burn", "1"), live.slow(), limits=limits, time_per_move=1)
    )
    assert bad.stopped == "cpu"
    used = re.fullmatch(r"used (\d\.\d) s of 0\.5 s of CPU time", bad.stopped_detail)
    assert used
    assert 0.5 <= float(used[1]) < 1.5


# -- one look --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figure", "allowed", "broken"),
    [
        ("bytes", 1000, Stopped.MEMORY),
        ("threads", 3, Stopped.PROCESSES),
        ("cpu", 7 * 10**9, Stopped.CPU),
    ],
)
def test_the_limit_itself_is_allowed(figure: str, allowed: int, broken: Stopped) -> None:
    meter = FakeMeter()
    meter.bytes = 0
    examined = Watch(meter, Limits(memory=1000, processes=3, cpu_grace=2.0), lambda: 5 * 10**9)
    setattr(meter, figure, allowed)
    assert examined.look() is None
    setattr(meter, figure, allowed + 1)
    verdict = examined.look()
    assert verdict is not None
    assert verdict[0] is broken


def test_what_has_no_limit_is_allowed() -> None:
    meter = FakeMeter()
    meter.bytes, meter.cpu = 1 << 50, 10**18
    assert Watch(meter, Limits(memory=None)).look() is None


@pytest.mark.parametrize(
    ("code", "signal", "verdict"),
    [
        (0, None, (Stopped.EXITED, "left with exit code 0")),
        (3, None, (Stopped.CRASHED, "left with exit code 3")),
        (None, "SIGBUS", (Stopped.CRASHED, "ended by SIGBUS")),
    ],
)
def test_why_a_program_ended(code: int | None, signal: str | None, verdict: object) -> None:
    assert Watch(FakeMeter(), Limits()).verdict_on(code, signal) == verdict
