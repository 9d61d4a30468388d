"""Probes of the machine itself: system, user, room, languages."""

from __future__ import annotations

import os
import platform
import resource
import sys
import tempfile
from pathlib import Path

from arena.bots.executables import mounted_noexec
from arena.bots.language import Language
from arena.bots.languages import COMPETITION, LANGUAGES, missing_programs
from arena.bots.program import Runtime
from arena.bots.wasm import command as wasm
from arena.doctor.capability import Capability, degraded, passed
from arena.doctor.context import MIB, ProbeContext
from arena.runtime.capacity import jobs_that_fit
from arena.sandbox.keeper.seccomp import MACHINES
from arena.text import counted, size_text

SPACE = 256 * MIB
INODES = 10_000
"""Minimum free bytes and free files of the temporary folder."""
CORE_PATTERN = Path("/proc/sys/kernel/core_pattern")
SCHEDSTAT = Path("/proc/self/schedstat")
MANY_MATCHES = 10_000
"""More parallel matches than are ever played."""


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


def run_delay(context: ProbeContext) -> list[Capability]:
    """Whether the kernel counts how long a thread waited for a core."""
    if SCHEDSTAT.exists():
        return [passed("run delay", "counted for each thread")]
    after = (
        "--clock fair does not see, and reports do not say, how long a busy machine held a bot up"
    )
    return [degraded("run delay", "not counted", after, "Linux with schedstats")]


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
    """How many parallel matches of two bots the descriptor and process limits allow, and whether
    there are two cores."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    jobs, why = jobs_that_fit(MANY_MATCHES, 2)
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    fit = f"{jobs if jobs < MANY_MATCHES else f'{MANY_MATCHES} and more'} matches at a time"
    text = f"{counted(cores, 'core')}; {allowed} open files; {fit}"
    if jobs < cores:
        after = f"--jobs is cut to {jobs}: {why}"
        return [degraded("room", text, after, "ulimit -n 4096; ulimit -u 4096")]
    if cores < 2:
        after = "the arena and the bots wait for each other: times include that"
        return [degraded("room", text, after, "give the machine two cores")]
    return [passed("room", text)]


def languages(context: ProbeContext) -> list[Capability]:
    """Which source files can become bots here, by installed programs. (`arena doctor --languages`
    tries them.) Only the languages of the original competition count as missing."""
    known = [one for one in LANGUAGES if has_runtime(one)]
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


def has_runtime(language: Language) -> bool:
    """Whether the runtime of a language is available. (`extras` reports a missing one.)"""
    return language.runtime is not Runtime.WASM or wasm.library() is not None
