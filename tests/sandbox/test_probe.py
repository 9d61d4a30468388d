"""Which level a machine is said to have, and what is said when it has not."""

from __future__ import annotations

import shutil

import pytest

from arena.errors import UsageError
from arena.sandbox import bubblewrap, probe
from arena.sandbox.children import Children, open_children
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.probe import prove_level, why_unavailable
from arena.sandbox.session import keeper_running, run_with
from tests.sandbox.programs import linux_only, needs


class Machine:
    """A machine that lacks some levels, for each of which it has a reason."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **lacks: str) -> None:
        self.tried: list[Level] = []
        self._lacks = {Level[name]: reason for name, reason in lacks.items()}
        monkeypatch.setattr(probe, "why_unavailable", self._why_unavailable)

    async def _why_unavailable(self, children: Children, level: Level) -> str | None:
        self.tried.append(level)
        return self._lacks.get(level)

    def prove(self, *modes: Level | SandboxMode) -> list[Level]:
        """What the modes come to, one after the other."""

        async def main(children: Children) -> list[Level]:
            return [await prove_level(children, mode) for mode in modes]

        with keeper_running() as keeper:
            return run_with(keeper, main)


def test_auto_takes_the_strongest_level_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, CGROUP="no groups", SANDBOX="no bwrap")
    assert machine.prove(SandboxMode.AUTO) == [Level.GUARD]
    assert machine.tried == [Level.CGROUP, Level.SANDBOX, Level.GUARD]
    assert Machine(monkeypatch).prove(SandboxMode.AUTO) == [Level.CGROUP]


def test_a_level_is_proven_once(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    assert machine.prove(Level.GUARD, Level.GUARD, SandboxMode.STRICT) == [
        Level.GUARD,
        Level.GUARD,
        Level.CGROUP,
    ]
    assert machine.tried == [Level.GUARD, Level.CGROUP]


def test_strict_takes_no_less_than_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, CGROUP="no groups.", SANDBOX="no bwrap")
    with pytest.raises(
        UsageError,
        match=r"the walls of --sandbox strict: the level sandbox\+cgroup lacks: no groups; "
        r"the level sandbox lacks: no bwrap\. Run `arena doctor`.* arena league new FILE --sandbox",
    ):
        machine.prove(SandboxMode.STRICT)
    assert machine.tried == [Level.CGROUP, Level.SANDBOX]


def test_the_same_problem_is_told_once_for_the_weaker_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = Machine(monkeypatch, CGROUP="no bwrap", SANDBOX="no bwrap")
    with pytest.raises(UsageError, match=r"strict: the level sandbox lacks: no bwrap\. Run"):
        machine.prove(SandboxMode.STRICT)


def why(level: Level) -> str | None:
    with keeper_running(level) as keeper:
        return run_with(keeper, lambda children: why_unavailable(children, level))


def test_no_walls_are_to_be_had_everywhere() -> None:
    assert why(Level.OFF) is None


@linux_only
@pytest.mark.parametrize("level", [Level.GUARD, Level.SANDBOX, Level.CGROUP])
def test_a_level_counts_only_when_a_program_ran_behind_its_walls(
    level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(level)
    assert why(level) is None
    monkeypatch.setattr(shutil, "which", which_but_true("/bin/false"))
    assert why(level) == "a program behind the walls did not run"
    monkeypatch.setattr(shutil, "which", which_but_true("/no/such/program"))
    assert "/no/such/program" in str(why(level)) or "No such file" in str(why(level))


def which_but_true(program: str):  # type: ignore[no-untyped-def]  # as `shutil.which`
    """Another program where ``true`` is looked for."""
    which = shutil.which
    return lambda name, path=None: program if name == "true" else which(name, path=path)


@linux_only
def test_a_bubblewrap_that_only_says_all_is_well_is_not_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bubblewrap, "find", lambda: "/bin/true")
    assert why(Level.SANDBOX) == "a program behind the walls did not run"


async def test_a_keeper_that_was_not_asked_for_groups_has_none() -> None:
    with keeper_running(Level.SANDBOX) as keeper:
        async with open_children(keeper) as children:
            assert await why_unavailable(children, Level.CGROUP) == "not asked for"
