"""Run all probes, one after the other, and make the diagnosis from their findings."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import trio

from arena.doctor import groups, isolation, kills, machine
from arena.doctor.capability import Capability, Diagnosis, Status, degraded, failed, passed
from arena.doctor.context import ProbeContext
from arena.sandbox.children import Children
from arena.sandbox.keeper import tempdirs
from arena.sandbox.levels import Level, SandboxMode, SandboxWish
from arena.sandbox.probe import CANDIDATES, why_unavailable
from arena.sandbox.session import keeper_running, run_with

# Optional libraries: the extras in `pyproject.toml`.

EXTRAS = {
    "wasm": (("wasmtime",), "no .wasm bots, and no --meter instructions", "pip install '.[wasm]'"),
    "web": (
        ("starlette", "h11", "wsproto", "jinja2", "python-multipart", "markdown-it-py"),
        "no --live, no arena serve",
        "pip install '.[web]'",
    ),
    "openspiel": (("open_spiel",), "no games openspiel:NAME", "pip install '.[openspiel]'"),
    "cluster": (("cryptography",), "no arena cluster keys", "pip install '.[cluster]'"),
}
"""The distributions of an extra, what is missing without them, and the command that installs
them."""


def extras(context: ProbeContext) -> list[Capability]:
    """Whether each extra is installed."""
    return [_extra(name, *found) for name, found in EXTRAS.items()]


def _extra(name: str, distributions: tuple[str, ...], without: str, repair: str) -> Capability:
    releases = {one: _release(one) for one in distributions}
    missing = [one for one, release in releases.items() if not release]
    if missing:
        text = f"{' and '.join(missing)} not installed"
        return degraded(name, text, without, repair)
    return passed(name, ", ".join(f"{one} {release}" for one, release in releases.items()))


def _release(distribution: str) -> str:
    """The installed release; empty when there is none."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


Probe = Callable[[ProbeContext], Awaitable[list[Capability]]]


def at_once(look: Callable[[ProbeContext], list[Capability]]) -> Probe:
    """Make a probe of a synchronous function."""

    async def probe(context: ProbeContext) -> list[Capability]:
        return look(context)

    return probe


PROBES: dict[str, Probe] = {
    "system": at_once(machine.system),
    "user": at_once(machine.user),
    "daemons": kills.daemon,
    "keeper's death": kills.keeper_death,
    "bubblewrap": isolation.bubblewrap,
    "landlock": isolation.guard,
    "walls": isolation.escape,
    "control groups": groups.groups,
    "run delay": at_once(machine.run_delay),
    "core dumps": at_once(machine.core_pattern),
    "temp folder": at_once(machine.temporary),
    "room": at_once(machine.room),
    "extras": at_once(extras),
    "languages": at_once(machine.languages),
}
PROBE_WITHIN = 20.0
"""Maximum seconds of one probe."""
ALWAYS = {"daemons", "keeper's death", "walls"}
"""Capabilities that every level promises on Linux."""
KEPT = {"control groups", "memory limit", "process limit", "CPU time"}
"""Capabilities that `sandbox+cgroup` promises in addition."""


def examine(mode: SandboxWish = SandboxMode.AUTO) -> Diagnosis:
    """Examine this machine, in a few seconds. All programs started by the probes are gone on
    return. `mode` is one of the values of `SANDBOX_MODES`."""
    with (
        keeper_running(SandboxMode.AUTO) as keeper,
        tempfile.TemporaryDirectory(prefix=tempdirs.prefix()) as folder,
    ):
        return run_with(keeper, lambda children: _examine(children, Path(folder), mode))


async def _examine(children: Children, folder: Path, mode: SandboxWish) -> Diagnosis:
    context = ProbeContext(children, folder, await missing_levels(children))
    if mode is Level.OFF:
        context.level = Level.OFF
    found: list[Capability] = []
    for name, probe in PROBES.items():
        found += await bounded(name, probe, context, PROBE_WITHIN)
    missing = {level.value: problem for level, problem in context.missing.items()}
    granted = _granted(mode, context.level) and not broken(found, context.level)
    return Diagnosis(
        level=context.best, wished=str(mode), granted=granted, capabilities=found, missing=missing
    )


async def missing_levels(children: Children) -> dict[Level, str]:
    """The unavailable levels, and why they are unavailable."""
    tried = {
        level: await _why_unavailable(children, level) for level in CANDIDATES[SandboxMode.AUTO]
    }
    return {level: problem for level, problem in tried.items() if problem is not None}


async def _why_unavailable(children: Children, level: Level) -> str | None:
    with trio.move_on_after(PROBE_WITHIN):
        return await why_unavailable(children, level)
    return f"a program behind the walls did not end within {PROBE_WITHIN:.0f} s"


async def bounded(
    name: str, probe: Probe, context: ProbeContext, within: float
) -> list[Capability]:
    """Run a probe for at most `within` seconds. A crash or a timeout is a finding too."""
    try:
        with trio.fail_after(within):
            return await probe(context)
    except trio.TooSlowError:
        why = f"the probe did not end within {within:g} s"
    except Exception as error:
        why = f"the probe failed: {type(error).__name__}: {error}"
    return [
        failed(
            name,
            why,
            "it is unknown whether this holds",
            "run the doctor again; if it fails again, report it",
        )
    ]


def _granted(mode: SandboxWish, level: Level) -> bool:
    return mode is not SandboxMode.STRICT or level in CANDIDATES[SandboxMode.STRICT]


def broken(found: list[Capability], level: Level) -> list[Capability]:
    """The failed capabilities that a level promises."""
    belongs = ALWAYS | isolation.promised(level) | (KEPT if level is Level.CGROUP else set())
    return [one for one in found if one.status is Status.FAIL and one.name in belongs]
