"""Other matches that one seat cannot tell from the real one, in all games."""

from __future__ import annotations

import json
from math import dist
from typing import Any

import pytest

from arena.core import Setup, Stream, Table, find_game
from arena.core.game import AnyGame
from arena.core.registry import GAMES
from arena.core.replies import Answer
from arena.core.settings import parse
from arena.games.tncc.world import War
from arena.testing.random_play import at_random, play
from tests.support.tools import dear, every
from tests.tiny import TINY

SETTINGS: dict[str, dict[str, Any]] = {
    "tncc": {"gold_for_war": 100, "start": "900,900,800,60,150"},
    "codecharacter": {"map_size": 8, "base_tiles": "1,1,6,6", "num_soldiers": 3},
    "warlight": {"max_rounds": 40},
}
EXCHANGES = (0, 3, 12, 26)
GUESSES = 6
MANY_GUESSES = 100
"""After so many, a place that is the same in all of them is not hidden, or copied."""
QUICK = ("tncc", "tiny")


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


def hidden(name: str, world: Any, seat: int) -> dict[Any, Any]:
    """What is hidden from the seat and could be otherwise, whatever it was told, by its place."""
    others = [other for other in range(3) if other != seat]
    match name:
        case "tncc":
            war = world.proposal
            asked = isinstance(war, War) and war.seat != seat
            return {"flanks": war.flanks} if asked and sum(war.flanks) else {}
        case "hextrategic":
            cells = enumerate(zip(world.owner, world.auto, strict=True))
            return {cell: auto for cell, (owner, auto) in cells if owner in others and auto >= 0}
        case "toroid":
            ring = enumerate(zip(world.owner, world.units, strict=True))
            return {place: here for place, here in ring if here[0] in others}
        case "warlight":
            sight, theirs = world.sight[seat].count, 1 - seat
            unseen = [r for r in world.board.regions if world.owner[r] == theirs and not sight[r]]
            return {region: world.armies[region] for region in unseen} if world.round else {}
        case "codecharacter":
            walking = [s for s in world.soldiers if s.seat != seat and s.destination is not None]
            far = world.settings.soldier_speed * 1000
            return {s.id: s.destination for s in walking if dist(s.destination, (s.x, s.y)) > far}
    return {"purses": [purse for other, purse in enumerate(world.purse) if other != seat]}


def guessed(name: str, world: Any, place: Any) -> Any:
    """What a guess has in the place of something hidden."""
    match name:
        case "tncc":
            return world.proposal.flanks
        case "hextrategic":
            return world.auto[place]
        case "toroid":
            return world.owner[place], world.units[place]
        case "warlight":
            return world.armies[place]
        case "codecharacter":
            return world.soldiers[place].destination
    return world.purse


def never_changed(name: str, table: Table[Any], seat: int) -> dict[Any, Any]:
    """What of the hidden things all of many guesses agree with. What was merely unlikely to be
    changed has changed by then: of 12 guesses, each leaves one place of 25 of Warlight as it is."""
    left = hidden(name, table.world, seat)
    for number in range(MANY_GUESSES):
        if not left:
            break
        world = table.determinize(seat, Stream(f"{number}", "guess")).world
        left = {
            place: here
            for place, here in left.items()
            if guessed(name, world, place) == guessed(name, table.world, place)
        }
    return left


@pytest.mark.parametrize("name", dear([*GAMES, "tiny"], but=QUICK.__contains__))
def test_what_is_hidden_is_drawn_anew(name: str) -> None:
    """Guesses differ from the truth and among themselves, and nothing is the same in all of them,
    except for what the seat can derive (`derived`)."""
    places = true = 0
    for exchanges in (19, 40):
        table = match(name, exchanges)
        for ask in table.asked[:2]:
            facts = hidden(name, table.world, ask.seat)
            guesses = [
                table.determinize(ask.seat, Stream(f"{number}", "guess")).world
                for number in range(GUESSES if facts else 0)
            ]
            drawn = {place: [guessed(name, one, place) for one in guesses] for place in facts}
            assert not facts or len(set(map(str, zip(*drawn.values(), strict=True)))) > 1
            same = [drawn[place].count(guessed(name, table.world, place)) for place in facts]
            places, true = places + len(facts), true + sum(same)
            assert never_changed(name, table, ask.seat).keys() <= derived(name, table, ask.seat)
    assert places
    assert true <= places * GUESSES / 2


def derived(name: str, table: Table[Any], seat: int) -> set[int]:
    """The places that a seat knows though it does not see them: in Toroid Wars, what it has scouted
    in this turn, in which nobody else has acted."""
    if name != "toroid":
        return set()
    lines = table.lines(seat)
    turn = max(at for at, line in enumerate(lines) if line.startswith("round "))
    found = [line.split() for line in lines[turn:] if line.startswith("result ")]
    return {int(words[4]) for words in found if words[2] == "scout"}


@pytest.mark.dear
def test_a_place_that_is_copied_from_the_truth_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the measurement above, if it is planted."""
    table, draw = match("hextrategic", 19), Table.determinize
    seat = table.asked[0].seat
    assert never_changed("hextrategic", table, seat) == {}
    place = min(hidden("hextrategic", table.world, seat))

    def leaky(real: Table[Any], *given: Any) -> Table[Any]:
        guess = draw(real, *given)
        guess.world.auto[place] = real.world.auto[place]
        return guess

    monkeypatch.setattr(Table, "determinize", leaky)
    assert never_changed("hextrategic", table, seat).keys() == {place}


def test_dice_out_of_sight_are_thrown_anew() -> None:
    """Of an exchange alone: those that the seat saw before and after it stay."""
    table = match("warlight", 40)
    guess = table.determinize(0, Stream("1", "guess"))
    seeds = {guess._chances[at]["chance"].seed for at in range(len(guess._history))}
    assert table.setup.seed in seeds
    assert len(seeds) > 1


def test_a_start_that_was_not_told_is_drawn_anew() -> None:
    """Before anybody has acted, too: what stands in far countries is not known."""
    table = match("toroid", 0, seats=8)
    seat = table.asked[0].seat
    starts = [table.determinize(seat, Stream(f"{i}", "guess")).world for i in range(4)]
    assert len({str((world.owner, world.units)) for world in (table.world, *starts)}) == 5
    own = [place for place, owner in enumerate(table.world.owner) if owner == seat]
    for world in starts:
        assert [place for place, owner in enumerate(world.owner) if owner == seat] == own
        assert world.turn_order == table.world.turn_order


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


@every("text", ["", "No moves", "tea", "war", "attack/transfer", "move 1", "move 9 9 9", ",,"])
@every("name", [name for name in GAMES if find_game(name).disguise])
def test_disguises_take_whatever_was_answered(name: str, text: str) -> None:
    table = match(name, 6)
    for ask in table.asked:
        for number in range(4):
            assert table.game.disguise
            other = table.game.disguise(table.world, ask, text, Stream(f"{number}", "x"))
            assert other.isprintable()
