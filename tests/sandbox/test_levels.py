"""What the levels are called."""

from __future__ import annotations

import pytest

from arena.sandbox.levels import (
    SANDBOX_MODES,
    Enforcement,
    Level,
    SandboxMode,
    enforcement,
    wants_groups,
)
from tests.sandbox.programs import linux_only


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        (Level.OFF, False),
        (Level.GUARD, False),
        (Level.SANDBOX, False),
        (Level.CGROUP, True),
        (SandboxMode.AUTO, True),
        (SandboxMode.STRICT, True),
    ],
)
def test_which_modes_want_control_groups(mode: Level | SandboxMode, wanted: bool) -> None:
    assert wants_groups(mode) == wanted


def test_the_values_of_the_option() -> None:
    assert list(SANDBOX_MODES) == ["off", "auto", "strict"]
    assert all(name == mode.value for name, mode in SANDBOX_MODES.items())


@linux_only
def test_what_keeps_the_limits() -> None:
    kernel = Enforcement(Level.CGROUP, "kernel", "kernel", "control group")
    assert enforcement(Level.CGROUP) == kernel
    assert enforcement(Level.SANDBOX).kill == "pid namespace"
    for level in (Level.OFF, Level.GUARD):
        assert enforcement(level) == Enforcement(level, "looks", "looks", "subreaper")
