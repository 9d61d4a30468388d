"""The library's failures at what it has offered, which no seat may gain by."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.core import Answer, Note, Show, Table, Tell, find_game
from arena.record.verify import verify
from arena.testing import at_random, play
from tests.games.openspiel.tables import table_of
from tests.support.tools import needs_open_spiel

pytestmark = pytest.mark.dear
needs_open_spiel()

from arena.games.openspiel import library, world  # noqa: E402  # needs the library
from arena.games.openspiel.frames import headline  # noqa: E402
from arena.games.openspiel.view import VIEW  # noqa: E402

SLOW = {"bridge", "bridge_uncontested_bidding"}
"""Seconds for each deal."""
Fails = Callable[[Any, list[int]], bool]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Callable[[Fails], None]:
    """Has the library fail at some actions, after it has spoilt its state. Each rebuilt state comes
    from the real library."""
    advance = world.advance

    def plant(fails: Fails) -> None:
        def failing(state: Any, actions: list[int]) -> None:
            doomed = fails(state, actions)
            advance(state, actions)
            if doomed:
                raise IndexError("planted")

        monkeypatch.setattr(world, "advance", failing)

    return plant


def notes(table: Table[Any]) -> list[Note]:
    return [step for step in table.take() if isinstance(step, Note)]


def test_another_legal_action_is_played_where_the_library_fails(
    plant: Callable[[Fails], None],
) -> None:
    plant(lambda state, actions: actions in ([4], [0]))
    table = table_of("tic_tac_toe")
    table.take()
    table.answer(0, Answer("x(1,1)"))
    steps = table.take()
    (note,) = [step for step in steps if isinstance(step, Note)]
    assert (note.seat, note.code, note.fault) == (0, "library_failed", False)
    assert note.detail == (
        "OpenSpiel failed at x(1,1) and 1 other, which it had offered, so x(0,1) was played "
        "instead; that is no fault of the bot"
    )
    assert Tell(0, "result instead x(0,1)") in steps
    assert Tell(1, "opponent_moves player1 x(0,1)") in steps
    assert table.world.state.history() == [1]
    (frame,) = [step.frame for step in steps if isinstance(step, Show)]
    assert headline(frame) == (
        "OpenSpiel failed at player1: x(1,1), player1: x(0,0); instead player1: x(0,1)"
    )


def test_a_seat_sees_of_a_failure_what_is_its_own(plant: Callable[[Fails], None]) -> None:
    plant(lambda state, actions: not state.is_chance_node() and actions == [0])
    table = table_of("kuhn_poker")
    table.take()
    table.answer(0, Answer("Pass"))
    steps = table.take()
    (frame,) = [step.frame for step in steps if isinstance(step, Show)]
    assert VIEW.orders(frame) == ["player1: OpenSpiel failed at Pass", "player1: Bet"]
    assert VIEW.seen
    assert [VIEW.seen(table.world, seat, frame)["failed"] for seat in (0, 1)] == [[[0, "Pass"]], []]
    told = [step.line for step in steps if isinstance(step, Tell) and step.seat == 1]
    assert not any("Pass" in line for line in told if not line.startswith("legal"))


def test_an_illegal_answer_stays_a_fault_where_the_library_fails_at_the_default(
    plant: Callable[[Fails], None],
) -> None:
    plant(lambda state, actions: actions == [0])
    table = table_of("tic_tac_toe")
    table.answer(0, Answer("x(9,9)"))
    assert [note.code for note in notes(table)] == ["not_offered", "library_failed"]
    assert table.world.state.history() == [1]


def test_where_the_library_fails_at_everything_all_tie(plant: Callable[[Fails], None]) -> None:
    plant(lambda state, actions: state.move_number() == 1)
    table = table_of("tic_tac_toe")
    table.answer(0, Answer("x(1,1)"))
    table.take()
    table.answer(1, Answer("o(0,0)"))
    assert table.outcome
    assert (table.outcome.reason, table.outcome.ranks) == ("failed", (1, 1))
    assert table.outcome.points == (0, 0)
    assert table.outcome.sentence == (
        "player1 and player2 tie after 1 moves, since OpenSpiel failed at every legal action."
    )
    assert [note.detail for note in notes(table)] == [
        "OpenSpiel failed at o(0,0) and 7 others, which it had offered; that is no fault of the bot"
    ]
    assert table.lines(0)[-1] == "game_over 1 0"


def test_who_moves_at_the_same_time_fails_together(plant: Callable[[Fails], None]) -> None:
    plant(lambda state, actions: actions[0] == 0)
    table = table_of("matrix_rps")
    table.answer(0, Answer("Rock"))
    table.answer(1, Answer("Scissors"))
    assert [note.seat for note in notes(table)] == [0, 1]
    assert [made for _, made in table.world.moves] == ["Paper", "Rock"]


def test_a_seat_without_another_action_keeps_its_own() -> None:
    legal = {0: {"a": 7, "b": 8, "c": 9}, 1: {"d": 3}}
    assert list(world.attempts(legal, {0: 8, 1: 3})) == [
        {0: 8, 1: 3},
        {0: 7, 1: 3},
        {0: 9, 1: 3},
    ]


def test_chance_is_drawn_anew_where_the_library_fails(plant: Callable[[Fails], None]) -> None:
    """Whoever would get the lowest card gets another one, with the same seed the same one."""
    cards = []
    for _ in range(2):
        plant(lambda state, actions: state.is_chance_node() and actions == [0])
        tables = [table_of("kuhn_poker", f"{seed}") for seed in range(30)]
        cards.append([table.world.state.history() for table in tables])
    assert cards[0] == cards[1]
    assert {tuple(dealt) for dealt in cards[0]} == {(1, 2), (2, 1)}


def test_an_action_fails_if_no_chance_can_follow(plant: Callable[[Fails], None]) -> None:
    table = table_of("leduc_poker")
    table.answer(table.asked[0].seat, Answer("Call"))
    plant(lambda state, actions: state.is_chance_node() and state.move_number() > 2)
    past = table.world.state.history()
    table.answer(table.asked[0].seat, Answer("Call"))
    assert table.world.state.history() == [*past, 2]  # a raise, after which no card is dealt
    assert [made[1] for made in table.world.moves] == ["Raise"]


def test_what_cannot_be_read_after_an_action_fails_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody has been told of the action then."""
    read = world.read

    def failing(given: world.SpielWorld, moves: int = 0) -> world.Reading:
        if given.state.history() == [4]:
            raise RuntimeError("planted")
        return read(given, moves)

    monkeypatch.setattr(world, "read", failing)
    table = table_of("tic_tac_toe")
    table.answer(0, Answer("x(1,1)"))
    assert table.world.state.history() == [0]
    assert [note.code for note in notes(table)] == ["library_failed"]


def test_nothing_is_made_again_where_the_library_does_not_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(world, "restore")
    table = table_of("backgammon")
    play(table, at_random("1"), 20)
    assert table.world.round == 20


@pytest.mark.parametrize("name", sorted(set(library.games()) - SLOW))
def test_a_state_can_be_made_again(name: str) -> None:
    """Also where the library draws chance itself."""
    table = table_of(name, seats=find_game(f"openspiel:{name}").seats[0])
    play(table, at_random("1"), 7)
    copy, state = table.world.copy(), table.world.state
    world.restore(copy, copy.done)
    again = copy.state
    assert (str(again), again.history()) == (str(state), state.history())
    assert again.is_terminal() == state.is_terminal()


def test_quoridor_for_four_fails_at_a_move_and_goes_on(tmp_path: Path) -> None:
    """With the real library: it refuses the 273rd of these moves, which it has offered."""
    stream, replay = random.Random(120), tmp_path / "r.jsonl"
    state = table_of("quoridor", seats=4).world.state
    script = list[str]()
    for _ in range(273):
        action = stream.choice(state.legal_actions())
        script.append(state.action_to_string(action))
        if len(script) < 273:
            state.apply_action(action)
    answers = iter(script)

    def bot(lines: list[str]) -> str:
        return next(answers, "No moves")

    match = arena.play("openspiel:quoridor", [bot] * 4, replay=replay, settings={"max_moves": 280})
    found = [
        record
        for record in match.records
        if isinstance(record, Note) and record.code == "library_failed"
    ]
    assert len(found) == 1
    assert re.search(f"failed at {re.escape(script[-1])}, which it had offered", found[0].detail)
    assert verify(replay).problem == ""
