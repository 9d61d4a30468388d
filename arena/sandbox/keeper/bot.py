"""One bot of a keeper, and how it ended."""

from __future__ import annotations

import os
import resource
import signal
from typing import TYPE_CHECKING

from arena.sandbox.keeper.messages import Exit

if TYPE_CHECKING:
    from arena.sandbox.keeper.cgroup import Group


class Bot:
    """A bot that was started, until its tree and its control group are gone."""

    def __init__(
        self, pid: int, group: Group | None, entered: int | None = None, *, announced: bool = False
    ) -> None:
        self.pid = pid
        self.group = group
        self.entered_at = entered
        """Where the last step of a sandbox tells that the walls stand."""
        self.announced = announced
        """The arena knows of it. (It does not of processes that ended before they were bots.)"""
        self.running = True
        self.kill_until: float | None = None

    def entered(self) -> bool:
        """Whether the program was executed, once it has ended. From there on whatever ends the
        sandbox is the program's doing."""
        if self.entered_at is None:
            return True
        os.set_blocking(self.entered_at, False)  # what was killed early may have left it open
        with open(self.entered_at, "rb", buffering=0) as file:
            return bool(file.read(1))


def exit_of(bot: Bot, code: int, usage: resource.struct_rusage) -> Exit:
    """How it ended, by what the system says of its process."""
    if bot.entered_at is not None and code > 128:  # how bubblewrap passes a signal on
        code = 128 - code
    cpu_ms = round((usage.ru_utime + usage.ru_stime) * 1000, 3)
    if code < 0:
        return Exit(None, signal_name(-code), cpu_ms, bot.entered())
    return Exit(code, None, cpu_ms, bot.entered())


def signal_name(number: int) -> str:
    """``SIGSEGV`` for 11; real-time signals have only numbers."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
