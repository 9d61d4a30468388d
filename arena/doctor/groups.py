"""Probes of control groups: run bots that exceed their limits, and read the kernel's counters."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, Mapping

import msgspec
import trio

from arena.doctor import capability
from arena.doctor.capability import Capability, degraded, failed, passed
from arena.doctor.context import LIMITS, MIB, ProbeContext, soon
from arena.doctor.inside import (
    Bomb,
    ChildEnd,
    CpuUsed,
    Echo,
    Forked,
    Forks,
    Spin,
    TaskReady,
    UseCpu,
)
from arena.sandbox.keeper.cgroup import ADVICE, FILES
from arena.sandbox.levels import Level
from arena.text import size_text, used_text

MEMORY = 64 * MIB
PROCESSES = 16
WITHOUT = {
    "memory limit": "memory is measured every 50 ms: a bot may exceed its limit by some 200 MiB",
    "process limit": "processes are counted every 50 ms: a fork bomb slows the machine briefly",
    "freeze": "with --no-pondering each process is stopped one by one; daemons run on",
    "group kill": "processes are ended one by one",
    "CPU time": "short children are not counted",
    "shares": "a bot with many threads takes time from its rival",
    "pressure": "delays by a busy machine are read thread by thread",
    "swap limit": "a bot at its limit may push the machine into swapping",
}
"""The consequence of each limit or counter that the kernel does not provide."""


async def groups(context: ProbeContext) -> list[Capability]:
    """Run all probes of control groups."""
    if Level.CGROUP in context.missing:
        return await _without(context)
    async with context.started(Echo(), Level.CGROUP) as inside:
        assert inside.child.group is not None
        files = inside.child.group.files
        set_limits = sorted(inside.child.group.limits)
    found = [passed("control groups", f"limits kept by the kernel: {', '.join(set_limits)}")]
    for probe in PROBES:
        found.append(await probe(context, files))  # noqa: PERF401  # one after the other
    return found


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


def version(files: Mapping[str, str], name: str) -> str:
    """Which version of control groups has a file, or ``none``."""
    base = os.path.basename(files.get(name, ""))
    kinds = [kind for (_, kind), names in FILES.items() if names.get(name) == base]
    return "/".join(kinds) if len(kinds) < 2 else _of_tree(files[name])


def _of_tree(path: str) -> str:
    """Version for file names common to both: only v2 groups have ``cgroup.controllers``."""
    folder = os.path.dirname(path)
    return "v2" if os.path.exists(f"{folder}/cgroup.controllers") else "v1"


async def memory(context: ProbeContext, files: Mapping[str, str]) -> Capability:
    """Whether a memory bomb is stopped at the limit."""
    name, limits = "memory limit", msgspec.structs.replace(LIMITS, memory=MEMORY)
    async with context.started(Bomb(4 * MEMORY), Level.CGROUP, limits) as inside:
        with inside.metered() as meter:
            end = await inside.hear(ChildEnd)
            kills, peak = meter.oom_kills(), meter.peak_memory()
    text = f"{version(files, 'memory')}; a bomb was ended at {used_text(peak, MEMORY)}"
    if end.status == -9 and kills and peak <= MEMORY:
        return passed(name, text)
    text = f"a bomb of {size_text(4 * MEMORY)} took {used_text(peak, MEMORY)}"
    return failed(name, text, "a bot can take the machine's memory", "please report it")


async def processes(context: ProbeContext, files: Mapping[str, str]) -> Capability:
    """Whether a fork bomb is stopped at the limit."""
    name, limits = "process limit", msgspec.structs.replace(LIMITS, processes=PROCESSES)
    async with context.started(Forks(4 * PROCESSES), Level.CGROUP, limits) as inside:
        with inside.metered() as meter:
            said, tasks = await inside.hear(Forked), meter.tasks()
    if said.refused and said.made < PROCESSES and tasks <= PROCESSES:
        text = f"{version(files, 'pids_limit')}; a fork bomb was stopped at {tasks} of {PROCESSES}"
        return passed(name, text)
    text = f"a fork bomb made {said.made} of {PROCESSES} processes"
    return failed(name, text, "a bot can fill the process table", "please report it")


async def freeze(context: ProbeContext, files: Mapping[str, str]) -> Capability:
    """Whether a busy loop can be frozen."""
    if "freeze" not in files:
        return degraded("freeze", "none", WITHOUT["freeze"], "Linux 5.2 or newer")
    async with context.started(Spin(), Level.CGROUP) as inside:
        await inside.hear(TaskReady)
        with inside.metered() as meter:
            await soon(meter.freeze)
            before = meter.cpu_ns()
            await trio.sleep(0.05)
            frozen, waits = meter.cpu_ns() - before, meter.ready()  # for a core, on a full machine
            meter.thaw()
            await soon(lambda: meter.cpu_ns() > before + 20_000_000)
    text = f"{version(files, 'freeze')}; a busy loop used {frozen / 1e6:.1f} ms in 50"
    if frozen < 5_000_000 and not waits:
        return passed("freeze", text)
    return degraded("freeze", text, "--no-pondering does not hold bots", "please report it")


async def kill(context: ProbeContext, files: Mapping[str, str]) -> Capability:
    """Whether a group is killed at once, or process by process."""
    if "kill" in files:
        return passed("group kill", "v2; all processes at once")
    return degraded("group kill", "one by one (v1)", WITHOUT["group kill"], "Linux 5.14, with v2")


async def cpu(context: ProbeContext, files: Mapping[str, str]) -> Capability:
    """Whether the counted CPU time matches what the program reports."""
    if "cpu" not in files:
        return degraded("CPU time", "none", WITHOUT["CPU time"], "mount cgroup v2, or v1 cpuacct")
    async with context.started(UseCpu(0.1), Level.CGROUP) as inside:
        with inside.metered() as meter:
            said, counted = (await inside.hear(CpuUsed)).seconds, meter.cpu_ns() / 1e9
    text = f"{version(files, 'cpu')}; counted {counted * 1000:.0f} ms, used {said * 1000:.0f}"
    if said * 0.9 < counted:
        return passed("CPU time", text)
    return failed("CPU time", text, "the limit on CPU time is not kept", "please report it")


async def pressure(context: ProbeContext, files: Mapping[str, str]) -> Capability:
    """Whether delay is counted for two busy loops on one core, one of which always waits."""
    if "pressure" not in files:
        return degraded("pressure", "none", WITHOUT["pressure"], "boot with psi=1")
    async with context.started(Spin(), Level.CGROUP) as inside:
        await inside.hear(TaskReady)
        with inside.metered() as meter:
            meter.memory()  # a look finds its threads, whose delays are read from then on
            before = meter.delay_ns()
            used = meter.cpu_ns()
            await soon(lambda: meter.cpu_ns() > used + 50_000_000)
            meter.memory()
            after = meter.delay_ns()
    if before is None or after is None or after == before:
        text = "not counted"
        return degraded("pressure", text, WITHOUT["pressure"], "boot with psi=1")
    return passed("pressure", f"v2; two loops on one core: {(after - before) / 1e6:.0f} ms delay")


async def share(context: ProbeContext, files: Mapping[str, str]) -> Capability:
    """Whether cores are shared between bots, rather than between all their threads."""
    if "share" in files:
        return passed(
            "shares", f"{version(files, 'share')}; cores are shared by bot, not by thread"
        )
    repair = "give the arena the controller cpu: systemd-run --scope -p Delegate=yes arena …"
    return degraded("shares", "none", WITHOUT["shares"], repair)


async def swap(context: ProbeContext, files: Mapping[str, str]) -> Capability:
    """Whether swap is limited, if the machine has any."""
    if "swap_limit" in files:
        return passed(
            "swap limit", f"{version(files, 'swap_limit')}; no swap beyond the memory limit"
        )
    if sys.platform == "linux" and _no_swap():
        return passed("swap limit", "none needed: this machine has no swap")
    return degraded("swap limit", "none", WITHOUT["swap limit"], "boot with swapaccount=1")


def _no_swap() -> bool:
    with open("/proc/swaps") as file:
        return len(file.readlines()) < 2


PROBES: tuple[Callable[[ProbeContext, Mapping[str, str]], Awaitable[Capability]], ...] = (
    memory, processes, freeze, kill, cpu, pressure, share, swap,
)  # fmt: skip
