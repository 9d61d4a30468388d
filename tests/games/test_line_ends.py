"""Ends of lines, the same in every game: blanks and carriage returns are trimmed, nothing else is.

Every answer goes through the inbox of a program to the rules, as in a match.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from arena.core import Answer, Note, Setup, Table, find_game
from arena.core.limits import Limits
from arena.core.replies import Violation
from arena.players.inbox import Inbox
from arena.players.inprocess import InProcessPlayer
from arena.train.episode import checked_line
from tests.support.tools import needs_open_spiel

ANSWERS = {
    "warlight": "3",
    "toroid": "build",
    "hextrategic": "No moves",
    "tncc": "trade player2 gold 42 gold 11",
    "codecharacter": "attack 12 31, move 3 239.459 1332.416",
    "openspiel:tic_tac_toe": "x(2,1)",
    "openspiel:chess": "e2e4 cp 13",
}
GAMES = [pytest.param(game, marks=[pytest.mark.dear] if ":" in game else []) for game in ANSWERS]
TRIMMED = ["", " ", "\t", "\r", " \r", "\r ", "\r\r", "\r\t\r  ", "  \r \r"]
KEPT = ["\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\xa0", "\u2007", "\u2028", "\u200b", "\u3000"]
"""What Python, Java or a word processor takes for white space or the end of a line."""


@lru_cache
def table_of(game: str) -> Table[Any]:
    if game.startswith("openspiel"):
        needs_open_spiel()
    rules = find_game(game)
    table = Table(rules, Setup("1", rules.seats[0], rules.settings()))
    if game == "warlight":
        while table.asked[0].head == "pick_starting_region":
            table.answer(table.asked[0].seat, Answer(table.asked[0].tail.split(" ")[0]))
    table.take()
    return table


def text_of(line: str) -> str:
    """The answer that a program gives by that line."""
    return Inbox(Limits(), []).text(line.encode())


def faults(game: str, text: str) -> list[str]:
    """What the rules find wrong with an answer of the first seat that is asked."""
    table = table_of(game).copy()
    table.take()
    for number, ask in enumerate(table.asked):
        table.answer(ask.seat, Answer("No moves" if number else text))
    return [step.code for step in table.take() if isinstance(step, Note) and step.fault]


def answer_to(game: str) -> str:
    if game != "warlight":
        return ANSWERS[game]
    lines = table_of(game).lines(0)
    own = next(line for line in reversed(lines) if line.startswith("update_map")).split(" ")
    region = own[own.index("player1") - 1]
    return f"player1 place_armies {region} 1, player1 place_armies {region} 2"


@pytest.mark.parametrize("game", GAMES)
def test_blanks_and_carriage_returns_at_the_end_are_trimmed(game: str) -> None:
    answer = answer_to(game)
    assert {text_of(f" \t{answer}{tail}") for tail in TRIMMED} == {answer}
    assert {tail: faults(game, text_of(answer + tail)) for tail in TRIMMED} == {
        tail: [] for tail in TRIMMED
    }


@pytest.mark.parametrize("game", GAMES)
def test_nothing_else_is_trimmed(game: str) -> None:
    answer = answer_to(game)
    for end in ("", " \r"):
        counts = {tail: len(faults(game, text_of(answer + tail + end))) for tail in KEPT}
        assert counts == dict.fromkeys(KEPT, 1)


@pytest.mark.parametrize("game", ["warlight", "hextrategic", "codecharacter"])
def test_around_a_comma_only_blanks_are_trimmed(game: str) -> None:
    answer = {"hextrategic": "move 1 2 3, move 1 2 3"}.get(game) or answer_to(game)
    usual = faults(game, answer)
    for blanks in (" ,", "\t, \t"):
        assert faults(game, text_of(answer.replace(", ", blanks))) == usual
    for inner in ("\r", *KEPT):
        assert faults(game, text_of(answer.replace(",", f"{inner},")))[0] == "syntax", inner


def test_a_line_of_blanks_and_carriage_returns_is_blank() -> None:
    assert [text_of(tail) for tail in TRIMMED] == [""] * len(TRIMMED)


@pytest.mark.parametrize("tail", TRIMMED)
async def test_functions_people_and_learners_are_heard_by_the_same_rule(tail: str) -> None:
    player = InProcessPlayer("a", lambda lines: f"build{tail}")
    player.post("go action 100 0\n", 100)
    reply = player.poll().reply
    assert isinstance(reply, Answer)
    assert (reply.text, checked_line(f"build{tail}")) == ("build", "build")
    assert checked_line("build\xa0") == "build\xa0"


def test_carriage_returns_are_remarked_upon_once() -> None:
    violations: list[Violation] = []
    box = Inbox(Limits(), violations)
    assert [box.text(line) for line in (b"1 \r ", b"2\r\r", b"3")] == ["1", "2", "3"]
    assert [(one.code, one.fault) for one in violations] == [("crlf", False)]
