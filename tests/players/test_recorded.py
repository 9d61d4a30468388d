"""Players that give again what a record has."""

from __future__ import annotations

import pytest

from arena.core.budget import Budget
from arena.core.replies import Answer, Cost, Reply, Silence, TimedReply, Why
from arena.players.inprocess import RecordedPlayer
from arena.players.player import Stopped


def given(reply: Reply, bank: int, cost: Cost, budget: Budget | None = None) -> TimedReply:
    player = RecordedPlayer("r", [TimedReply(reply, cost)], budget)
    player.post("go\n", bank)
    return player.poll()


@pytest.mark.parametrize(
    ("reply", "bank", "charged"),
    [
        (Answer("1"), 100, 40),
        (Answer("1"), 41, 40),
        (Answer("1"), 40, 39),
        (Answer("1"), 0, 0),
        (Silence(Why.LATE), 100, 100),
        (Silence(Why.ABSENT), 30, 30),
        (Silence(Why.DEAD), 30, 0),
    ],
)
def test_each_reply_costs_what_it_cost_as_far_as_the_bank_allows(
    reply: Reply, bank: int, charged: int
) -> None:
    assert given(reply, bank, Cost(40, 50, 9)) == TimedReply(reply, Cost(charged, 50, 9))


def test_where_instructions_count_the_budget_decides_again() -> None:
    cost = Cost(40, instructions=7)
    assert given(Answer("1"), 1, cost, Budget(7, 9)) == TimedReply(Answer("1"), cost)
    assert given(Answer("1"), 1, cost, Budget(6, 9)) == TimedReply(Silence(Why.LATE), cost)


def test_at_the_end_of_its_record_it_has_left() -> None:
    player = RecordedPlayer("r", [])
    assert player.poll().reply == Silence(Why.DEAD)
    assert player.stopped is Stopped.EXITED
    assert player.stopped_detail == "its record has no more answers"
