"""What `speed.md` says is so."""

from __future__ import annotations

import re

from arena.tournament.pairings import round_robin
from tests.guide.reading import block, flat

TEXT = flat("speed")


def test_the_example_ends_as_a_series_does() -> None:
    """How it ends: tests/cli/test_play."""
    shown = block("speed", "$ arena play").splitlines()
    assert re.fullmatch(r"[\d,]+ matches an hour at --jobs 2", shown[-1])
    assert "--jobs 2" in shown[0]
    hourly = int(shown[-1].split()[0].replace(",", ""))
    matches = 2 * len(round_robin(60, 2))
    assert f"60 × 59 = {matches:,} matches" in TEXT
    assert f"it takes {matches * 60 / hourly:.0f} minutes at this rate" in TEXT
