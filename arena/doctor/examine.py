"""Examine this machine, and make the diagnosis."""

from __future__ import annotations

from collections.abc import Mapping

import trio

from arena.doctor import repairs, walls
from arena.doctor.capability import Capability, Diagnosis, NextStep, Status, failed
from arena.doctor.machine import examine_machine
from arena.sandbox.children import Children
from arena.sandbox.levels import Level, SandboxMode, SandboxWish
from arena.sandbox.probe import CANDIDATES, why_unavailable
from arena.sandbox.session import keeper_running, run_with

PROBE_WITHIN = 20.0
"""Maximum seconds of one probe."""


def examine(mode: SandboxWish = SandboxMode.AUTO) -> Diagnosis:
    """Examine this machine, in a second or two. All programs started by the probes are gone on
    return. `mode` is one of the values of `SANDBOX_MODES`."""
    with keeper_running(SandboxMode.AUTO) as keeper:
        return run_with(keeper, lambda children: _examine(children, mode))


async def _examine(children: Children, mode: SandboxWish) -> Diagnosis:
    missing = await missing_levels(children)
    best = next(level for level in CANDIDATES[SandboxMode.AUTO] if level not in missing)
    examined = Level.OFF if mode is Level.OFF else best
    rows = [*walls.levels(missing, best), *await _escape(children, examined)]
    broken = {row.name for row in rows if row.status is Status.FAIL} & walls.promised(examined)
    holds = mode is not SandboxMode.STRICT or best in CANDIDATES[SandboxMode.STRICT]
    return Diagnosis(
        level=best,
        wished=str(mode),
        granted=holds and not broken,
        next_step=next_step(missing, best),
        capabilities=[*rows, *examine_machine()],
        missing={level.value: problem for level, problem in missing.items()},
    )


async def missing_levels(children: Children) -> dict[Level, str]:
    """The unavailable levels, strongest first, and why they are unavailable."""
    missing: dict[Level, str] = {}
    for level in CANDIDATES[SandboxMode.AUTO]:
        problem: str | None = f"a program behind the walls ran for {PROBE_WITHIN:.0f} s"
        with trio.move_on_after(PROBE_WITHIN):
            problem = await why_unavailable(children, level)
        if problem is not None:
            missing[level] = problem
    return missing


async def _escape(children: Children, level: Level) -> list[Capability]:
    """What the escape program achieves; a crash or a hang of the probe is a finding, too."""
    why = f"the escape program ran for {PROBE_WITHIN:.0f} s"
    try:
        with trio.move_on_after(PROBE_WITHIN):
            return await walls.escape(children, level)
    except Exception as error:
        why = f"the probe failed: {type(error).__name__}: {error}"
    repair = "run the doctor again; if it fails again, report it"
    unknown = "it is unknown whether this holds"
    return [failed(name, why, unknown, repair) for name in sorted(walls.promised(level))]


def next_step(missing: Mapping[Level, str], best: Level) -> NextStep | None:
    """How to get a better level: a sandbox first, and then control groups."""
    level = Level.CGROUP if best is Level.SANDBOX else Level.SANDBOX
    if best is Level.CGROUP:
        return None
    lacks, step = repairs.of_level(level, missing[level])
    return NextStep(level=level, lacks=lacks, step=step)
