"""The doctor: which walls and limits this machine really gives bots.

Nothing is taken on trust. Every line of the diagnosis comes from a probe that used the production
code: the keeper starts a program of ours behind the walls of a level, as it would start a bot, and
the program tries to get out (`inside`). `walls`, `groups`, `endings` and `machine` hold the probes,
`ground` what they stand on, `remedy` the causes of trouble and what repairs them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import trio

from arena.doctor import endings, groups, machine, walls
from arena.doctor.capability import Capability, Diagnosis, Status, failed
from arena.doctor.ground import Ground
from arena.run import keeper_running, run_with
from arena.sandbox import folders
from arena.sandbox.children import Children
from arena.sandbox.choose import CANDIDATES, trouble
from arena.sandbox.levels import Level, Wish

Probe = Callable[[Ground], Awaitable[list[Capability]]]


def at_once(look: Callable[[Ground], list[Capability]]) -> Probe:
    """A probe that has nothing to wait for."""

    async def probe(ground: Ground) -> list[Capability]:
        return look(ground)

    return probe


PROBES: dict[str, Probe] = {
    "system": at_once(machine.system),
    "user": at_once(machine.user),
    "daemons": endings.daemon,
    "keeper's death": endings.keeper_death,
    "kills": endings.kills,
    "namespaces": walls.namespaces,
    "bubblewrap": walls.bubblewrap,
    "landlock": walls.guard,
    "walls": walls.escape,
    "control groups": groups.groups,
    "process clock": machine.process_clock,
    "core dumps": at_once(machine.core_pattern),
    "temp folder": at_once(machine.temporary),
    "room": at_once(machine.room),
    "wasm": machine.webassembly,
    "languages": at_once(machine.languages),
    "clock": at_once(machine.clock),
}
SLOW: dict[str, Probe] = {"idle bot": endings.idle, "aborts": endings.aborts}
"""With ``--slow``."""
PROBE_WITHIN = 20.0
SLOW_WITHIN = 60.0
"""Seconds that one probe may take."""
ALWAYS = {"daemons", "keeper's death", "kills", "walls", *SLOW}
"""What every level promises on Linux."""
KEPT = {"control groups", "memory limit", "process limit", "CPU time"}
"""What `sandbox+cgroup` promises besides."""


def examine(wish: Level | Wish = Wish.AUTO, *, slow: bool = False) -> Diagnosis:
    """Examine this machine, in a few seconds (with `slow` in half a minute). Bots that the probes
    start are gone when it returns. `wish` is `Level.OFF`, `Wish.AUTO` or `Wish.STRICT`."""
    with (
        keeper_running(Wish.AUTO) as keeper,
        tempfile.TemporaryDirectory(prefix=folders.prefix()) as folder,
    ):
        return run_with(keeper, lambda children: _examine(children, Path(folder), wish, slow))


async def _examine(children: Children, folder: Path, wish: Level | Wish, slow: bool) -> Diagnosis:
    ground = Ground(children, folder, await _missing(children))
    if wish is Level.OFF:
        ground.level = Level.OFF
    probes = {**PROBES, **(SLOW if slow else {})}
    found: list[Capability] = []
    for name, probe in probes.items():
        within = SLOW_WITHIN if name in SLOW else PROBE_WITHIN
        found += await bounded(name, probe, ground, within)
    missing = {level.value: problem for level, problem in ground.missing.items()}
    granted = _granted(wish, ground.level) and not broken(found, ground.level)
    return Diagnosis(ground.best, wish.value, granted, found, missing)


async def _missing(children: Children) -> dict[Level, str]:
    """Why levels are not to be had, for those that are not."""
    tried = {level: await _trouble(children, level) for level in CANDIDATES[Wish.AUTO]}
    return {level: problem for level, problem in tried.items() if problem is not None}


async def _trouble(children: Children, level: Level) -> str | None:
    with trio.move_on_after(PROBE_WITHIN):
        return await trouble(children, level)
    return f"a program behind the walls did not end within {PROBE_WITHIN:.0f} s"


async def bounded(name: str, probe: Probe, ground: Ground, within: float) -> list[Capability]:
    """What a probe finds; that it crashed, or did not end, is a finding too."""
    try:
        with trio.fail_after(within):
            return await probe(ground)
    except trio.TooSlowError:
        why = f"the probe did not end within {within:g} s"
    except Exception as error:
        why = f"the probe failed: {type(error).__name__}: {error}"
    return [failed(name, why, "not known whether this holds", "run it again; else report it")]


def _granted(wish: Level | Wish, level: Level) -> bool:
    return wish is not Wish.STRICT or level in CANDIDATES[Wish.STRICT]


def broken(found: list[Capability], level: Level) -> list[Capability]:
    """What failed of that which belongs to a level."""
    belongs = ALWAYS | walls.promised(level) | (KEPT if level is Level.CGROUP else set())
    return [one for one in found if one.status is Status.FAIL and one.name in belongs]
