"""What a seat used and did wrong, added up."""

from __future__ import annotations

from arena.core.replies import Cost
from arena.core.tally import FaultCount, Sum, Tally


def test_costs_are_added_up_where_they_are_known() -> None:
    tally = Tally()
    tally.costs += [Cost(3, 30, None, 5), Cost(7, 10), Cost(2, None, None, 4)]
    assert tally.requests == 3
    assert tally.charged == Sum(12, 7)
    assert tally.wall == Sum(40, 30)
    assert tally.cpu is None
    assert tally.delay == Sum(9, 5)
    assert tally.instructions is None


def test_a_seat_that_was_never_asked() -> None:
    assert Tally().charged == Sum(0, 0)
    assert Tally(counted=True).instructions == Sum(0, 0)


def test_instructions_count_where_they_are_what_counts() -> None:
    tally = Tally(counted=True)
    tally.costs += [Cost(1, instructions=20), Cost(1, instructions=30), Cost(1)]
    assert tally.instructions == Sum(50, 30)


def test_the_first_fault_of_a_kind_is_the_example() -> None:
    tally = Tally()
    tally.count_fault("late", "first", 1)
    tally.costs.append(Cost(1))
    tally.count_fault("late", "second", 2, 3)
    tally.count_fault("bid", "third", 2)
    assert tally.faults == {
        "late": FaultCount(4, 1, 0, "first"),
        "bid": FaultCount(1, 2, 1, "third"),
    }
