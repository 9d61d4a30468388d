"""How alike the bots of a league answer at the same positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from arena.api.conditions import Conditions
from arena.api.positions import Positions, find_positions
from arena.errors import UsageError
from arena.league.league import League
from arena.league.types import conditions_of
from arena.record.position import Expectation
from arena.tournament.standings import wilson

LEAST_TELLING = 10
"""Fewest positions at which bots differ, so that those who never do are called clones."""


class LikePair(Struct, frozen=True):
    """Two bots, and how often they gave the same answer."""

    bots: tuple[str, str]
    same: int
    positions: int
    """Telling positions that both answered."""
    share: float
    low: float
    high: float
    """Its 95 % interval."""
    clones: bool
    """Whether they gave the same answer at all positions, of which at least `LEAST_TELLING` are
    telling."""


class Likeness(Struct, frozen=True):
    """How alike bots answer."""

    positions: int
    telling: int
    """Positions at which not all bots gave the same answer; no others are counted."""
    pairs: list[LikePair]
    """The most alike first."""


def league_likeness(
    league: League,
    positions: Positions,
    *,
    jobs: int = 1,
    tell: Callable[[str], None] = lambda text: None,
) -> Likeness:
    """Ask each bot that the table lists once at each position, under the conditions of the league.

    Raises UsageError for positions of another game or of no seat.
    """
    from arena.api.suite import suite  # with Trio, which whoever only reads a league does without

    found, terms = find_positions(positions), league.terms
    for number, one in enumerate(found, 1):
        if one.game != terms.game:
            raise UsageError(f"position {number} is one of {one.game}, the league of {terms.game}")
        if one.seat is None:
            raise UsageError(f"position {number} does not say whose it is: arena cut --player 1")
    asked = [replace(one, expect=Expectation(no_fault=True)) for one in found]
    conditions = Conditions()
    for name in ("memory", "sandbox", "clock", "meter"):
        conditions[name] = conditions_of(terms)[name]
    answers = dict[str, Sequence[str | None]]()
    for player in league.ranked():
        report = suite(
            asked,
            str(league.copy_of(player.bot)[2]),
            jobs=jobs,
            tell=tell,
            **conditions,
        ).run()
        answers[player.name] = [
            None if item.answer is None else " ".join(item.answer.split()) for item in report.items
        ]
    return likeness(answers)


def likeness(answers: dict[str, Sequence[str | None]]) -> Likeness:
    """The likeness of bots by their answers at the same positions; None for no answer."""
    columns = list(zip(*answers.values(), strict=True))
    telling = [at for at, column in enumerate(columns) if len(set(column)) > 1]
    pairs = []
    for (name, mine), (rival, theirs) in combinations(answers.items(), 2):
        both = [(mine[at], theirs[at]) for at in telling]
        given = [one == other for one, other in both if one is not None and other is not None]
        low, high = wilson(sum(given), len(given))
        share = sum(given) / len(given) if given else 0.0
        clones = all(given) and len(given) == len(telling) >= LEAST_TELLING
        pairs.append(LikePair((name, rival), sum(given), len(given), share, low, high, clones))
    pairs.sort(key=lambda pair: (-pair.share, -pair.positions, pair.bots))
    return Likeness(len(columns), len(telling), pairs)
