"""When the arena was held up: a loop that is played by hand, on a mock clock."""

from __future__ import annotations

import pytest
import trio

from arena.sandbox import loop_delay
from arena.sandbox.loop_delay import UNMEASURED, MeasuredLoopDelay, measure_loop_delay
from tests.sandbox.programs import linux_only
from tests.support.fake import MockClock

pytestmark = linux_only


class ByHand(MeasuredLoopDelay):
    """Its thread runs, or waits for a core, for as long as a test says."""

    busy = 0.0

    def _read(self) -> float:
        return self.busy

    def wait(self, clock: MockClock, seconds: float, *, busy: float = 0.0, meant: float) -> None:
        """The loop waits for its pipes, at most for `meant`."""
        self.before_io_wait(meant)
        self.spend(clock, seconds, busy)
        self.after_io_wait(meant)

    def spend(self, clock: MockClock, seconds: float, busy: float) -> None:
        """Time goes by."""
        clock.jump(seconds)
        self.busy += busy


async def test_a_line_that_woke_the_loop_came_when_it_woke_up(autojump_clock: MockClock) -> None:
    loop = ByHand()
    since = trio.current_time()
    loop.wait(autojump_clock, 0.037, busy=0.007, meant=0.05)
    assert loop.unread(trio.current_time(), since) == pytest.approx(0.007)
    loop.spend(autojump_clock, 0.002, 0.002)  # and it works before it reads
    assert loop.unread(trio.current_time(), since) == pytest.approx(0.009)
    loop.close()


async def test_what_was_done_before_a_wait_held_no_line_up(autojump_clock: MockClock) -> None:
    """However brief it was: a line that woke the loop had not come then."""
    loop = ByHand()
    since = trio.current_time()
    loop.spend(autojump_clock, 0.0009, 0.0009)
    loop.wait(autojump_clock, 0.01, meant=0.05)
    assert loop.unread(trio.current_time(), since) == pytest.approx(0)
    loop.close()


async def test_a_line_that_was_there_may_have_come_since_the_wait_before(
    autojump_clock: MockClock,
) -> None:
    loop = ByHand()
    since = trio.current_time()
    loop.wait(autojump_clock, 0.01, meant=0.05)
    loop.spend(autojump_clock, 0.03, 0.03)
    loop.wait(autojump_clock, 0.0, meant=0.02)
    assert loop.unread(trio.current_time(), since) == pytest.approx(0.03)
    loop.close()


@pytest.mark.parametrize("seen", [True, False])
async def test_a_line_may_have_come_all_the_while_when_the_arena_was_stopped(
    autojump_clock: MockClock, seen: bool
) -> None:
    """Also when the wait that was stopped has not told of it, and the next one does at once."""
    loop = ByHand()
    since = trio.current_time()
    autojump_clock.jump(0.02)
    loop.wait(autojump_clock, 0.3, meant=0.05)
    if not seen:
        loop.wait(autojump_clock, 0.0, meant=0.05)
    assert loop.unread(trio.current_time(), since) == pytest.approx(0.3)
    loop.close()


async def test_nothing_is_longer_than_the_request(autojump_clock: MockClock) -> None:
    loop = ByHand()
    loop.wait(autojump_clock, 0.3, meant=0.05)
    since = trio.current_time()
    loop.spend(autojump_clock, 0.02, 0.02)
    assert loop.unread(trio.current_time(), since) == pytest.approx(0.02)  # it never waited
    loop.close()


async def test_what_took_less_than_a_millisecond_is_not_looked_into(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = ByHand()
    since = trio.current_time()
    monkeypatch.setattr(ByHand, "_read", lambda loop: 1 / 0)
    autojump_clock.jump(loop_delay.EXAMINED_FROM * 0.99)
    assert loop.unread(trio.current_time(), since) == 0.0
    loop.close()


@pytest.mark.parametrize(("busy", "still"), [(0.0, 2.0), (1.99, 0.0)])
async def test_an_arena_that_neither_ran_nor_waited_stood_still(
    autojump_clock: MockClock, busy: float, still: float
) -> None:
    loop = ByHand()
    since = trio.current_time()
    loop.wait(autojump_clock, 2.0, busy=busy, meant=0.05)
    now = trio.current_time()
    assert loop.standstill(now, since, since + 0.05) == pytest.approx(still)
    loop.close()


def test_where_nothing_is_known_only_a_long_lag_is_a_standstill() -> None:
    assert UNMEASURED.unread(9.0, 1.0) == 0.0
    assert UNMEASURED.standstill(9.0, 1.0, 8.1) == 0.0
    assert UNMEASURED.standstill(9.0, 1.0, 7.9) == 8.0


async def test_the_loop_is_watched_for_the_time_of_a_with() -> None:
    with measure_loop_delay() as watching:
        assert isinstance(watching, MeasuredLoopDelay)
        before = watching._entered
        await trio.sleep(0.002)
        assert watching._entered > before
        assert watching._read() >= watching._busy > 0
    with measure_loop_delay() as another:
        assert another is not watching


async def test_a_system_that_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_delay, "OWN_SCHEDSTAT", "/nowhere")
    with measure_loop_delay() as watching:
        assert watching is UNMEASURED
