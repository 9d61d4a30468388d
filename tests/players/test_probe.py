"""What is seen of a program that says nothing: whether it waits for input, or does something."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import cast

import pytest
import trio

from arena.players.probe import BUSY, Look, look_at, rested, usage, waits_for_input
from arena.players.process import BotProcess
from arena.players.program import ProgramPlayer
from arena.sandbox.child import Child
from arena.sandbox.usage.cgroup import GroupLost

SLEEPER = (
    "import threading, time\n"
    "threading.Thread(target=time.sleep, args=(99,), daemon=True).start()\n"
    "for line in open(0): pass\n"
)

PROGRAMS = {
    "reads": ("for line in open(0): pass", True),
    "reads in a child": (
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'input(); input()'])",
        True,
    ),
    "reads beside a thread that waits": (
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "for line in open(0): pass",
        True,
    ),
    "has not read": ("import time; time.sleep(99)", False),
    "sleeps": ("input(); import time; time.sleep(99)", False),
    "reads beside a thread that sleeps": (SLEEPER, False),
    "computes": ("input()\nwhile True: pass", False),
    "reads while a child computes": (
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'while True: pass'])\n"
        "for line in open(0): pass",
        False,
    ),
    "reads something else": ("import os; input(); os.read(os.pipe()[0], 1)", False),
}


@pytest.mark.dear_for("reads while a child computes")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a program does")
@pytest.mark.parametrize(("body", "waits"), PROGRAMS.values(), ids=PROGRAMS)
def test_whether_a_program_waits_for_input(body: str, waits: bool) -> None:
    """The one that waits is seen to, however busy the machine is; the others never are."""
    program = subprocess.Popen(
        [sys.executable, "-c", body], stdin=subprocess.PIPE, start_new_session=True
    )
    assert program.stdin is not None
    program.stdin.write(b"one line\n")
    program.stdin.flush()
    child = cast("Child", SimpleNamespace(pid=program.pid, stdin=program.stdin.fileno()))
    try:
        assert waits_within(child, 60 if waits else 0.7) == waits
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()
        program.stdin.close()


def waits_within(child: Child, seconds: float) -> bool:
    """Whether it is ever seen to wait for input, once it can have started."""
    time.sleep(0.3)
    until = time.monotonic() + seconds
    while not (found := waits_for_input(child)) and time.monotonic() < until:
        time.sleep(0.02)
    return bool(found)


class Gone:
    """The meter of a program whose group was removed."""

    def memory(self) -> int:
        """See `Meter`."""
        raise GroupLost("gone")

    cpu_ns = memory


@pytest.mark.parametrize("is_killed", [False, True])
def test_only_a_program_that_was_ended_may_lose_its_figures(is_killed: bool) -> None:
    player = object.__new__(ProgramPlayer)
    child = SimpleNamespace(killed=trio.Event() if is_killed else None)
    player.process = cast("BotProcess", SimpleNamespace(meter=Gone(), child=child))

    async def look() -> tuple[bool | None, tuple[float, int]]:
        return look_at(player).waits, usage(player)

    if is_killed:
        assert trio.run(look) == (False, (0.0, 0))
    else:
        with pytest.raises(GroupLost):
            trio.run(look)


def test_a_program_that_is_gone_tells_nothing() -> None:
    program = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    program.wait()
    assert program.stdin is not None
    child = cast("Child", SimpleNamespace(pid=program.pid, stdin=program.stdin.fileno()))
    assert waits_for_input(child) is None
    program.stdin.close()


@pytest.mark.parametrize(
    ("waits", "used", "is_rest"),
    [
        ((True, True), 0.0, True),
        ((None, None), 0.0, True),
        ((True, True), BUSY, True),
        ((True, True), BUSY * 1.01, False),
        ((True, False), 0.0, False),
        ((False, True), 0.0, False),
    ],
)
def test_a_program_rests_that_waits_before_and_after_and_uses_nothing_between(
    waits: tuple[bool | None, bool | None], used: float, is_rest: bool
) -> None:
    before, after = Look(0.0, 5.0, waits[0]), Look(1.0, 5.0 + used, waits[1])
    assert rested(before, after) is is_rest
