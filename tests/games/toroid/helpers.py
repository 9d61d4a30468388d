"""Worlds written as a line, chance that is said beforehand, and a driver of the conversation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.core.game import Setup
from arena.core.replies import Answer, Reply, Silence, Why
from arena.core.rng import Stream
from arena.core.settings import parse
from arena.core.steps import Ask, Frame, Note, Outcome, Show, Tell
from arena.core.table import Table
from arena.games.kit import Streams, player_names
from arena.games.toroid import GAME
from arena.games.toroid.script import script
from arena.games.toroid.settings import ToroidSettings
from arena.games.toroid.world import ToroidWorld, new_world

FOLDER = Path(__file__).parent
SIGNS = "ABCDEFGH"

LATE = Silence(Why.LATE)
DEAD = Silence(Why.DEAD)
SILENCES = [Silence(why) for why in Why]


class Said(Stream):
    """A stream whose draws are said beforehand. It fails when they do not suffice."""

    def __init__(self, draws: Sequence[int]) -> None:
        super().__init__("", "")
        self.left = list(draws)
        self.asked: list[int] = []

    def below(self, n: int) -> int:
        """The next of the draws."""
        assert self.left, "nothing more may be drawn"
        self.asked.append(n)
        draw = self.left.pop(0)
        assert 0 <= draw < n
        return draw


def settings(**values: Any) -> ToroidSettings:
    """Settings that differ from the defaults in `values`."""
    return parse(ToroidSettings, values)


def fresh(seed: str = "1", seats: int = 2, **values: Any) -> ToroidWorld:
    """A world before its set-up."""
    return new_world(Setup(seed, seats, settings(**values)))


def table(seed: str = "1", seats: int = 2, **values: Any) -> Table[Any]:
    """A match at its first request."""
    return Table(GAME, Setup(seed, seats, settings(**values)))


def world(
    ring: str, dice: Sequence[int] = (), seats: int = 2, order: str = "", **values: Any
) -> ToroidWorld:
    """A world at the start of game turn 1.

    `ring` is as in ``"A6 B2 .3"``: seat 0 (A) with 6 units, seat 1 with 2, a neutral with 3;
    neutrals are numbered as they come. `order` is that of the turns, as in ``"BA"``.
    """
    neutral, owner = 0, []
    for cell in ring.split():
        neutral += cell[0] == "."
        owner.append(-neutral if cell[0] == "." else SIGNS.index(cell[0]))
    chosen = settings(**values)
    return ToroidWorld(
        settings=chosen,
        names=(*player_names(seats), *(f"neutral{k}" for k in range(neutral, 0, -1))),
        turn_order=tuple(SIGNS.index(sign) for sign in order or SIGNS[:seats]),
        rounds=chosen.normal_game_turn_per_player * seats,
        owner=owner,
        units=[int(cell[1:]) for cell in ring.split()],
        countries=[owner.count(seat) for seat in range(seats)],
        chance=Streams("", die=Said(dice)),
        round=1,
    )


def ring(made: ToroidWorld) -> str:
    """Owners and units as `world` reads them."""
    return " ".join(
        f"{'.' if owner < 0 else SIGNS[owner]}{units}"
        for owner, units in zip(made.owner, made.units, strict=True)
    )


def dice(made: ToroidWorld) -> Said:
    """The chance that was said."""
    said = made.chance["die"]
    assert isinstance(said, Said)
    return said


class Talk:
    """The script of a world, driven by hand."""

    def __init__(self, made: ToroidWorld) -> None:
        self.world = made
        seats = len(made.countries)
        self.told: list[list[str]] = [[] for _ in range(seats)]
        """Lines to each seat since the last answer, the request included."""
        self.all: list[list[str]] = [[] for _ in range(seats)]
        """All lines to each seat."""
        self.log: list[str] = []
        """Everything, as text."""
        self.notes: list[Note] = []
        self.frames: list[Frame] = []
        self.asked: Ask | None = None
        self.outcome: Outcome | None = None
        self._script = script(made)
        self._go(None)

    @property
    def seat(self) -> int:
        """Who is asked."""
        assert self.asked is not None, "the match is over"
        return self.asked.seat

    @property
    def country(self) -> int:
        """Which country is to act."""
        assert self.asked is not None, "the match is over"
        return int(self.asked.tail)

    def say(self, *replies: str | Reply) -> Talk:
        """Answer one request after the other."""
        for one in replies:
            reply = Answer(one) if isinstance(one, str) else one
            text = reply.text if isinstance(reply, Answer) else f"({reply.why})"
            self.log.append(f"{self.seat}< {text}")
            self.told = [[] for _ in self.told]
            self._go((reply,))
        return self

    def rest(self, reply: str | Reply = "No moves") -> Talk:
        """Answer all requests of this turn."""
        seat, number = self.seat, self.world.round
        while self.asked is not None and (self.seat, self.world.round) == (seat, number):
            self.say(reply)
        return self

    def to_the_end(self, reply: str | Reply = "No moves") -> Talk:
        """Answer all requests of the match."""
        while self.asked is not None:
            self.say(reply)
        return self

    def codes(self) -> list[tuple[int, str]]:
        """Seat and code of each note so far."""
        return [(note.seat, note.code) for note in self.notes]

    def _go(self, replies: tuple[Reply, ...] | None) -> None:
        self.asked = None
        try:
            step = next(self._script) if replies is None else self._script.send(replies)
            while not isinstance(step, tuple):
                self._take(step)
                step = next(self._script)
        except StopIteration as end:
            self.outcome = end.value
            self.log.append(f"end {end.value!r}")
        else:
            (self.asked,) = step
            self._tell(self.asked.seat, self.asked.line(10000))

    def _take(self, step: Any) -> None:
        match step:
            case Tell(seat, line):
                self._tell(seat, line)
            case Show(frame):
                self.frames.append(frame)
                self.log.append(f"show {json.dumps(frame)}")
            case Note(seat, code, detail, fault):
                assert fault
                self.notes.append(step)
                self.log.append(f"note {seat} {code}: {detail}")
            case _:
                raise AssertionError(f"the game never does {step}")

    def _tell(self, seat: int, line: str) -> None:
        self.told[seat].append(line)
        self.all[seat].append(line)
        self.log.append(f"{seat}> {line}")


NONSENSE = [
    "attack left 0", "attack right 99", "transfer left 1", "transfer right 11", "attack up 1",
    "scout", "build 1", "skip", "attack left 1,", "build, build", "attack  left 1", "\\xff\\xfe",
    "scout left right", "transfer 1 left", "attack right 05", "BUILD", "tea",
]  # fmt: skip
"""Answers that are mostly illegal."""


def random_reply(on: Table[Any], ask: Ask, stream: Stream) -> Reply:
    """Mostly good answers, now and then a bad one, or none."""
    kind = stream.below(20)
    if kind == 0:
        return SILENCES[stream.below(len(SILENCES))]
    if kind == 1:
        return Answer("")
    if kind < 5:
        return Answer(NONSENSE[stream.below(len(NONSENSE))])
    return Answer(GAME.random_answer(on.world, ask, stream))
