"""Probes of control groups: run bots that exceed their limits, look for the kernel's counters.

A limit is proved by a bot that goes beyond it. A counter or a switch is there if the kernel has its
file in the group of a bot.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

import msgspec

from arena.doctor import capability
from arena.doctor.capability import Capability, degraded, failed, passed
from arena.doctor.context import LIMITS, MIB, ProbeContext
from arena.doctor.inside import Bomb, ChildEnd, CpuUsed, Forked, Forks, UseCpu
from arena.sandbox.keeper.cgroup import ADVICE
from arena.sandbox.levels import Level
from arena.text import size_text, used_text

MEMORY = 64 * MIB
PROCESSES = 16
WITHOUT = {
    "memory limit": "memory is measured every 50 ms: a bot may exceed its limit by some 200 MiB",
    "process limit": "processes are counted every 50 ms: a fork bomb slows the machine briefly",
    "CPU time": "short children are not counted",
    "freeze": "with --no-pondering each process is stopped one by one; daemons run on",
    "group kill": "processes are ended one by one",
    "shares": "a bot with many threads takes time from its rival",
    "pressure": "delays by a busy machine are read thread by thread",
    "swap limit": "a bot at its limit may push the machine into swapping",
}
"""The consequence of each limit or counter that the kernel does not provide."""
DELEGATE = "give the arena the controller cpu: systemd-run --scope -p Delegate=yes arena …"
FILES = {
    "freeze": ("freeze", "Linux 5.2 or newer"),
    "group kill": ("kill", "Linux 5.14, with v2"),
    "shares": ("share", DELEGATE),
    "pressure": ("pressure", "boot with psi=1"),
    "swap limit": ("swap_limit", "boot with swapaccount=1"),
}
"""What the kernel offers if it has a file: the key of the file, and the repair if it has none."""


async def groups(context: ProbeContext) -> list[Capability]:
    """Run all probes of control groups."""
    if Level.CGROUP in context.missing:
        return await _without(context)
    cpu, files, set_limits = await cpu_time(context)
    found = passed("control groups", f"limits kept by the kernel: {', '.join(set_limits)}")
    limits = [await memory(context), await processes(context), cpu]
    return [found, *limits, *(by_file(name, files) for name in FILES)]


async def _without(context: ProbeContext) -> list[Capability]:
    problem, repair = await context.children.no_groups_because(), capability.of_groups()
    if problem is None:
        lacking = context.missing.get(Level.SANDBOX, context.missing[Level.CGROUP])
        problem, repair = capability.of_sandbox(lacking)
        problem = f"present, but useless without the level sandbox: {problem}"
    problem = problem.removesuffix(f": {ADVICE}")  # what the repair says with more knowledge
    after = "no level sandbox+cgroup: limits are kept by repeated measuring, not by the kernel"
    see = "as for control groups"
    lines = [degraded(name, "by looking", text, see) for name, text in WITHOUT.items()]
    return [failed("control groups", problem, after, repair), *lines]


async def memory(context: ProbeContext) -> Capability:
    """Whether a memory bomb is stopped at the limit."""
    name, limits = "memory limit", msgspec.structs.replace(LIMITS, memory=MEMORY)
    async with context.started(Bomb(4 * MEMORY), Level.CGROUP, limits) as inside:
        with inside.metered() as meter:
            end = await inside.hear(ChildEnd)
            kills, peak = meter.oom_kills(), meter.peak_memory()
    if end.status == -9 and kills and peak <= MEMORY:
        return passed(name, f"a bomb was ended at {used_text(peak, MEMORY)}")
    text = f"a bomb of {size_text(4 * MEMORY)} took {used_text(peak, MEMORY)}"
    return failed(name, text, "a bot can take the machine's memory", "please report it")


async def processes(context: ProbeContext) -> Capability:
    """Whether a fork bomb is stopped at the limit."""
    name, limits = "process limit", msgspec.structs.replace(LIMITS, processes=PROCESSES)
    async with context.started(Forks(4 * PROCESSES), Level.CGROUP, limits) as inside:
        with inside.metered() as meter:
            said, tasks = await inside.hear(Forked), meter.tasks()
    if said.refused and said.made < PROCESSES and tasks <= PROCESSES:
        return passed(name, f"a fork bomb was stopped at {tasks} of {PROCESSES}")
    text = f"a fork bomb made {said.made} of {PROCESSES} processes"
    return failed(name, text, "a bot can fill the process table", "please report it")


async def cpu_time(context: ProbeContext) -> tuple[Capability, Mapping[str, str], list[str]]:
    """Whether the counted CPU time matches what the program reports; the files of its group by key,
    and the limits that are set there."""
    async with context.started(UseCpu(0.1), Level.CGROUP) as inside:
        assert inside.child.group is not None
        files, limits = inside.child.group.files, sorted(inside.child.group.limits)
        with inside.metered() as meter:
            said, counted = (await inside.hear(CpuUsed)).seconds, meter.cpu_ns() / 1e9
    return _cpu_time(said, counted, files), files, limits


def _cpu_time(said: float, counted: float, files: Mapping[str, str]) -> Capability:
    name, text = "CPU time", f"counted {counted * 1000:.0f} ms, used {said * 1000:.0f}"
    if "cpu" not in files:
        return degraded(name, "none", WITHOUT[name], "mount cgroup v2, or v1 cpuacct")
    if said * 0.9 < counted:
        return passed(name, text)
    return failed(name, text, "the limit on CPU time is not kept", "please report it")


def by_file(name: str, files: Mapping[str, str]) -> Capability:
    """Whether the kernel has the file of a counter or switch."""
    key, repair = FILES[name]
    if key in files:
        return passed(name, os.path.basename(files[key]))
    if name == "swap limit" and _no_swap():
        return passed(name, "none needed: this machine has no swap")
    return degraded(name, "none", WITHOUT[name], repair)


def _no_swap() -> bool:
    if sys.platform != "linux":
        return False
    with open("/proc/swaps") as file:
        return len(file.readlines()) < 2
