"""How long a program has to leave by itself after the end of its input."""

from __future__ import annotations

import trio

from arena.sandbox.child import Child
from arena.sandbox.usage.meter import Meter

LEAVE_WITHIN = 0.100
"""Seconds for a program to leave by itself after the end of its input. One that waits for a core is
ended when it has used as much CPU time, or after `RUNS_WITHIN`."""
RUNS_WITHIN = 1.0
"""Seconds for one that is ready to run."""


async def let_leave(child: Child, meter: Meter) -> None:
    """Wait until it has left, or had its time."""
    start, cpu = trio.current_time(), meter.cpu_ns()
    while child.exit is None:
        with trio.move_on_after(LEAVE_WITHIN):
            await child.exited.wait()
            return
        waits = child.is_leaving() or meter.ready()
        is_due = meter.cpu_ns() - cpu >= LEAVE_WITHIN * 1e9 or not waits
        if is_due or trio.current_time() - start >= RUNS_WITHIN:
            return
