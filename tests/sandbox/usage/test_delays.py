"""Which threads are followed, and what is told of them."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing

import pytest

from arena.sandbox.keeper import proc
from arena.sandbox.usage import delays
from arena.sandbox.usage.delays import RunDelays
from arena.sandbox.usage.procfs import ProcfsMeter
from tests.sandbox.programs import linux_only
from tests.sandbox.usage.trees import running
from tests.support.groups import wait_until

pytestmark = linux_only

PINNED = "import os, time\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
TWO = PINNED + "child = os.fork()\nKIND\nif child: print(1, flush=True)\nwhile True: "
TWO_BURN = TWO + "pass\n"
TWO_RUN = TWO + "sum(range(9999)); time.sleep(0.01)\n"
IDLE = "if not child: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))"
NICE = "if not child: os.nice(5)"
BATCH = IDLE.replace("IDLE", "BATCH")
OWN = os.getpriority(os.PRIO_PROCESS, 0)
KINDS = {
    "pass": (OWN, 0),
    IDLE: (OWN, os.SCHED_IDLE),
    NICE: (OWN + 5, 0),
    BATCH: (OWN, os.SCHED_BATCH),
}
"""Nice and policy of the child. The tests themselves may run under ``nice``."""


@pytest.mark.parametrize(("kind", "followed"), [("pass", 2), (IDLE, 1), (NICE, 1), (BATCH, 2)])
def test_threads_of_lower_class_make_no_delay(kind: str, followed: int) -> None:
    with running(TWO_RUN.replace("KIND", kind)) as process:
        meter = ProcfsMeter(process.pid)

        def all_have_run() -> bool:
            meter.memory()
            chosen = KINDS[kind]
            return len(meter._delays._ran) == 2 and any(
                delays._stat(thread)[1:3] == chosen for thread in meter._delays._ran
            )

        wait_until(lambda: all_have_run() and len(meter._delays._followed) == followed)
        meter.close()


def test_delay_of_before_a_thread_is_followed_does_not_count() -> None:
    with running(TWO_BURN.replace("KIND", "pass")) as process:

        def delay() -> int:
            with closing(delays._Followed((process.pid, process.pid))) as followed:
                return followed.delay

        wait_until(lambda: delay() > 200_000_000)
        before = delay()
        late = RunDelays(process.pid)
        assert late.total() <= delay() - before + 100_000_000
        first = late.total()
        wait_until(lambda: late.total() > first)
        late.close()


@pytest.mark.dear
def test_no_more_than_a_few_threads_are_followed() -> None:
    many = (
        "import threading\ndef burn():\n    while True: sum(range(1000))\n"
        "for _ in range(9): threading.Thread(target=burn).start()\nprint(1, flush=True)\nburn()\n"
    )
    with running(many) as process:
        meter = ProcfsMeter(process.pid)

        def full() -> bool:
            meter.memory()
            return len(meter._delays._followed) == delays.FOLLOWED

        wait_until(full)
        for _ in range(5):
            meter.memory()
            assert len(meter._delays._followed) <= delays.FOLLOWED
        meter.close()


def test_who_is_ready_to_run() -> None:
    with running("print(1, flush=True); input()\nwhile True: pass\n") as process:
        assert process.stdin is not None
        meter = ProcfsMeter(process.pid)
        wait_until(lambda: not meter.ready())
        process.stdin.write(b"\n")
        process.stdin.flush()
        wait_until(meter.ready)
        os.kill(process.pid, signal.SIGSTOP)  # of itself or from outside: it would not run
        wait_until(lambda: not meter.ready())
        os.kill(process.pid, signal.SIGCONT)
        wait_until(meter.ready)
        meter.close()
    assert not meter.ready()
    meter.close()


def test_a_thread_that_waits_as_it_chose_to_is_not_ready() -> None:
    idle = IDLE.replace("if not child: ", "")
    code = f"import os\nprint(1, flush=True)\n{idle}\nwhile True: pass\n"
    with running(code) as process:
        wait_until(lambda: delays._stat((process.pid, process.pid))[2] == os.SCHED_IDLE)
        meter = ProcfsMeter(process.pid)
        assert not any(meter.ready() for _ in range(20))
        meter.close()


def test_what_is_gone_has_nothing() -> None:
    gone = RunDelays(2**22 + 1)
    assert gone.total() == 0
    gone.choose([])
    assert gone.total() == 0
    assert not gone.any_ready([2**22 + 1])
    gone.close()


def test_a_process_that_is_leaving() -> None:
    assert proc.is_leaving(2**22 + 1)
    assert not proc.is_leaving(os.getpid())
    child = os.fork()
    if child == 0:
        os._exit(0)
    wait_until(lambda: proc.is_leaving(child))  # a zombie
    os.waitpid(child, 0)


# -- the program's own part, by the millisecond ----------------------------------------------------

MS = 1_000_000


class Kernel:
    """What the kernel tells of threads of process 7, and the clocks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *threads: int) -> None:
        self.now = 0
        self.ran = dict.fromkeys(threads, 0)
        self.delay = dict.fromkeys(threads, 0)
        self.ready: set[int] = set()
        self.files: dict[int, int] = {}
        monkeypatch.setattr(delays, "_open", lambda thread: self.open(thread[1]))
        monkeypatch.setattr(delays, "_schedstat", lambda file: self.schedstat(self.files[file]))
        monkeypatch.setattr(delays, "_has_run", lambda thread: self.ran[thread[1]] * MS)
        monkeypatch.setattr(delays, "_stat", lambda thread: self.stat(thread[1]))
        monkeypatch.setattr(time, "monotonic_ns", lambda: self.now * MS)

    def open(self, tid: int) -> int:
        file = os.open(os.devnull, os.O_RDONLY)
        self.files[file] = tid
        return file

    def schedstat(self, tid: int) -> tuple[int, int]:
        return self.ran[tid] * MS, self.delay[tid] * MS

    def stat(self, tid: int) -> delays._Stat:
        state = b"R" if tid in self.ready else b"S"
        return delays._Stat(state, 0, os.SCHED_OTHER, len(self.ran))

    def follow(self) -> RunDelays:
        """All of them."""
        found = RunDelays(min(self.ran))
        threads = [(min(self.ran), tid) for tid in self.ran]
        for thread in threads:
            found.visit(thread)
        found.choose(threads)
        return found

    def pass_time(self, ms: int, *, ran: dict[int, int], delay: dict[int, int]) -> None:
        """So many milliseconds, in which threads ran and were told to have waited."""
        self.now += ms
        for tid in self.ran:
            self.ran[tid] += ran.get(tid, 0)
            self.delay[tid] += delay.get(tid, 0)

    def told(self, found: RunDelays) -> int:
        """Milliseconds in all."""
        return found.total() // MS


@pytest.mark.parametrize(("ready", "before"), [({7}, 12), (set(), 0)])
def test_what_a_thread_waited_already_is_not_of_the_request(
    monkeypatch: pytest.MonkeyPatch, ready: set[int], before: int
) -> None:
    """In 20 ms it ran for 5 and was told of a wait of 3: it may have been waiting for 12."""
    kernel = Kernel(monkeypatch, 7)
    found = kernel.follow()
    kernel.pass_time(1, ran={}, delay={})
    found.see()
    kernel.pass_time(20, ran={7: 5}, delay={7: 3})
    kernel.ready = ready
    found.begin(waits=True)
    kernel.pass_time(30, ran={7: 1}, delay={7: 15})
    found.total()
    assert found.own_part(None, at_once=False) == before * MS
    kernel.pass_time(5, ran={}, delay={})
    found.begin(waits=False)
    assert found.own_part(None, at_once=False) == 0
    found.close()


def test_threads_that_wait_for_each_other_were_not_held_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three on one core, 2 ms each, and the machine takes 3 ms before all of them."""
    kernel = Kernel(monkeypatch, 7, 8, 9)
    found = kernel.follow()
    found.begin(waits=False)
    kernel.pass_time(9, ran={7: 2, 8: 2, 9: 2}, delay={7: 3, 8: 5, 9: 7})
    assert kernel.told(found) == 15
    assert (15 * MS) - found.own_part(6 * MS, at_once=False) == (0 + 1 + 3) * MS
    assert (15 * MS) - found.own_part(6 * MS, at_once=True) == 3 * MS
    found.close()


def test_what_a_thread_waited_that_was_never_seen_may_be_of_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel = Kernel(monkeypatch, 7, 8)
    found = RunDelays(7)
    found.begin(waits=False)
    for thread in ((7, 7), (7, 8)):
        found.visit(thread)
    found.choose([(7, 7), (7, 8)])
    kernel.pass_time(20, ran={}, delay={7: 4, 8: 20})
    assert kernel.told(found) == 24
    assert 24 * MS - found.own_part(0, at_once=False) == 4 * MS
    found.close()


def test_a_wait_may_be_older_than_the_last_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel tells of a wait when it is over: a look in its midst hears nothing of it."""
    kernel = Kernel(monkeypatch, 7)
    found = kernel.follow()
    kernel.pass_time(1, ran={7: 1}, delay={})
    found.see()
    for _ in range(3):
        kernel.pass_time(50, ran={}, delay={})
        found.see()
    kernel.pass_time(10, ran={}, delay={})
    kernel.ready = {7}
    found.begin(waits=True)
    kernel.pass_time(30, ran={7: 1}, delay={7: 189})
    assert kernel.told(found) == 189
    assert 189 * MS - found.own_part(None, at_once=False) == 29 * MS
    found.close()


@pytest.mark.parametrize(("ready", "delay"), [(set(), 300), ({8}, 280)])
def test_a_thread_that_computes_unasked_does_not_wait_for_the_answer(
    monkeypatch: pytest.MonkeyPatch, ready: set[int], delay: int
) -> None:
    """The first thread answers, and sleeps for 20 ms meanwhile; the second waits all the time."""
    kernel = Kernel(monkeypatch, 7, 8)
    found = kernel.follow()
    kernel.ready = ready
    found.begin(waits=False)
    kernel.pass_time(325, ran={7: 20, 8: 2}, delay={7: 282, 8: 320})
    total = found.total()
    assert total - found.own_part(22 * MS, at_once=True) == delay * MS
    found.close()
