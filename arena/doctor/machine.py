"""The machine itself: system, user, cores, optional libraries and languages."""

from __future__ import annotations

import os
import platform
import re
import shlex
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from msgspec import Struct

from arena.bots.executables import find_command
from arena.bots.language import Language
from arena.bots.languages import COMPETITION, LANGUAGES, missing_programs
from arena.bots.program import Runtime
from arena.bots.wasm import command as wasm
from arena.core.limits import Limits
from arena.doctor.capability import Capability, degraded, passed
from arena.runtime.affinity import usable_cores
from arena.runtime.capacity import cpu_quota, memory_shortage, usable_memory
from arena.sandbox.keeper.seccomp import MACHINES
from arena.text import counted, size_text

DISTRIBUTION = "botarena"
SCHEDSTAT = Path("/proc/self/schedstat")
EXTRAS = {
    "wasm": "no .wasm bots, no --meter instructions",
    "web": "no --live, no arena serve",
    "cluster": "no arena cluster keys",
}
"""What is missing without those extras that contests use."""


class LanguageTools(Struct, frozen=True):
    """Whether bots in one language can be built and run here."""

    name: str
    endings: list[str]
    program: str | None
    """The installed compiler or interpreter; null when something is missing."""
    packages: str
    """The packages of Debian and Ubuntu that have what is needed."""


def examine_machine() -> list[Capability]:
    """Everything but walls and limits."""
    return [system(), user(), cores(), memory(), run_delay(), extras(), languages()]


def system() -> Capability:
    """The operating system and the processor."""
    text = f"{platform.system()} {platform.release()}, {platform.machine()}"
    if sys.platform != "linux":
        after = "no walls and no limits by the kernel: run only bots you trust"
        return degraded("system", text, after, "run the arena on Linux")
    if platform.machine() not in MACHINES:
        after = "the filter of system calls is not made for this processor: only level off"
        return degraded("system", text, after, f"use one of: {', '.join(MACHINES)}")
    return passed("system", text)


def user() -> Capability:
    """The user that runs the arena."""
    if os.geteuid() != 0:
        return passed("user", f"an ordinary user (id {os.getuid()})")
    after = (
        "in a sandbox bots get a user id of their own; at level guard they are root without its "
        "rights; without walls they are root"
    )
    return degraded("user", "root", after, "run the arena as an ordinary user")


def cores() -> Capability:
    """Whether the arena and the bots have two cores together, by affinity and by quota."""
    count, quota = usable_cores(), cpu_quota()
    text = counted(count, "core")
    if quota is not None and quota < count:
        text += f", of which a quota of the control group gives {quota:.4g}"
        count = int(quota)
    if count >= 2:
        return passed("cores", text)
    after = "the arena and the bots wait for each other: times include that"
    return degraded("cores", text, after, "give the machine, or the control group, two cores")


def memory() -> Capability:
    """Whether all bots of a match may use what they may at once."""
    if shortage := memory_shortage(2, Limits().memory):
        return degraded("memory", size_text(usable_memory()), shortage, "play with less --memory")
    return passed("memory", size_text(usable_memory()))


def run_delay() -> Capability:
    """Whether the kernel counts how long a thread waited for a core."""
    if SCHEDSTAT.exists():
        return passed("run delay", "counted for each thread")
    after = (
        "--clock fair does not see, and reports do not say, how long a busy machine held a bot up"
    )
    return degraded("run delay", "not counted", after, "Linux with schedstats")


def extras() -> Capability:
    """Whether the optional libraries are installed."""
    missing = [name for name in EXTRAS if not all(map(_is_there, _libraries(name)))]
    here = [name for name in EXTRAS if name not in missing]
    if not missing:
        return passed("extras", ", ".join(here))
    text = f"{', '.join(here) or 'none'}; not {', '.join(missing)}"
    after = "; ".join(EXTRAS[name] for name in missing)
    wanted = shlex.quote(f".[{','.join(missing)}]")
    return degraded("extras", text, after, f"pip install {wanted} in a clone")


def _libraries(extra: str) -> list[str]:
    """The distributions of an extra, as our own distribution names them."""
    try:
        lines = requires(DISTRIBUTION) or []
    except PackageNotFoundError:  # a checkout that is not installed
        return []
    parts = (re.match(r"([\w.-]+).*extra == ['\"](\w+)['\"]", line) for line in lines)
    return [part[1] for part in parts if part and part[2] == extra]


def _is_there(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True


def languages() -> Capability:
    """Which source files can become bots here, by installed programs. Only the languages of the
    original competition count as missing."""
    known = [language for language in LANGUAGES if has_runtime(language)]
    missing = [language for language in known if missing_programs(language)]
    here = [language.endings[0] for language in known if language not in missing]
    text = f"{len(here)}: {' '.join(here)}"
    wanted = [language for language in missing if language.name in COMPETITION]
    if not wanted:
        return passed("languages", text)
    packages = " ".join(language.packages for language in wanted)
    endings = " ".join(language.endings[0] for language in wanted)
    after, repair = f"no bots from {endings} sources", f"sudo apt-get install {packages}"
    return degraded("languages", f"{text}; not {endings}", after, repair)


def language_tools() -> list[LanguageTools]:
    """The compiler or interpreter of every language."""
    return [
        LanguageTools(language.name, list(language.endings), _program(language), language.packages)
        for language in LANGUAGES
        if has_runtime(language)
    ]


def _program(language: Language) -> str | None:
    if missing_programs(language):
        return None
    names = [text.split()[0] for text in language.compile or language.run]
    if any(name.startswith("{") for name in names):  # one of the two interpreters of Python
        return sys.executable
    return next(filter(None, map(find_command, names)))


def has_runtime(language: Language) -> bool:
    """Whether the runtime of a language is available. (`extras` reports a missing one.)"""
    return language.runtime is not Runtime.WASM or wasm.library() is not None
