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
from tests.experiments.ladder.__main__ import invented_league

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
    """A bare loop of a million steps is the unit. With new results a table takes 7 to 9 of them, a
    third of which is the import of numpy; when nothing is new, a quarter of one."""
    with invented_league(tmp_path / "l.league", 200) as league:
        results = fill(league)
        costs = []
        for _ in range(4):
            unit, start = loop(), time.process_time()
            assert league_table(league, most_crossed=0).table.games == results
            costs.append((time.process_time() - start) / unit)
    assert costs[0] < 30
    assert min(costs[1:]) < 2


RATED = """
import resource
from array import array
from arena.league import table
from arena.tournament.results import BlockCounts, ResultTally
from arena.tournament.standings import Crosstable

def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

one, other = array("i"), array("i")
for bot in range(1000):
    one.extend([bot] * (999 - bot))
    other.extend(range(bot + 1, 1000))
lots = array("i", [at * 7919 % 4 for at in range(len(one))])
ranks = (1, 2), (2, 1)
shapes = tuple((((0, 1), first), ((1, 0), second)) for first in ranks for second in ranks)
tally, number = ResultTally(), array("i", range(len(one)))
tally.add_columns(BlockCounts((one, other), number, lots, array("i", [1]) * len(one), shapes))
before = most()
table._import_numpy()
names = [str(bot) for bot in range(1000)]
fitted = table.fit(1000, tally)
print(table.table_of_fit(names, tally, fitted).games, sum(1 for _ in Crosstable.of(fitted).row(7)))
print((most() - before) >> 10)
"""


def test_a_round_robin_of_a_thousand_bots_fits_into_memory() -> None:
    """Beyond the tally it takes 67 MiB. (A million cells and its pairs as objects take 700.)"""
    words = [sys.executable, "-c", RATED]
    printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    assert printed[:2] == ["999000", "999"]
    assert int(printed[2]) < 85
