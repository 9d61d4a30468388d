"""The table: who may answer, in what order, and what a bug in the rules is."""

from __future__ import annotations

import dataclasses
import doctest

import pytest

from arena.core import table as table_module
from arena.core.game import Setup
from arena.core.registry import find_game
from arena.core.replies import Answer, Silence, Why
from arena.core.steps import Ask, Fate, Outcome, Script, Tell, ask
from arena.core.table import Table
from arena.errors import ArenaFault
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


def test_a_seat_that_is_not_asked_cannot_answer() -> None:
    table = Table(TINY, SETUP)
    table.answer(0, Answer("1"))
    with pytest.raises(ValueError, match="player1 is not asked"):
        table.answer(0, Answer("1"))
    with pytest.raises(ValueError, match="player6 is not asked"):
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


def test_a_fork_has_the_steps_that_were_not_taken_yet() -> None:
    table = Table(TINY, SETUP)
    table.take()
    table.answer_all((Answer("3"), Answer("1")))
    twin = table.fork()
    steps = table.take()
    assert steps
    assert twin.take() == steps
    assert table.fork().take() == []


def test_one_seat_can_be_asked_alone() -> None:
    def script(world: TinyWorld) -> Script:
        reply = yield from ask(1, "go alone", "a b")
        yield Tell(0, f"said {reply}")
        return Outcome((1, 1), (0, 0), (Fate.SURVIVED,) * 2, "done", "Done.")

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
    with pytest.raises(
        ArenaFault, match=r"the rules of tiny failed at .*:\d+ \(KeyError\('oops'\)\)"
    ):
        table.answer(0, Answer("1"))


def test_the_examples_in_the_documentation() -> None:
    ran = doctest.testmod(table_module)
    assert ran.failed == 0
    assert ran.attempted > 10


# -- from a world --------------------------------------------------------------------------


def bid(table: Table[TinyWorld], *bids: int) -> None:
    table.answer_all(tuple(Answer(str(one)) for one in bids))


def test_a_table_plays_on_from_any_world() -> None:
    game = find_game("toroid")
    table = Table(game, Setup("1", 2, game.settings()))
    for _ in range(7):
        table.answer_all((Answer("build"),))
    ahead = Table.at(game, table.world.copy())
    assert ahead.asked == table.asked
    while table.outcome is None:
        for one in (table, ahead):
            one.answer_all((Answer("attack left 1"),))
    assert ahead.outcome == table.outcome
    assert ahead.world.units == table.world.units


def test_a_table_at_a_world_plays_on_that_world() -> None:
    table = Table(TINY, SETUP)
    world = table.world.copy()
    ahead = Table.at(TINY, world)
    bid(ahead, 3, 2)
    assert ahead.world is world
    assert world.bids == [3, 2]
    assert table.world.bids == [0, 0]


def test_a_fork_of_a_table_at_a_world() -> None:
    table = Table(TINY, SETUP)
    bid(table, 3, 2)
    ahead = Table.at(TINY, table.world.copy(), SETUP)
    bid(ahead, 4, 1)
    ahead.answer(0, Answer("5"))
    twin = ahead.fork()
    assert twin.setup is SETUP
    assert twin.world.purse == ahead.world.purse == [13, 17]
    twin.answer(1, Answer("1"))
    ahead.answer(1, Answer("1"))
    assert twin.take() == ahead.take()
    assert twin.world.bids == [5, 1]


def test_a_table_at_a_world_has_no_setup() -> None:
    table = Table(TINY, SETUP)
    assert table.setup is SETUP
    with pytest.raises(ValueError, match="began at a world"):
        _ = Table.at(TINY, table.world.copy()).setup


# -- the lines of a seat -------------------------------------------------------------------


def test_all_lines_that_a_seat_was_told() -> None:
    table = Table(TINY, SETUP)
    assert table.lines(0) == ["round 1", f"update_map 20 {table.world.prize}", "go bid 10000"]
    table.take()
    bid(table, 3, 2)
    assert table.lines(0)[3:] == ["round 2", f"update_map 17 {table.world.prize}", "go bid 10000"]
    assert table.lines(1)[4] == f"update_map 18 {table.world.prize}"
    assert table.lines(5) == []


def test_lines_come_to_the_same_at_any_time() -> None:
    often, once = Table(TINY, SETUP), Table(TINY, SETUP)
    while often.outcome is None:
        told = often.lines(0)
        told.clear()
        for table in (often, once):
            bid(table, 1, 2)
    assert often.lines(0) == once.lines(0) == once.fork().lines(0)
    assert len(once.lines(0)) == 3 * 5


def test_asking_for_lines_takes_no_steps_away() -> None:
    table = Table(TINY, SETUP)
    table.lines(0)
    assert len(table.take()) == 5


def test_lines_show_the_bank_of_the_settings() -> None:
    settings = TinySettings(timebank=77)
    table = Table(TINY, Setup("1", 2, settings))
    assert table.lines(1)[-1] == "go bid 77"
    assert Table.at(TINY, table.world.copy(), table.setup).lines(1)[-1] == "go bid 77"
    assert Table.at(TINY, table.world.copy()).lines(1)[-1] == "go bid 10000"


def test_lines_of_a_table_at_a_world_begin_there() -> None:
    table = Table(TINY, SETUP)
    bid(table, 3, 2)
    ahead = Table.at(TINY, table.world.copy())
    bid(ahead, 1, 1)
    assert [line for line in ahead.lines(0) if line.startswith("round")] == ["round 2", "round 3"]
