"""The table: who may answer, in what order, and what a bug in the rules is."""

from __future__ import annotations

import dataclasses

import pytest

from arena.errors import ArenaFault
from arena.game import Setup
from arena.steps import Answer, Ask, Outcome, Script, Silence, Tell, Why, ask
from arena.table import Table
from tests.tiny import TINY, TinySettings, TinyWorld

SETUP = Setup("1", 2, TinySettings())


def test_answers_in_any_order_move_it_on() -> None:
    table = Table(TINY, SETUP)
    assert [a.seat for a in table.asked] == [0, 1]
    table.answer(1, Answer("2"))
    assert [a.seat for a in table.waiting()] == [0]
    table.answer(0, Answer("3"))
    assert table.world.bids == [3, 2]
    assert len(table.waiting()) == 2


def test_who_is_not_asked_cannot_answer() -> None:
    table = Table(TINY, SETUP)
    table.answer(0, Answer("1"))
    with pytest.raises(ValueError, match="seat 0 is not asked"):
        table.answer(0, Answer("1"))
    with pytest.raises(ValueError, match="seat 5 is not asked"):
        table.answer(5, Answer("1"))


def test_steps_are_taken_once() -> None:
    table = Table(TINY, SETUP)
    assert any(isinstance(step, Tell) for step in table.take())
    assert table.take() == []


def test_a_fork_between_two_answers_keeps_the_first() -> None:
    table = Table(TINY, SETUP)
    table.answer(0, Answer("3"))
    twin = table.fork()
    assert [a.seat for a in twin.waiting()] == [1]
    twin.answer(1, Answer("1"))
    assert twin.world.bids == [3, 1]
    assert table.world.round == 1
    assert [a.seat for a in table.waiting()] == [1]


def test_one_seat_can_be_asked_alone() -> None:
    def script(world: TinyWorld) -> Script:
        reply = yield from ask(1, "go alone", "a b")
        yield Tell(0, f"said {reply}")
        return Outcome((1, 1), (0, 0), (), "done", "Done.")

    table = Table(dataclasses.replace(TINY, script=script), SETUP)
    assert table.asked == (Ask(1, "go alone", "a b"),)
    assert table.asked[0].line(70) == "go alone 70 a b"
    table.answer(1, Silence(Why.DEAD))
    assert table.outcome is not None
    assert not table.asked


def test_an_exception_out_of_the_rules_is_our_fault() -> None:
    def script(world: TinyWorld) -> Script:
        yield from ask(0, "go")
        raise KeyError("oops")

    table = Table(dataclasses.replace(TINY, script=script), SETUP)
    with pytest.raises(ArenaFault, match=r"the rules of tiny failed \(KeyError\('oops'\)\)"):
        table.answer(0, Answer("1"))
