"""What the levels are called."""

from __future__ import annotations

import pytest

from arena.sandbox.levels import (
    SANDBOX_MODES,
    Level,
    SandboxMode,
    wants_groups,
)


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
    assert all(name == str(mode) for name, mode in SANDBOX_MODES.items())
