"""A match that one seat cannot tell from the real one: what is hidden from it is drawn anew.

A search that plays on from the true world sees what its seat must not see: the other seats' answers
so far, and the chance to come. `Table.determinize` gives it another match instead. Nothing of that
is taken on trust: an answer of another seat is changed, the match is played again, and the change
stays only if the seat was told exactly the same lines, to its open request. So whatever a game
hides, the result agrees with all that the seat was told.

Which changes are tried is a matter of chance alone, and many are refused where much is seen.
`Game.disguise` suggests answers that others can hardly tell from the real one; without it they are
random. More tries hide more, and take longer.
"""

from __future__ import annotations

from collections import deque
from dataclasses import fields, is_dataclass
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar

from arena.core.game import AnyGame
from arena.core.replies import Answer, Reply
from arena.core.rng import Stream
from arena.core.steps import Ask, Asks, Outcome, Step, Tell

TRIES = 32
"""Changes that are tried."""
CHECKPOINTS = 16
"""Exchanges between two tables that are kept, from which a changed match is played on."""

Exchange: TypeAlias = tuple[Asks, tuple[Reply, ...]]
Told: TypeAlias = Tell | Ask
P = TypeVar("P", bound="Playable")


class Playable(Protocol):
    """What is needed of a table."""

    game: AnyGame
    world: Any
    asked: Asks
    outcome: Outcome | None

    def copy(self) -> Self:
        """An independent table at the same point."""

    def take(self) -> list[Step]:
        """The steps since the last call."""

    def answer_all(self, replies: tuple[Reply, ...]) -> None:
        """Move on by an exchange."""


class Past(Generic[P]):
    """The exchanges of a match so far, and what they told one seat."""

    def __init__(self, table: P, seat: int) -> None:
        """`table` is at its first requests, and is moved on."""
        self.seat = seat
        self.end = table
        self.exchanges: list[Exchange] = []
        self.told: list[list[Told]] = []
        """What the seat was told and asked after each exchange."""
        self.kept: dict[int, P] = {}
        """Tables along the way, by the number of the exchange that follows."""
        table.take()

    def add(self, replies: tuple[Reply, ...]) -> None:
        """Play one exchange more."""
        table, at = self.end, len(self.exchanges)
        if at % CHECKPOINTS == 0:
            self.kept[at] = table.copy()
        self.exchanges.append((table.asked, replies))
        table.answer_all(replies)
        steps = [*table.take(), *table.asked]
        self.told.append(
            [one for one in steps if isinstance(one, Tell | Ask) and one.seat == self.seat]
        )

    def until(self, at: int) -> Past[P]:
        """This past up to the last kept table before the exchange `at`."""
        start = at - at % CHECKPOINTS
        twin = Past(self.kept[start].copy(), self.seat)
        twin.exchanges, twin.told = self.exchanges[:start], self.told[:start]
        twin.kept = {number: table for number, table in self.kept.items() if number < start}
        return twin


def redraw(past: Past[P], stream: Stream) -> Past[P] | None:
    """A past in which another seat gave one other answer, and this seat was told the same. None if
    the change that was drawn does not achieve that. Late answers are more likely to be changed:
    they hide more of the present."""
    count = len(past.exchanges)
    at = count - 1 - int(count * stream.unit() ** 2)
    others = [ask for ask in past.exchanges[at][0] if ask.seat != past.seat]
    if not others:
        return None
    changed, new = stream.choice(others), past.until(at)
    start = len(new.exchanges)
    known = _Known(past.exchanges[start:])
    told = [one for part in past.told[start:] for one in part]
    while told:
        if new.end.outcome is not None:
            return None
        here = changed.seat if len(new.exchanges) == at else None
        new.add(tuple([known.reply(new.end, ask, here, stream) for ask in new.end.asked]))
        heard = new.told[-1]
        if told[: len(heard)] != heard:
            return None
        del told[: len(heard)]
    return new


class _Known:
    """The replies of a past, by seat, for a match that may ask others otherwise."""

    def __init__(self, exchanges: list[Exchange]) -> None:
        self._left: dict[int, deque[tuple[Ask, Reply]]] = {}
        for asks, replies in exchanges:
            for ask, reply in zip(asks, replies, strict=True):
                self._left.setdefault(ask.seat, deque()).append((ask, reply))

    def reply(self, table: Playable, ask: Ask, changed: int | None, stream: Stream) -> Reply:
        """The reply of the past where the same was asked, otherwise one that is drawn, and so for
        the seat whose reply is `changed`."""
        left = self._left.get(ask.seat)
        same = left.popleft()[1] if left and left[0][0] == ask else None
        if same is not None and ask.seat != changed:
            return same
        return _another(table, ask, same, stream)


def _another(table: Playable, ask: Ask, reply: Reply | None, stream: Stream) -> Reply:
    """Another reply than this one, if there was one."""
    game, world = table.game, table.world
    if game.disguise is not None and isinstance(reply, Answer) and stream.below(4):
        return Answer(game.disguise(world, ask, reply.text, stream))
    return Answer(game.random_answer(world, ask, stream))


def renew_chance(world: Any, seed: str) -> None:
    """Give the world other streams of chance: each of its fields that can be `renewed`."""
    names = [one.name for one in fields(world)] if is_dataclass(world) else list(vars(world))
    for name in names:
        value = getattr(world, name)
        if hasattr(value, "renewed"):
            setattr(world, name, value.renewed(seed))
