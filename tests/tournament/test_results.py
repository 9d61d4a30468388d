"""The tally: matches are counted by kind, in any order."""

from __future__ import annotations

import random

from arena.tournament.results import Result, ResultTally

RESULTS = [
    Result((0, 1), (1, 2), (0.1, 0.0), "1-2.1", ({"late": 2}, {}), ("timeouts", None)),
    Result((1, 0), (1, 1), (0.5, 0.2), "1-2.1"),
    Result((0, 1), (1, 2), (0.3, 0.0), "1-2.2", ({"late": 1}, {}), (None, "crashed")),
    Result((1, 0), (1, 1), (0.5, 0.5), "1-2.2"),
    Result((0, 1), (2, 1), (0.0, 1.0), "1-2.3"),
]


def test_blocks_are_counted_by_kind() -> None:
    tally = ResultTally(RESULTS)
    assert tally.games == 5
    assert tally.blocks() == [
        ((((0, 1), (1, 2)), ((1, 0), (1, 1))), 2),
        ((((0, 1), (2, 1)),), 1),
    ]
    (columns,) = tally.columns()
    assert list(columns.blocks()) == tally.blocks()
    assert ([list(one) for one in columns.bots], list(columns.count)) == ([[0], [1]], [2, 1])
    assert tally.faults == {0: {"late": 3}, 1: {}}
    assert tally.stopped == {0: {"timeouts": 1}, 1: {"crashed": 1}}


def test_the_order_makes_no_difference_to_the_last_bit() -> None:
    shuffled = RESULTS[:]
    random.Random(1).shuffle(shuffled)
    one, other = ResultTally(RESULTS), ResultTally(shuffled)
    assert one.points() == other.points() == {0: 1.1, 1: 2.0}
    assert one.blocks() == other.blocks()


def test_O18_a_tally_does_not_grow_with_its_matches() -> None:
    tally = ResultTally()
    for number in range(500):
        for order in ((0, 1), (1, 0)):
            tally.add(Result(order, (1, 2), (1.0, 0.0), f"b{number}"))
    assert tally.blocks() == [((((0, 1), (1, 2)), ((1, 0), (1, 2))), 500)]
    assert (tally._begun, len(tally._whole), len(tally._points)) == ({}, 1, 2)
