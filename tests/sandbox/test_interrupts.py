"""How the arena takes signals, in processes of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from arena.sandbox.interrupts import INTERRUPTED, force_exit_on_second_interrupt

ROOT = Path(__file__).parents[2]


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python that knows the module as `interrupts`."""
    head = "import os, signal\nfrom arena.sandbox import interrupts\n"
    return subprocess.run(
        [sys.executable, "-c", head + code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )


TWICE = """
with interrupts.force_exit_on_second_interrupt():
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("in good order", flush=True)
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            print("not reached", flush=True)
"""


def test_the_first_ctrl_c_ends_in_good_order_and_the_second_at_once() -> None:
    ran = run(TWICE)
    assert ran.stdout == "in good order\n"
    assert ran.returncode == INTERRUPTED
    assert ran.stderr == ""  # no terminal, no cursor to show


def test_afterwards_a_ctrl_c_is_what_it_was() -> None:
    ran = run(
        "for _ in range(2):\n"
        "    with interrupts.force_exit_on_second_interrupt(): pass\n"
        "for _ in range(2):\n"
        "    try: signal.raise_signal(signal.SIGINT)\n"
        "    except KeyboardInterrupt: print('interrupted')\n"
    )
    assert ran.stdout == "interrupted\ninterrupted\n"


@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_termination_is_an_interrupt(number: str) -> None:
    ran = run(
        "interrupts.interrupt_on_termination()\n"
        f"try: signal.raise_signal(signal.{number})\n"
        "except KeyboardInterrupt: print('interrupted')\n"
    )
    assert ran.stdout == "interrupted\n"


IMPORTING = """
import time, weakref
interrupts.interrupt_on_termination()
text = "def cb(_):\\n    signal.raise_signal(signal.SIGTERM)\\n"
exec(compile(text, "<frozen importlib._bootstrap>", "exec"))
class Lock: pass
lock = Lock()
kept = weakref.ref(lock, cb)
try:
    del lock
    time.sleep(20)
    print("lost")
except KeyboardInterrupt:
    print("interrupted")
"""
FORKING = """
import time
interrupts.interrupt_on_termination()
text = "def _releaseLock():\\n    signal.raise_signal(signal.SIGINT)\\n"
place = {"signal": signal}
exec(compile(text, "/lib/logging/__init__.py", "exec"), place)
parent = os.getpid()
def release():
    if os.getpid() == parent: place["_releaseLock"]()
os.register_at_fork(after_in_parent=release)
with interrupts.force_exit_on_second_interrupt():
    try:
        if not os.fork(): os._exit(0)
        time.sleep(20)
        print("lost")
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.parametrize("code", [IMPORTING, FORKING])
def test_an_interrupt_is_not_lost_where_python_drops_it(code: str) -> None:
    ran = run(code)
    assert (ran.stdout, ran.stderr) == ("interrupted\n", "")


def test_what_is_ignored_stays_ignored() -> None:
    ran = run(
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "interrupts.interrupt_on_termination()\n"
        "signal.raise_signal(signal.SIGHUP)\n"
        "print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)\n"
    )
    assert ran.stdout == "True\n"


IGNORED = """
signal.signal(signal.SIGINT, signal.SIG_IGN)
interrupts.interrupt_on_termination()
import trio
async def main():
    with interrupts.force_exit_on_second_interrupt():
        signal.raise_signal(signal.SIGINT)
        await trio.sleep(0)
        print("alive", flush=True)
        try:
            signal.raise_signal(signal.{number})
            await trio.sleep(60)
        finally:
            print("in good order", flush=True)
try: trio.run(main)
except BaseException as error: print(repr(error))
"""


@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_termination_ends_what_ignores_interrupts(number: str) -> None:
    """A shell starts what a script has in the background with SIGINT ignored."""
    ran = run(IGNORED.format(number=number))
    assert ran.stdout == "alive\nin good order\nKeyboardInterrupt()\n", ran.stderr


def test_an_interrupt_that_is_ignored_is_not_made_one() -> None:
    ran = run(
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "with interrupts.force_exit_on_second_interrupt():\n"
        "    for _ in range(2): signal.raise_signal(signal.SIGINT)\n"
        "print('alive')\n"
    )
    assert ran.stdout == "alive\n"


def test_a_worker_leaves_interrupts_to_the_arena() -> None:
    ran = run(
        "interrupts.interrupt_on_termination()\n"
        "interrupts.ignore_in_worker()\n"
        "for number in (signal.SIGINT, signal.SIGHUP): signal.raise_signal(number)\n"
        "print('alive', flush=True)\n"
        "signal.raise_signal(signal.SIGTERM)\n"
        "print('not reached', flush=True)\n"
    )
    assert ran.stdout == "alive\n"
    assert ran.returncode == -signal.SIGTERM


def test_in_another_thread_nothing_changes() -> None:
    def enter() -> None:
        with force_exit_on_second_interrupt():
            found.append(signal.getsignal(signal.SIGINT))

    found: list[object] = []
    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert found == [before]
