"""The clock and the totals of one seat, reckoned again."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from arena.core.budget import Budget
from arena.core.clock import NS_PER_MS as MS
from arena.core.replies import Answer, Cost, Reply, Silence, TimedReply, Why
from arena.core.tally import SeatTotals
from arena.record.format import player_totals, reply_record
from arena.record.verify import Mismatch, Recount
from tests.tiny import TinySettings

SETTINGS = TinySettings(timebank=1000, time_per_move=100)
LATE, DEAD = Silence(Why.LATE), Silence(Why.DEAD)


def charge(account: Recount, reply: Reply, cost: Cost, bank: int = 1000) -> None:
    record = reply_record(1, TimedReply(reply, cost), bank)
    account.charge(record, reply, cost, 3)


def counted() -> Recount:
    """A seat whose instructions are counted: 100 a turn, 300 before the match is lost."""
    return Recount(1, SETTINGS, Budget(100, 300))


def test_the_bank_runs() -> None:
    account = Recount(1, SETTINGS, None)
    charge(account, Answer("x"), Cost(250 * MS))
    charge(account, LATE, Cost(850 * MS), 850)
    charge(account, DEAD, Cost(0), 100)
    charge(account, Answer("x"), Cost(199 * MS), 200)
    assert account.tally.requests == 4
    assert {code: fault.count for code, fault in account.tally.faults.items()} == {"timeout": 1}
    assert account.tally.faults["timeout"].round == 3


@pytest.mark.parametrize(
    ("reply", "cost", "bank", "words"),
    [
        (Answer("x"), Cost(0), 999, "player2 was shown 999 ms and had 1000 ms"),
        (Answer("x"), Cost(1000 * MS), 1000, "player2 took 1000.0 of 1000 ms, recorded as in time"),
        (LATE, Cost(999 * MS), 1000, "player2 took 999.0 of 1000 ms, recorded as late"),
        (Silence(Why.ABSENT), Cost(9), 1000, "recorded as late"),
    ],
)
def test_what_does_not_fit_the_bank(reply: Reply, cost: Cost, bank: int, words: str) -> None:
    with pytest.raises(Mismatch, match=re.escape(words)):
        charge(Recount(1, SETTINGS, None), reply, cost, bank)


def test_where_instructions_count_the_bank_stands() -> None:
    account = counted()
    charge(account, Answer("x"), Cost(10**12, instructions=100))
    charge(account, LATE, Cost(0, instructions=101))
    charge(account, Silence(Why.ABSENT), Cost(0, instructions=301))
    charge(account, DEAD, Cost(0))
    assert account.tally.faults["timeout"].count == 2


@pytest.mark.parametrize(
    ("reply", "count", "words"),
    [
        (Answer("x"), None, "a reply of player2 has a count that is missing or too many"),
        (LATE, None, "a reply of player2 has a count that is missing or too many"),
        (DEAD, 1, "a reply of player2 has a count that is missing or too many"),
        (
            Answer("x"),
            101,
            "player2 took 101 instructions, limits 100 and 300, recorded as in time",
        ),
        (LATE, 100, "player2 took 100 instructions, limits 100 and 300, recorded as late"),
        (LATE, 301, "recorded as late"),
        (Silence(Why.ABSENT), 300, "recorded as absent"),
    ],
)
def test_what_does_not_fit_the_budget(reply: Reply, count: int | None, words: str) -> None:
    with pytest.raises(Mismatch, match=re.escape(words)):
        charge(counted(), reply, Cost(0, instructions=count))


def test_totals_are_the_sums() -> None:
    account = counted()
    charge(account, Answer("x"), Cost(5 * MS, 6 * MS, 3 * MS, 1 * MS, 40))
    charge(account, Answer("x"), Cost(7 * MS, 8 * MS, 2 * MS, 4 * MS, 60))
    right = player_totals(SeatTotals(1, "memory", account.tally, 5.5, 4096, 0.5))
    account.close(right)
    for wrong in (
        replace(right, requests=3),
        replace(right, total_ms=13.0),
        replace(right, max_ms=8.0),
        replace(right, thought_ms=6.0),
        replace(right, delay_ms=None),
        replace(right, faults={"x": 1}),
    ):
        with pytest.raises(Mismatch, match="the totals of player2 do not match the record"):
            account.close(wrong)
    for wrong in (replace(right, instructions=99), replace(right, max_instructions=61)):
        with pytest.raises(Mismatch, match="the instructions of player2 do not match the record"):
            account.close(wrong)
    for outside in (
        replace(right, stopped=None),
        replace(right, cpu_ms=None),
        replace(right, peak_memory=1),
        replace(right, pondered_ms=None),
    ):
        account.close(outside)
