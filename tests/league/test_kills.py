"""A little of `python -m tests.experiments.kills`: a league that is killed goes on, and comes out
the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.experiments.kills import AtHome, broken, end_strays, finish, kill_once, new_league
from tests.support.tools import needs_tool


@pytest.mark.dear
def test_O01_killed_again_and_again_it_comes_out_the_same(tmp_path: Path) -> None:
    """Each victim is killed at the first result of its run. Both bots are the hostile ones."""
    needs_tool("gcc", "gcc")
    whole, path = tmp_path / "whole" / "l.league", tmp_path / "killed" / "l.league"
    for one in (whole, path):
        new_league(one, "off", bots=2)
    try:
        finish(AtHome(), whole, 2)
        for victim in ("judge", "keeper"):
            kill_once(AtHome(), path, 2, victim)
        finish(AtHome(), path, 2)
    finally:
        end_strays(tmp_path)
    assert broken(path, whole, 4) == []
