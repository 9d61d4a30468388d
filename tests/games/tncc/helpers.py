"""Worlds in the middle of a match, a driver of the script, and random players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.core.game import Setup
from arena.core.replies import Answer, Reply, Silence, Why
from arena.core.rng import Stream
from arena.core.settings import parse
from arena.core.steps import Ask
from arena.core.table import Table
from arena.games.tncc import GAME
from arena.games.tncc.script import script
from arena.games.tncc.settings import TnccSettings
from arena.games.tncc.world import RESOURCES, Country, TnccWorld, new_world
from arena.testing import talk

FOLDER = Path(__file__).parent
LATE = Silence(Why.LATE)
DEAD = Silence(Why.DEAD)
ABSENT = Silence(Why.ABSENT)


def settings(**values: Any) -> TnccSettings:
    """Settings that differ from the defaults in `values`."""
    return parse(TnccSettings, values)


def fresh(seats: int = 2, **values: Any) -> TnccWorld:
    """A world before its set-up."""
    return new_world(Setup("1", seats, settings(**values)))


def country(*numbers: int) -> Country:
    """A country of these numbers: gold, food, population, military, land."""
    return dict(zip(RESOURCES, numbers, strict=True))


def numbers(own: Country) -> list[int]:
    """The five numbers of a country."""
    return list(own.values())


def world(*countries: tuple[int, int, int, int, int], **values: Any) -> TnccWorld:
    """A world at the start of cycle 1, with these countries."""
    made = fresh(len(countries), **values)
    made.round = 1
    made.countries = [country(*each) for each in countries]
    return made


RICH = (5000, 5000, 1000, 200, 150)
"""A country that can do anything."""


class Talk(talk.Talk[TnccWorld]):
    """The script of a world, driven by hand."""

    def __init__(self, made: TnccWorld) -> None:
        super().__init__(made, script(made), len(made.names))

    def say(self, *replies: str | Reply) -> Talk:
        """Answer the open request, and those that follow."""
        for one in replies:
            self.reply(one)
        return self

    @property
    def ask(self) -> Ask:
        """The open request: there is never more than one."""
        (ask,) = self.asked
        return ask

    @property
    def request(self) -> str:
        """The open request as ``SEAT LINE``."""
        return f"{self.ask.seat} {self.ask.line(10000)}"

    def lines(self, seat: int) -> list[str]:
        """What the seat was told since the last reply."""
        return self.told[seat]


def nonsense(stream: Stream) -> str:
    """An answer that is probably wrong in some way."""
    words = ["wait", "recruit", "trade", "war", "player1", "player2", "gold", "food", "5", "-3"]
    words += ["", "05", "no", "99999"]
    return " ".join([words[stream.below(len(words))] for _ in range(1 + stream.below(6))])


def random_reply(table: Table[Any], ask: Ask, stream: Stream) -> Reply:
    """Mostly good answers, and now and then wrong ones or none."""
    kind = stream.below(20)
    if kind < 2:
        return (LATE, DEAD)[kind]
    if kind < 5:
        return Answer(nonsense(stream))
    return Answer(GAME.random_answer(table.world, ask, stream))
