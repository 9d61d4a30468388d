"""The paired test: what it estimates, its symmetry, and its errors on a known truth."""

from __future__ import annotations

import random

import pytest

from arena.tournament.ratings import ELO, Z
from arena.tournament.sprt import FLOOR, Sprt, SprtVerdict
from arena.workbench.paired import PairedResult, PairedTally, moved
from tests.support.tools import dear
from tests.workbench.simulation import World, compared


def result(
    block: int, old: tuple[float, ...], new: tuple[float, ...], rival: int = 0
) -> PairedResult:
    return PairedResult(block, (rival,), 0, old, new)


def tally_of(*values: float, level: float = 0.5) -> PairedTally:
    """Blocks of one game with these differences."""
    return PairedTally(
        result(i, (level - value / 2,), (level + value / 2,)) for i, value in enumerate(values)
    )


def test_equal_versions_have_no_difference() -> None:
    found = tally_of(*[0.0] * 200).estimate()
    assert (found.difference, found.elo, found.superiority) == (0, 0, 0.5)
    assert 0 < found.high < 0.03
    assert tally_of(*[0.0] * 200).verdict(Sprt()) is SprtVerdict.NOT_BETTER


def test_the_difference_in_elo_follows_the_level_of_the_points() -> None:
    """The same points are more Elo where both versions win nearly all games."""
    even = tally_of(*[0.05] * 100).estimate().elo
    high = tally_of(*[0.05] * 100, level=0.9).estimate().elo
    assert even == pytest.approx(0.05 * 4 * ELO, rel=0.02)
    assert even is not None
    assert high is not None
    assert high > 2 * even


def test_the_ratio_is_symmetric() -> None:
    """What speaks for the new version speaks against it with the versions exchanged."""
    luck = random.Random(1)
    values = [luck.choice((-0.5, -0.25, 0.0, 0.25, 0.5, 0.75)) for _ in range(100)]
    one = tally_of(*values).llr(Sprt(-10, 10))
    other = tally_of(*[-value for value in values]).llr(Sprt(-10, 10))
    assert one > 1
    assert other == pytest.approx(-one)


def test_no_verdict_on_few_blocks() -> None:
    assert tally_of(*[1.0] * (FLOOR - 1)).verdict(Sprt()) is SprtVerdict.UNDECIDED
    assert tally_of(*[1.0] * FLOOR).verdict(Sprt(elo1=100)) is SprtVerdict.BETTER


def test_the_interval_holds_the_truth() -> None:
    """95 of 100 intervals do, and with few blocks as well."""
    world, held = World(), []
    for run in range(300):
        luck, tally = random.Random(run), PairedTally()
        for number in range(10):
            tally.add(world.block(number, number % 5, 0, 0, luck, paired=True))
        found = tally.estimate()
        held.append(found.low <= 0 <= found.high)
    assert 0.92 <= sum(held) / len(held) <= 0.995


def test_parts_by_opponent_and_seat() -> None:
    tally = PairedTally(
        [result(0, (0.0, 1.0), (1.0, 1.0), 0), result(1, (1.0, 1.0), (1.0, 0.0), 1)]
    )
    assert [part.estimate().difference for part in tally.against(3)] == [0.5, -0.5, 0.0]
    assert [tally.at_seat(seat).estimate().difference for seat in (0, 1)] == [0.5, -0.5]


def test_lost_blocks_come_first_among_those_that_changed() -> None:
    blocks = [result(i, (0.5,), (0.5 + d,)) for i, d in enumerate((0.0, 0.5, -0.25, -0.5, 0.25))]
    assert [one.block for one in moved(blocks, 3)] == [3, 2, 1]


@pytest.mark.parametrize("runs", dear([40, 400], but=lambda runs: runs == 40))
def test_errors_are_as_promised(runs: int) -> None:
    """A small part of ``python -m tests.experiments.workbench errors``; three standard errors are
    allowed."""
    test, world = Sprt(elo1=80), World()
    most = 0.05 * runs + 3 * (0.0475 * runs) ** 0.5
    equal = [compared(world, 0, 0, test, f"a{run}")[0] for run in range(runs)]
    better = [compared(world, 0, world.strength(80), test, f"b{run}")[0] for run in range(runs)]
    assert equal.count(SprtVerdict.BETTER) <= most
    assert better.count(SprtVerdict.NOT_BETTER) <= most


def test_intervals_for_several_rows_are_wider() -> None:
    tally = tally_of(0.5, 0.25, 0.5, -0.25)
    assert tally.estimate(2 * Z).low < tally.estimate().low
