from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from arena.core import Ask, Setup, Stream, find_game
from arena.core.game import AnyGame
from arena.core.registry import GAMES
from arena.core.replies import Answer
from arena.core.table import AnswerTrial, Table
from arena.players.human import Helper
from tests.tiny import TINY


def table_of(name: str, seed: str = "7") -> Table[Any]:
    game = find_game(name)
    return Table(game, Setup(seed, game.seats[0], game.settings()))


def positions(table: Table[Any], exchanges: int) -> Iterator[Ask]:
    """Each request of a match between players that answer at random, while it is open."""
    stream = Stream("helper", "answers")
    for _ in range(exchanges):
        yield from table.asked
        for ask in table.asked:
            table.answer(ask.seat, Answer(table.game.random_answer(table.world, ask, stream)))


def tiny(game: AnyGame = TINY) -> Helper:
    return Helper(Table(game, Setup("7", 2, game.settings())), 0)


def test_a_trial_says_what_the_rules_would_and_changes_nothing() -> None:
    table = Table(TINY, Setup("7", 2, TINY.settings()))
    helper, before = Helper(table, 0), table.asked
    assert helper.trial("5") == AnswerTrial()
    assert helper.trial("21") == AnswerTrial(("'21' is no bid (bid)",))
    assert (table.asked, table.world.purse, table.outcome) == (before, [20, 20], None)


@pytest.mark.parametrize("text", ["5\x00", "\x1b[2J", "\u202e5", "\ud800", "5\n6"])
def test_what_is_no_plain_text_is_a_problem(text: str) -> None:
    (problem,) = tiny().trial(text).problems
    assert problem.isprintable()


def test_what_is_too_long_for_a_line_is_a_problem() -> None:
    assert tiny().trial("9" * 70_000).problems == ("it is longer than 65536 bytes",)


@pytest.mark.parametrize("name", GAMES)
def test_examples_are_taken_and_completions_lead_to_them(name: str) -> None:
    table = table_of(name)
    for ask in positions(table, 12):
        helper = Helper(table, ask.seat)
        for example in helper.examples(2):
            assert helper.trial(example).problems == ()
            first, *rest = example.partition(",")[0].split()
            assert first in helper.completions(first[:1]) or "." in first
            if rest:
                assert helper.completions(f"{first} ")
        assert helper.completions("no such words ") == []


SECRETIVE = [
    ("warlight", {}),
    ("toroid", {}),
    ("toroid", {"unfriendly_transfer": "on", "max_resident_units": 10}),
    *((name, {}) for name in ("hextrategic", "tncc", "codecharacter")),
]


@pytest.mark.parametrize(("name", "settings"), SECRETIVE)
def test_no_help_tells_what_the_seat_cannot_see(name: str, settings: dict[str, Any]) -> None:
    """For equal lines, equal help: beside a world in which only hidden things differ."""
    game = find_game(name)
    table = Table(game, Setup("3", game.seats[0], replace(game.settings(), **settings)))
    stream, hidden = Stream("help", name), 0
    for _ in range(600):
        if hidden >= 10 or table.outcome is not None:
            break
        for ask in table.asked:
            other = table.world.copy()
            assert game.perturb_hidden is not None
            if not game.perturb_hidden(other, ask.seat, stream):
                continue
            hidden += 1
            worlds = (table.world.copy(), other)
            one, two = (Helper(Table.at(game, each, table.setup), ask.seat) for each in worlds)
            assert one.picture() == two.picture()
            examples = one.examples(2)
            assert (examples, one.completions("")) == (two.examples(2), two.completions(""))
            for text in (*examples, *map(partial(altered, stream), examples * 2)):
                assert one.trial(text) == two.trial(text), text
        replies = [Answer(game.random_answer(table.world, ask, stream)) for ask in table.asked]
        table.answer_all(tuple(replies))
    assert hidden


def altered(stream: Stream, text: str) -> str:
    """The text with other numbers and sides, and attacks as transfers."""
    for word, others in (("left", "right"), ("attack", "transfer"), ("build", "transfer left 1")):
        text = text.replace(word, others) if stream.below(2) else text
    return re.sub(r"\d+", lambda found: str(max(0, int(found[0]) + stream.below(9) - 4)), text)


def test_a_full_country_of_another_is_no_problem_in_a_trial() -> None:
    """The rules refuse the transfer later, and then the seat may know."""
    game = find_game("toroid")
    settings = replace(game.settings(), unfriendly_transfer="on")
    table = Table(game, Setup("3", 2, settings))
    [ask], world = table.asked, table.world
    world.units[int(ask.tail)] = 5
    target = (int(ask.tail) + 1) % len(world.owner)
    world.owner[target], world.units[target] = 1 - ask.seat, settings.max_resident_units
    full = Helper(Table.at(game, world, table.setup), ask.seat)
    assert full.trial("transfer right 2") == AnswerTrial()
    world.owner[target] = ask.seat
    own = Helper(Table.at(game, world, table.setup), ask.seat)
    assert "resident_limit" in own.trial("transfer right 2").problems[0]


def test_completions_begin_anew_behind_a_comma() -> None:
    helper = Helper(table_of("hextrategic"), 0)
    assert set(helper.completions("move 1 2 3, m")) <= {"move"}
    assert helper.completions("nonsense, m") == helper.completions("m")


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("warlight", "region 3", "give one number from the list and nothing else (syntax)"),
        ("toroid", "attack left 99", "few_units"),
        ("hextrategic", "surrender now", "move FROM TO UNITS"),
        ("tncc", "recruit 99999", "citizens"),
        ("codecharacter", "move 0 1", "syntax"),
    ],
)
def test_every_game_explains_what_it_refuses(name: str, words: str, said: str) -> None:
    table = table_of(name)
    (problem,) = Helper(table, table.asked[0].seat).trial(words).problems
    assert said in problem


def test_a_trial_does_not_tell_what_would_be_drawn() -> None:
    """Warlight draws a region in place of a bad pick."""
    assert "drawn" not in str(Helper(table_of("warlight"), 0).trial("0"))
    assert "a; b" in str(Helper(table_of("warlight"), 0).trial("a; b"))


@pytest.mark.parametrize(("name", "word"), [("hextrategic", "surrender"), ("toroid", None)])
def test_surrender_is_offered_where_a_game_has_it(name: str, word: str | None) -> None:
    table = table_of(name)
    assert Helper(table, table.asked[0].seat).surrender() == word


@pytest.mark.parametrize("name", GAMES)
def test_the_board_is_drawn_from_any_seat(name: str) -> None:
    """That it tells nothing hidden, the conformance of games checks."""
    table = table_of(name)
    for ask in positions(table, 10):
        rows = Helper(table, ask.seat).picture().splitlines()
        assert len(rows) >= 3
        assert name == "warlight" or max(map(len, rows)) <= 110
    assert tiny().picture() == ""


def test_W_the_board_shows_no_armies_that_the_rival_has_just_placed() -> None:
    """It shows the enemy's regions as the last line did, at both requests of a round."""
    table, seen = table_of("warlight"), 0
    for ask in positions(table, 60):
        lines = table.lines(ask.seat)
        told = next((line for line in lines[::-1] if line.startswith("update_map")), None)
        if told is None:
            continue
        words, rival = told.split()[1:], "AB"[1 - ask.seat]
        theirs = {
            f"{region}:{rival}{armies}"
            for region, owner, armies in zip(words[::3], words[1::3], words[2::3], strict=True)
            if owner == f"player{2 - ask.seat}"
        }
        picture = Helper(table, ask.seat).picture()
        assert set(re.findall(rf"\d+:{rival}\d+", picture)) == theirs
        seen += ask.head == "go attack/transfer" and bool(theirs)
    assert seen


def test_the_second_player_of_codecharacter_sees_its_base_in_the_upper_left() -> None:
    table = table_of("codecharacter")
    one, two = (Helper(table, seat).picture() for seat in (0, 1))
    assert "40 base at 4,4" in one
    assert "41 base at 4,4" in two
    assert "your money: 300" in two
