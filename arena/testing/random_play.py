"""Matches between players that answer at random, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from arena.core.replies import Answer, Reply, Silence, Why
from arena.core.rng import Stream
from arena.core.steps import Ask, Outcome, Step
from arena.core.table import Table

Answerer: TypeAlias = Callable[[Table[Any], Ask], Reply]


def at_random(seed: str) -> Answerer:
    """An answerer that plays at random: now and then nonsense, an empty line, or no answer."""
    stream = Stream(seed, "answers")

    def answer(table: Table[Any], ask: Ask) -> Reply:
        kind = stream.below(40)
        if kind == 0:
            return Answer("tea, 1 2 3, \\xff")
        if kind == 1:
            return Answer("")
        if kind == 2:
            return Silence(Why.DEAD)
        return Answer(table.game.random_answer(table.world, ask, stream))

    return answer


def silent(table: Table[Any], ask: Ask) -> Reply:
    """An answerer that never answers."""
    return Silence(Why.LATE)


def play(table: Table[Any], answer: Answerer, limit: int) -> list[str]:
    """The transcript of a match, played on to its end or for `limit` exchanges: one line of JSON
    for each step, and for each request with its reply."""
    lines = [text(step) for step in table.take()]
    for _ in range(limit):
        if table.outcome is not None:
            return [*lines, text(table.outcome)]
        for ask in table.asked:
            reply = answer(table, ask)
            lines += [f"{text(ask)} {text(reply)}"]
            table.answer(ask.seat, reply)
        lines += [text(step) for step in table.take()]
    return lines


def text(step: Step | Ask | Reply | Outcome) -> str:
    """A step as its canonical JSON."""
    return msgspec.json.encode(step).decode()
