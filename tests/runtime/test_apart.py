"""Pieces of work in processes of their own: each fails alone."""

from __future__ import annotations

import inspect
import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.errors import ArenaError, BotError
from arena.runtime import apart as module
from arena.runtime.apart import Failure, apart, limited
from arena.sandbox.interrupts import interrupt_on_termination
from tests.sandbox.programs import linux_only

Tell = Callable[[str], None]


def does(thing: str, tell: Tell) -> str:
    """What each of the things brings about."""
    match thing:
        case "raises":
            raise KeyError("x")
        case "refuses":
            raise BotError("no bot", "its output")
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "cut":  # it dies while it says something long
            words = inspect.getclosurevars(tell).nonlocals["words"]  # its end of the pipe
            os.write(words.fileno(), (1 << 20).to_bytes(4, "big") + b"x")
            os._exit(7)
        case "exits":
            os._exit(7)
        case "nested":
            does(thing, tell)
        case "memory":
            with limited():
                bytearray(2 << 30)
        case "slow":
            time.sleep(0.3)
    tell(f"does {thing}")
    return thing.upper()


def came_of(*things: str, jobs: int = 1) -> dict[str, str | Failure | ArenaError]:
    return dict(apart(does, things, jobs=jobs))


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_is_done_comes_in_the_order_given(jobs: int) -> None:
    things = ["slow", "a", "b", "c"]
    told: list[tuple[str, str]] = []
    found = list(
        apart(does, things, jobs=jobs, tell=lambda thing, text: told.append((thing, text)))
    )
    assert found == [(thing, thing.upper()) for thing in things]
    assert sorted(told) == sorted((thing, f"does {thing}") for thing in things)


def test_one_that_dies_while_it_speaks() -> None:
    died = Failure("its process ended with status 7")
    assert came_of("a", "cut", "b") == {"a": "A", "cut": died, "b": "B"}


def test_each_fails_alone() -> None:
    found = came_of("raises", "killed", "exits", "nested", "memory", "a")
    assert found.pop("a") == "A"
    why = {thing: one.why for thing, one in found.items() if isinstance(one, Failure)}
    assert why == {
        "raises": "KeyError: 'x'",
        "killed": "its process was killed (is the machine out of memory?)",
        "exits": "its process ended with status 7",
        "nested": "it is nested too deep",
        "memory": "it takes more than 1 GiB of memory",
    }
    raised = found["raises"]
    assert isinstance(raised, Failure)
    assert 'raise KeyError("x")' in raised.trace


def test_an_error_that_is_meant_is_handed_on() -> None:
    error = came_of("refuses")["refuses"]
    assert isinstance(error, BotError)
    assert (str(error), error.output) == ("no bot", "its output")


def spins(thing: str, tell: Tell) -> None:
    with limited():
        while True:
            pass


def waits(thing: str, tell: Tell) -> None:
    with limited():
        os.open(thing, os.O_RDONLY)  # of a pipe that nobody writes


@pytest.mark.dear
@linux_only
def test_what_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CPU", 1)
    monkeypatch.setattr(module, "SECONDS", 60)
    assert list(apart(spins, ["a"])) == [("a", Failure("it takes more than 1 s of CPU time"))]
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(module, "SECONDS", 1)
    ((_, found),) = apart(waits, [str(tmp_path / "pipe")])
    assert isinstance(found, Failure)
    assert "minutes" in found.why


def test_the_limits_end_with_the_reading() -> None:
    kinds = resource.RLIMIT_AS, resource.RLIMIT_CPU
    before = [resource.getrlimit(kind) for kind in kinds]
    with limited():
        assert [resource.getrlimit(kind) for kind in kinds] != before
    assert [resource.getrlimit(kind) for kind in kinds] == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def notes(thing: str, tell: Tell) -> None:
    """It says who it is, and what ends it."""
    place = Path(thing)
    try:
        place.with_suffix(".new").write_text(str(os.getpid()))
        place.with_suffix(".new").rename(place.with_suffix(".pid"))
        time.sleep(60)
    except KeyboardInterrupt:
        place.with_suffix(".ended").touch()
        raise


def hangs(thing: str, tell: Tell) -> str:
    if thing == "hangs":
        time.sleep(60)
    return thing.upper()


def on_cores(thing: str, tell: Tell) -> set[int]:
    time.sleep(0.2)
    return os.sched_getaffinity(0)


@linux_only
def test_each_may_stay_on_a_core_of_its_own() -> None:
    cores = sorted(os.sched_getaffinity(0))[:2]
    pinned = [found for _, found in apart(on_cores, [*"abcd"], jobs=len(cores), pin=True)]
    assert all(isinstance(one, set) and len(one) == 1 for one in pinned)
    assert set().union(*pinned) == set(cores)  # type: ignore[arg-type]  # they are sets
    ((_, free),) = apart(on_cores, ["a"])
    assert free == os.sched_getaffinity(0)


@linux_only
def test_one_that_hangs_holds_its_own_slot_and_a_ctrl_c_leaves_the_others() -> None:
    things = ["a", "hangs", *"bcde"]
    ended: list[str] = []

    def end(thing: str) -> None:
        ended.append(thing)
        if thing == "e":
            os.kill(os.getpid(), signal.SIGINT)

    found: list[tuple[str, object]] = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            found.extend(one for one in apart(hangs, things, jobs=2, ended=end))
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == [*"abcde"]
    assert found == [(thing, thing.upper()) for thing in "abcde"]


@contextmanager
def signals_of_the_command_line() -> Iterator[None]:
    """Its handlers also bring back an interrupt that comes in the middle of a fork, which Python
    drops otherwise. (A worker of pytest has none.)"""
    usual = {signal.SIGINT: signal.default_int_handler} | dict.fromkeys(
        (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM), signal.SIG_DFL
    )
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    interrupt_on_termination()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def to_the_process() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def to_another_thread() -> None:
    """As just before the wait: the handler is due, and nothing wakes the thread that runs it."""
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)


@pytest.mark.parametrize("interrupt", [to_the_process, to_another_thread])
def test_a_ctrl_c_ends_all_in_good_order(
    interrupt: Callable[[], None], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    things = [str(tmp_path / name) for name in "ab"]

    def interrupt_both() -> None:
        while len(list(tmp_path.glob("*.pid"))) < 2:
            time.sleep(0.01)
        interrupt()

    with signals_of_the_command_line():
        threading.Thread(target=interrupt_both).start()
        with pytest.raises(KeyboardInterrupt):
            list(apart(notes, things, jobs=2))
    assert len(list(tmp_path.glob("*.ended"))) == 2
    for file in tmp_path.glob("*.pid"):
        with pytest.raises(ProcessLookupError):
            os.kill(int(file.read_text()), 0)
    assert capfd.readouterr().err == ""
