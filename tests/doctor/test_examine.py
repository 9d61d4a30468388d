"""The whole examination: each probe passes on a machine that has everything."""

from __future__ import annotations

import sys
import tempfile
from functools import cache

import pytest
import trio

from arena.doctor import examine as examination
from arena.doctor import groups, isolation
from arena.doctor.capability import Capability, Diagnosis, Status, passed
from arena.doctor.context import ProbeContext
from arena.sandbox.levels import Level, SandboxMode
from tests.doctor.probing import assert_told, only, without
from tests.hostile.arena_runs import nothing_left, strongest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")

GROUPS = ("control groups", *groups.WITHOUT)
SANE = (
    *("daemons", "keeper's death", "bubblewrap", "landlock"),
    *isolation.WALLS,
    *("run delay", "temp folder", "room", "wasm"),
)
"""What passes wherever the tests can run at all. The rest is the machine's own affair."""


@cache
def diagnosis() -> Diagnosis:
    """Of this machine, by an examination that leaves nothing in a temporary folder of its own."""
    strongest()  # or skip
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        try:
            with nothing_left():
                return examination.examine()
        finally:
            tempfile.tempdir = before


@pytest.mark.dear_for("daemons")
@pytest.mark.parametrize("name", [*SANE, *GROUPS])
def test_it_passes_here(name: str) -> None:
    found = diagnosis()
    if name in GROUPS and found.level is not Level.CGROUP:
        pytest.skip("this machine has no control groups")
    [one] = [one for one in found.capabilities if one.name == name]
    if name == "landlock" and "within reach at" in one.found:
        pytest.skip("there are sockets of services here")
    assert (one.status, one.consequence, one.repair) == (Status.PASS, "", ""), one.found
    assert one.found


def test_it_looks_at_everything_and_explains_what_is_not_well() -> None:
    found = diagnosis()
    names = [one.name for one in found.capabilities]
    assert len(names) == len(set(names))
    assert set(SANE) | {"system", "user", "core dumps", "languages"} <= set(names)
    for one in found.capabilities:
        assert (one.status is Status.PASS) == (one.consequence == ""), one
    assert found.granted
    assert found.wished == "auto"


async def test_a_probe_that_crashes_or_hangs_is_a_failure_with_its_reason() -> None:
    async def crash(context: ProbeContext) -> list[Capability]:
        raise RuntimeError("out of luck")

    one = only(await examination.bounded("x", crash, without(why=""), 5))
    assert_told(one, Status.FAIL, "RuntimeError: out of luck")

    async def hang(context: ProbeContext) -> list[Capability]:
        await trio.sleep_forever()
        return []

    one = only(await examination.bounded("x", hang, without(why=""), 0.05))
    assert_told(one, Status.FAIL, "did not end within 0.05 s")


def test_what_is_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def found(context: ProbeContext) -> list[Capability]:
        return [passed("nothing", "is well")]

    async def missing(children: object) -> dict[Level, str]:
        return {Level.CGROUP: "no groups", Level.SANDBOX: "no bwrap"}

    monkeypatch.setattr(examination, "PROBES", {"nothing": found})
    monkeypatch.setattr(examination, "missing_levels", missing)
    assert not examination.examine(SandboxMode.STRICT).granted
    assert examination.examine(SandboxMode.AUTO).granted
    assert examination.examine(SandboxMode.AUTO).level is Level.GUARD
    assert examination.examine(Level.OFF).granted
    lost = Capability("daemons", Status.FAIL, "outlived")
    monkeypatch.setattr(examination, "PROBES", {"daemons": examination.at_once(lambda _: [lost])})
    assert not examination.examine(Level.OFF).granted


def test_nothing_is_left_of_an_examination() -> None:
    """The one that all tests look at, which takes two seconds: it raises if anything is left."""
    assert diagnosis().capabilities
