"""Probes of the machine itself: system, user, clocks, room, languages."""

from __future__ import annotations

import os
import platform
import resource
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import trio

from arena.bots.executables import mounted_noexec
from arena.bots.find import find_bot
from arena.bots.language import Language
from arena.bots.languages import COMPETITION, LANGUAGES, missing_programs
from arena.bots.program import Runtime
from arena.bots.runtimes import with_runtime
from arena.bots.wasm import command as wasm
from arena.core.limits import Limits
from arena.doctor.capability import Capability, degraded, failed, passed
from arena.doctor.context import LIMITS, MIB, ProbeContext
from arena.doctor.inside import CpuUsed, UseCpu
from arena.runtime.capacity import jobs_that_fit
from arena.sandbox.keeper.seccomp import MACHINES
from arena.sandbox.levels import Level
from arena.text import counted, size_text

SPACE = 256 * MIB
INODES = 10_000
"""Minimum free bytes and free files of the temporary folder."""
SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "pit")
CLOCK = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
CORE_PATTERN = Path("/proc/sys/kernel/core_pattern")
HAS_SCHEDSTAT = Path("/proc/self/schedstat").exists()
MANY = 10_000
"""More parallel matches than are ever played."""
MODULE = """(module
 (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
 (memory (export "memory") 1)
 (data (i32.const 0) "\\10\\00\\00\\00\\03\\00\\00\\00")
 (data (i32.const 16) "up\\n")
 (func (export "_start") (drop (call $w (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))
"""
"""A WebAssembly program that prints one line."""


def system(context: ProbeContext) -> list[Capability]:
    """The operating system and the processor."""
    text = f"{platform.system()} {platform.release()}, {platform.machine()}"
    if sys.platform != "linux":
        after = "no walls and no limits by the kernel: run only bots you trust"
        return [degraded("system", text, after, "run the arena on Linux")]
    if platform.machine() not in MACHINES:
        after = "the filter of system calls is not made for this processor: only level off"
        return [degraded("system", text, after, f"use one of: {', '.join(MACHINES)}")]
    return [passed("system", text)]


def user(context: ProbeContext) -> list[Capability]:
    """The user that runs the arena."""
    if os.geteuid() != 0:
        return [passed("user", f"an ordinary user (id {os.getuid()})")]
    after = (
        "in a sandbox bots get a user id of their own; at level guard they are root without its "
        "rights; without walls they are root"
    )
    return [degraded("user", "root", after, "run the arena as an ordinary user")]


async def process_clock(context: ProbeContext) -> list[Capability]:
    """Whether CPU time and run delay of a process can be read without a control group."""
    async with context.started(UseCpu(0.05), Level.OFF) as inside:
        said = (await inside.hear(CpuUsed)).seconds
        with inside.metered() as meter:
            meter.memory()
            counted, delay = meter.cpu_ns() / 1e9, meter.delay_ns()
    text = f"counted {counted * 1000:.0f} ms, used {said * 1000:.0f}"
    if counted < said * 0.8:
        after = "--clock cpu and the limit on CPU time cannot work below sandbox+cgroup"
        return [failed("process clock", text, after, "mount /proc")]
    if delay is None or not HAS_SCHEDSTAT:
        after = "reports cannot say how long a busy machine delayed a bot"
        return [degraded("process clock", f"{text}; no run delay", after, "Linux with schedstats")]
    return [passed("process clock", f"{text}; run delay is counted")]


def core_pattern(context: ProbeContext) -> list[Capability]:
    """Where the kernel sends core dumps: a program gets them despite the limit."""
    if not CORE_PATTERN.exists():
        return [passed("core dumps", "none (limit 0)")]
    pattern = CORE_PATTERN.read_text().strip()
    if not pattern.startswith("|"):
        return [passed("core dumps", "none (limit 0, no program takes them)")]
    after = (
        "each crash of a bot is passed to that program, whatever its size, and may fill the disk"
    )
    return [degraded("core dumps", f"piped to {pattern[1:].split()[0]}", after,
                     "sudo sysctl -w kernel.core_pattern=core")]  # fmt: skip


def temporary(context: ProbeContext) -> list[Capability]:
    """The folder for the private folders of bots. (The doctor has already written to it.)"""
    name, place = "temp folder", Path(tempfile.gettempdir())
    room = os.statvfs(place)
    space, files = room.f_bavail * room.f_frsize, room.f_favail
    (context.folder / "probe").write_bytes(bytes(1 << 16))
    noexec = mounted_noexec(place)
    text = f"{place}: {size_text(space)} free{', noexec' if noexec else ''}"
    if space < SPACE or (room.f_files > 0 and files < INODES):
        after = "matches fail when it is full"
        return [degraded(name, f"{text}, {files} files free", after, f"make room in {place}, or "
                         "set TMPDIR to another folder")]  # fmt: skip
    if noexec:
        after = "bots that unpack programs there cannot run them"
        return [degraded(name, text, after, f"sudo mount -o remount,exec {place}, or set TMPDIR")]
    return [passed(name, text)]


def room(context: ProbeContext) -> list[Capability]:
    """How many parallel matches of two bots the descriptor and process limits allow."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    jobs, why = jobs_that_fit(MANY, 2)
    text = f"{allowed} open files; {jobs if jobs < MANY else f'{MANY} and more'} matches at a time"
    if jobs < (os.cpu_count() or 1):
        after = f"--jobs is cut to {jobs}: {why}"
        return [degraded("room", text, after, "ulimit -n 4096; ulimit -u 4096")]
    return [passed("room", text)]


async def webassembly(context: ProbeContext) -> list[Capability]:
    """Compile a WebAssembly program and run it behind the walls."""
    if wasm.library() is None:
        after = "no .wasm bots, and no --meter instructions"
        return [degraded("wasm", "wasmtime is not installed", after, wasm.INSTALL)]
    from importlib.metadata import version

    import wasmtime

    file = context.folder / "probe.wasm"
    file.write_bytes(wasmtime.wat2wasm(MODULE))
    context.folder.chmod(0o755)
    try:
        find = partial(find_bot, str(file), cache=context.folder / "cache")
        program, _ = with_runtime(await trio.to_thread.run_sync(find), Limits(memory=16 * MIB))
        argv, parts = [*program.argv], [*program.parts]
        async with context.running(argv, parts, context.level, LIMITS) as inside:
            await inside.hear_line()
    finally:
        context.folder.chmod(0o700)
    return [passed("wasm", f"wasmtime {version('wasmtime')}, ran a module")]


def languages(context: ProbeContext) -> list[Capability]:
    """Which source files can become bots here, by installed programs. (`arena doctor --languages`
    tries them.) Only the languages of the original competition count as missing."""
    known = [one for one in LANGUAGES if _has_runtime(one)]
    here = [one.endings[0] for one in known if not missing_programs(one)]
    missing = [one for one in known if one.name in COMPETITION and missing_programs(one)]
    more = "; arena doctor --languages tests them, and names those that can be installed"
    text = f"{len(here)}: {' '.join(here)}"
    if not missing:
        return [passed("languages", f"{text}{more}")]
    packages = " ".join(one.packages for one in missing)
    endings = " ".join(one.endings[0] for one in missing)
    after, repair = f"no bots from {endings} sources", f"sudo apt-get install {packages}"
    return [degraded("languages", f"{text}; not {endings}", after, repair)]


def _has_runtime(language: Language) -> bool:
    """Whether the runtime of a language is available. (`webassembly` reports a missing one.)"""
    return language.runtime is not Runtime.WASM or wasm.library() is not None


def clock(context: ProbeContext) -> list[Capability]:
    """The clock source, its speed, and the number of cores."""
    source = CLOCK.read_text().strip() if CLOCK.exists() else "the system's"
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    text = f"{source}, {_read_ns()} ns a read; {counted(cores, 'core')}"
    if source in SLOW_CLOCKS:
        after = "each reading of the clock costs a microsecond or more, and times are coarse"
        return [degraded("clock", text, after, "boot with clocksource=tsc")]
    if cores < 2:
        after = "the arena and the bots wait for each other, and times include that"
        return [degraded("clock", text, after, "give the machine two cores")]
    return [passed("clock", text)]


def _read_ns(times: int = 2000) -> int:
    start = time.monotonic_ns()
    for _ in range(times):
        time.monotonic_ns()
    return (time.monotonic_ns() - start) // times
