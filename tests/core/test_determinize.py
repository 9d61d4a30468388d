"""Other matches that one seat cannot tell from the real one, in all games."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.core import Setup, Stream, Table, find_game
from arena.core.game import AnyGame
from arena.core.registry import GAMES
from arena.core.replies import Answer
from arena.core.settings import parse
from arena.testing.random_play import at_random, play
from tests.tiny import TINY

SETTINGS: dict[str, dict[str, Any]] = {
    "tncc": {"gold_for_war": 100, "start": "900,900,800,60,150"},
    "codecharacter": {"map_size": 8, "base_tiles": "1,1,6,6", "num_soldiers": 3},
    "warlight": {"max_rounds": 40},
}
EXCHANGES = (0, 3, 12, 26)


def game_of(name: str) -> AnyGame:
    return TINY if name == "tiny" else find_game(name)


def match(name: str, exchanges: int, seats: int | None = None) -> Table[Any]:
    """A match between players that answer at random, at the last requests before its end."""
    game, stream = game_of(name), Stream(f"{exchanges}", "match")
    settings = parse(game.settings, SETTINGS.get(name, {}))
    table = Table(game, Setup("7", seats or max(game.seats[:2]), settings))
    for _ in range(exchanges):
        before = table.fork()
        table.answer_all(answers(table, stream))
        if table.outcome:
            return before
    table.take()
    return table


def answers(table: Table[Any], stream: Stream) -> tuple[Answer, ...]:
    answer = table.game.random_answer
    return tuple(Answer(answer(table.world, ask, stream)) for ask in table.asked)


@pytest.mark.parametrize("exchanges", EXCHANGES)
@pytest.mark.parametrize("name", [*GAMES, "tiny"])
def test_the_seat_was_told_the_same(name: str, exchanges: int) -> None:
    table = match(name, exchanges)
    before = play(table.copy(), at_random("on"), 20)
    for ask in table.asked:
        guess = table.determinize(ask.seat, Stream("1", "guess"))
        assert guess.lines(ask.seat) == table.lines(ask.seat)  # it plays the match again
        assert guess.request(ask.seat) == ask
        assert guess.setup.seed != table.setup.seed
        assert guess.outcome is None
    assert play(table, at_random("on"), 20) == before


HIDING = [*(name for name in GAMES), "tiny"]


@pytest.mark.parametrize("name", HIDING)
def test_what_is_hidden_is_drawn_anew(name: str) -> None:
    """In some of the positions at least: what others answered is not what they did answer."""
    others = 0
    for exchanges in (12, 26):
        table = match(name, exchanges)
        for ask in table.asked:
            guess = table.determinize(ask.seat, Stream("1", "guess"))
            others += guess._history != table._history
    assert others


@pytest.mark.parametrize("name", [*GAMES, "tiny"])
def test_a_guess_is_a_table_like_any_other(name: str) -> None:
    """Its forks and copies play on as it does, and its lines are those that it told."""
    table = match(name, 9)
    seat = table.asked[0].seat
    guess = table.determinize(seat, Stream("2", "guess"))
    fork, copied = guess.fork(), guess.copy()
    ahead, again, once_more = (play(one, at_random("on"), 9) for one in (guess, fork, copied))
    assert ahead == again == once_more
    told = [json.loads(line)["line"] for line in ahead if is_told(line, seat)]
    heard = [line for line in guess.lines(seat) if not line.startswith(("go ", "pick_"))]
    assert heard[len(heard) - len(told) :] == told


def is_told(line: str, seat: int) -> bool:
    """Whether a line of a transcript is one that the seat was told."""
    return line.startswith('{"type":"tell"') and json.loads(line)["seat"] == seat


@pytest.mark.parametrize("name", ["warlight", "toroid"])
def test_the_chance_to_come_is_another(name: str) -> None:
    """Of what is drawn, nothing can be learnt from a guess, which plays on by another seed."""
    table = match(name, 12)
    seat = table.asked[0].seat
    guesses = [table.determinize(seat, Stream(f"{i}", "guess"), tries=0) for i in range(4)]
    assert all(guess._history == table._history for guess in guesses)
    futures = {"\n".join(play(one, at_random("on"), 60)) for one in (table, *guesses)}
    assert len(futures) == 5


@pytest.mark.parametrize(
    "text", ["", "No moves", "tea", "war", "attack/transfer", "move 1", "move 9 9 9", ",,"]
)
@pytest.mark.parametrize("name", [name for name in GAMES if find_game(name).disguise])
def test_disguises_take_whatever_was_answered(name: str, text: str) -> None:
    table = match(name, 6)
    for ask in table.asked:
        for number in range(4):
            assert table.game.disguise
            other = table.game.disguise(table.world, ask, text, Stream(f"{number}", "x"))
            assert other.isprintable()
