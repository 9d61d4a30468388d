"""The probes of the walls: which can be built, and what an escape program finds."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from arena.doctor import context as context_module
from arena.doctor import examine as examination
from arena.doctor import isolation
from arena.doctor.capability import Status
from arena.doctor.inside import Wall
from arena.sandbox.keeper import landlock
from arena.sandbox.levels import Level
from tests.doctor.probing import assert_told, here, only, without
from tests.support.tools import short_folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")


async def test_bubblewrap_that_fails() -> None:
    context = without(Level.CGROUP, Level.SANDBOX, why="bubblewrap is not installed")
    assert_told(
        only(await isolation.bubblewrap(context)), Status.FAIL, "apt-get install bubblewrap"
    )
    assert context.level is Level.GUARD


async def test_no_landlock() -> None:
    context = without(Level.GUARD, why="landlock version 6 is needed")
    assert_told(
        only(await isolation.guard(context)), Status.FAIL, "version 6 is needed", "Linux 6.12"
    )


async def test_a_socket_within_reach(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not landlock.NEEDED <= landlock.abi() < 9:
        pytest.skip("this kernel's landlock has no guard, or keeps sockets out of reach")
    with short_folder() as folder:
        path = str(folder / "docker.sock")
        monkeypatch.setattr(isolation, "well_known_sockets", lambda: [path, "/no/such/socket"])
        async with here(tmp_path) as context:
            with socket.socket(socket.AF_UNIX) as service:
                service.bind(path)
                service.listen()
                assert_told(only(await isolation.guard(context)), Status.DEGRADED, path)
            # None listens any more.
            assert only(await isolation.guard(context)).status is Status.PASS


async def test_the_escape_succeeds_where_there_are_no_walls(tmp_path: Path) -> None:
    async with here(tmp_path) as context:
        context.level = Level.OFF
        found = {one.name: one for one in await isolation.escape(context)}
    assert set(found) == set(isolation.WALLS)
    for name in ("capabilities", "identity") if os.getuid() else ():
        assert found.pop(name).status is Status.PASS
    assert found.pop("descriptors").status is Status.PASS  # nothing is inherited at any level
    for one in found.values():
        assert_told(one, Status.DEGRADED, "level off")
    assert str(tmp_path / "secret") in found["secrets"].found
    assert os.listdir(tmp_path) == ["secret"]


def test_a_wall_that_is_promised_and_does_not_stand_is_a_failure() -> None:
    for name in isolation.WALLS:
        one = isolation._judge(Wall(name, False, "it got out"), Level.SANDBOX)
        assert_told(one, Status.FAIL, "it got out")
        assert examination.broken([one], Level.CGROUP) == [one]
    unseen = isolation._judge(Wall("processes unseen", False, "9 processes"), Level.GUARD)
    assert unseen.status is Status.DEGRADED


async def test_an_escape_program_that_ends_early(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "inside.py"
    program.write_text("raise SystemExit('I broke')")
    program.chmod(0o644)
    monkeypatch.setattr(context_module, "INSIDE", program)
    async with here(tmp_path) as context:
        context.level = Level.OFF
        found = await isolation.escape(context)
    assert {one.found for one in found} == {
        "the escape program ended early: I broke (level off)",
        "the escape program ended early: I broke",
    }
