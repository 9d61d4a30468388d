"""Leagues of many bots: what their table costs, beside something that costs the same on any machine
of its speed."""

from __future__ import annotations

import hashlib
import sqlite3
import struct
import subprocess
import sys
import time
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest

from arena.league.league import League
from arena.league.sums import ALL, Kept, from_kept, sums_file
from arena.league.table import league_table
from arena.tournament.algebra import has_numpy
from tests.ladder.__main__ import invented_league

pytestmark = [
    pytest.mark.dear,
    pytest.mark.skipif(not has_numpy(), reason="ratings of many bots need numpy"),
]


def fill(league: League) -> int:
    """Write a round robin into the kept sums, as if its results were in the league: to store them
    would take minutes. The number of results."""
    from_kept(league, league.ranked(), ALL, Kept.digest)
    bots = len(league.ranked())
    pairs = list(combinations(range(1, bots + 1), 2))
    with closing(sqlite3.connect(sums_file(league, ALL))) as file:
        shapes = [
            f"[[[0,1],[{first}]],[[1,0],[{second}]]]"
            for first in ("1,2", "2,1")
            for second in ("1,2", "2,1")
        ]
        file.executemany("INSERT INTO shape (games) VALUES (?)", [(one,) for one in shapes])
        file.executemany(
            "INSERT INTO kind VALUES (?, ?, 1)",
            ((struct.pack(">2i", *pair), 1 + at * 7919 % 4) for at, pair in enumerate(pairs)),
        )
        digests = (hashlib.sha256(str(at).encode()).hexdigest() for at in range(2 * len(pairs)))
        file.executemany("INSERT INTO digest VALUES (?, ?)", zip(digests, range(10**9)))  # noqa: B905  they do not end
        file.execute("UPDATE head SET games = ?", (2 * len(pairs),))
        file.commit()
    return 2 * len(pairs)


def loop() -> float:
    """CPU seconds of a bare loop of a million steps."""
    start = time.process_time()
    for _ in range(10**6):
        pass
    return time.process_time() - start


def test_a_table_of_two_hundred_bots_costs_no_more_than_some_loops(tmp_path: Path) -> None:
    """It is 8 loops of a million steps with new results, without the import of numpy, and less than
    one when nothing is new. (The fit in Python alone is 80.)"""
    with invented_league(tmp_path / "l.league", 200) as league:
        results = fill(league)
        costs = []
        for _ in range(3):
            unit, start = loop(), time.process_time()
            assert league_table(league, crosstable=False).table.games == results
            costs.append((time.process_time() - start) / unit)
        with closing(sqlite3.connect(sums_file(league, ALL))) as file:
            file.execute("DELETE FROM made")
            file.commit()
        unit, start = loop(), time.process_time()
        league_table(league, crosstable=False)
        again = (time.process_time() - start) / unit
    assert min(costs) < 3
    assert again < 25


MEASURED = """
import resource, sys
from pathlib import Path
from arena.league.league import League
from arena.league.export import html_text
from arena.league.table import league_table
with League(Path(sys.argv[1]), checked=False) as league:
    if sys.argv[2] == "table":
        print(league_table(league, crosstable=False).table.games)
    else:
        print(sum(len(part) for part in html_text(league)))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_a_table_of_six_hundred_bots_stays_within_its_memory(tmp_path: Path) -> None:
    """A page has 360,000 cells. (A thousand bots take {…})"""
    with invented_league(tmp_path / "l.league", 600) as league:
        results = fill(league)
    for kind, least in (("table", results), ("page", 10_000_000)):
        words = [sys.executable, "-c", MEASURED, str(tmp_path / "l.league"), kind]
        printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
        assert int(printed[0]) >= least
        assert int(printed[1]) < 150
