"""What is said about builds."""

from __future__ import annotations

from arena.bots.options import BuildOptions
from arena.sandbox.levels import Level


def test_ones_own_bots_are_built_without_walls_in_the_users_cache() -> None:
    assert BuildOptions() == BuildOptions(cache=None, sandbox=Level.OFF)
