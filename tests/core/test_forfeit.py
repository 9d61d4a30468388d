"""Forfeits: who is out, when a match ends by them, and how all are ranked."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from arena.core.game import Setup
from arena.core.replies import Answer, Reply, Silence, Why
from arena.core.steps import Fate, Outcome, Show
from arena.core.table import Table
from tests.tiny import TINY, TinySettings, TinyWorld

GONE, STOPPED, LATE = Silence(Why.DEAD), Silence(Why.STOPPED), Silence(Why.LATE)
ONE = Answer("1")


def play(*rounds: tuple[Reply, ...], forfeit: bool = True, **settings: int) -> Table[TinyWorld]:
    """A match of the tiny game with these replies; after them all bid 1."""
    seats = len(rounds[0])
    setup = Setup("1", seats, TinySettings(**settings), forfeit=forfeit)
    table = Table(TINY, setup)
    for replies in (*rounds, *[(ONE,) * seats] * 5):
        if table.outcome is None:
            table.answer_all(replies)
    return table


def outcome(*rounds: tuple[Reply, ...], forfeit: bool = True, **settings: int) -> Outcome:
    found = play(*rounds, forfeit=forfeit, **settings).outcome
    assert found is not None
    return found


def test_without_a_stopped_program_nothing_changes() -> None:
    rounds: list[tuple[Reply, ...]] = [(Answer("3"), ONE), (LATE, ONE)]
    assert outcome(*rounds) == outcome(*rounds, forfeit=False)


@pytest.mark.parametrize("silence", [GONE, STOPPED])
def test_the_only_program_left_wins_at_once(silence: Silence) -> None:
    table = play((Answer("9"), ONE), (silence, ONE))
    assert table.outcome == Outcome(
        (2, 1),
        (0.0, 1.0),
        (Fate.REMOVED, Fate.SURVIVED),
        "forfeit",
        "player2 won by forfeit: the program of player1 was stopped.",
    )
    assert [step.frame["round"] for step in table.take() if type(step) is Show] == [0, 1, 2]


def test_a_program_that_the_rules_end_is_out() -> None:
    ended = outcome((ONE, LATE), (ONE, LATE), max_timeouts=2)
    assert (ended.ranks, ended.reason) == ((1, 2), "forfeit")


def test_two_that_go_together_tie() -> None:
    ended = outcome((GONE, STOPPED))
    assert (ended.ranks, ended.points) == ((1, 1), (0.5, 0.5))
    assert ended.sentence == (
        "player1 and player2 tie by forfeit: the programs of player1 and player2 were stopped."
    )


def test_of_three_the_one_that_lasted_longer_ranks_higher() -> None:
    ended = outcome((ONE, GONE, ONE), (STOPPED, STOPPED, ONE))
    assert (ended.ranks, ended.points) == ((2, 3, 1), (0.5, 0.0, 1.0))


def test_a_match_goes_on_while_two_are_left() -> None:
    rich = (Answer("9"), GONE, Answer("0"))
    with_forfeits, without = outcome(rich), outcome(rich, forfeit=False)
    assert without.reason == with_forfeits.reason == "max_rounds"
    assert with_forfeits.ranks[1] == 3
    assert with_forfeits.sentence == (
        f"{without.sentence} Ranked last by forfeit: the program of player2 was stopped."
    )


def test_the_best_by_the_rules_ranks_last_when_its_program_was_stopped() -> None:
    """It takes the prize of the last round and goes in that very exchange."""
    last = (GONE, Answer("0"))
    held, free = outcome(last, max_rounds=1), outcome(last, forfeit=False, max_rounds=1)
    assert free.ranks == (1, 2)
    assert (held.ranks, held.points) == ((2, 1), (0.0, 1.0))
    assert held == replace(free, ranks=held.ranks, points=held.points, sentence=held.sentence)


def test_a_fork_has_forfeits_too() -> None:
    table = Table(TINY, Setup("1", 2, TinySettings(), forfeit=True))
    table.answer_all((ONE, ONE))
    twin = table.fork()
    twin.answer_all((GONE, ONE))
    assert twin.outcome is not None
    assert twin.outcome.reason == "forfeit"
    assert table.outcome is None
