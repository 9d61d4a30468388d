"""Matches between players that answer at random, or not at all."""

from __future__ import annotations

from collections import Counter

from arena.core.game import Setup
from arena.core.replies import Answer, Silence, Why
from arena.core.table import Table
from arena.testing import at_random, play, silent
from tests.tiny import TINY, TinySettings, TinyWorld

LONG = TinySettings(max_rounds=300, purse=1000)


def table(settings: TinySettings | None = None) -> Table[TinyWorld]:
    return Table(TINY, Setup("1", 2, settings or TinySettings()))


def test_random_players_say_everything() -> None:
    made, answer, kinds = table(LONG), at_random("1"), Counter[object]()
    while made.outcome is None:
        for ask in made.asked:
            reply = answer(made, ask)
            number = isinstance(reply, Answer) and reply.text.isdigit()
            kinds["a bid" if number else reply] += 1
            made.answer(ask.seat, reply)
    assert set(kinds) == {
        "a bid", Answer("tea, 1 2 3, \\xff"), Answer(""), Silence(Why.DEAD)
    }  # fmt: skip
    assert kinds["a bid"] > 500


def test_one_seed_one_transcript() -> None:
    first, again, other = (play(table(), at_random(seed), 100) for seed in "112")
    assert first == again != other


def test_a_transcript_has_every_step_in_order() -> None:
    lines = play(table(TinySettings(max_rounds=1)), silent, 100)
    kinds = [line.split('"')[3] for line in lines]
    assert kinds == ["show", *["tell"] * 4, "ask", "ask", "show", "outcome"]
    assert lines[5] == '{"type":"ask","seat":0,"head":"go bid"} {"type":"silence","why":"late"}'


def test_a_match_can_be_cut_off() -> None:
    made = table()
    play(made, at_random("1"), 2)
    assert made.world.round == 3
