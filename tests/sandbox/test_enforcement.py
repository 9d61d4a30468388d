"""What keeps the limits at each level."""

from __future__ import annotations

from arena.sandbox.enforcement import Enforcement, enforcement
from arena.sandbox.levels import Level
from tests.sandbox.programs import linux_only


@linux_only
def test_what_keeps_the_limits() -> None:
    kernel = Enforcement(Level.CGROUP, "kernel", "kernel", "control group")
    assert enforcement(Level.CGROUP) == kernel
    assert enforcement(Level.SANDBOX).kill == "pid namespace"
    for level in (Level.OFF, Level.GUARD):
        assert enforcement(level) == Enforcement(level, "looks", "looks", "subreaper")
