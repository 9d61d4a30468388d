"""A match that one seat cannot tell from the real one: what is hidden from it is drawn anew.

A search that plays on from the true world sees what its seat must not see: the other seats' answers
so far, what chance drew out of its sight, and the chance to come. `Table.determinize` gives it
another match instead. Nothing of that is taken on trust: one thing of the past is changed, the
match is played again, and the change stays only if the seat was told exactly the same lines, to its
open request. So whatever a game hides, the result agrees with all that the seat was told.

What is changed is a matter of chance alone, and many changes are refused where much is seen:

* an answer of another seat: `Game.disguise` suggests answers that others can hardly tell from the
  real one; without it they are random;
* the chance of one exchange, as dice that the seat did not see. All other exchanges keep theirs, so
  a change does not disturb the dice that the seat did see later;
* the start, where `Game.vary_start` knows what chance drew for it.

Half of the changes lie within the last few exchanges, which hide most of the present. More tries
hide more, and take longer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
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
LATE_EXCHANGES = 4
"""The last exchanges, in which half of the changes are tried."""

Exchange: TypeAlias = tuple[Asks, tuple[Reply, ...]]
Chance: TypeAlias = dict[str, Any]
"""The streams of a world, by the names of its fields."""
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

    def next_chance(self) -> Chance:
        """The chance by which the next exchange is played."""

    def answer_all(self, replies: tuple[Reply, ...], chance: Chance | None = None) -> None:
        """Move on by an exchange, perhaps by another chance."""


class Past(Generic[P]):
    """The exchanges of a match so far, and what they told one seat."""

    def __init__(self, table: P, seat: int, origin: Any) -> None:
        """`table` is at its first requests, and is moved on. It began at `origin`."""
        self.seat = seat
        self.end = table
        self.origin = origin
        self.exchanges: list[Exchange] = []
        self.chances: list[Chance] = []
        """The chance of each exchange."""
        self.opening = self._heard()
        """What the seat was told and asked before the first exchange."""
        self.told: list[list[Told]] = []
        """What the seat was told and asked after each exchange."""
        self.kept: dict[int, P] = {}
        """Tables along the way, by the number of the exchange that follows."""

    def _heard(self) -> list[Told]:
        """What the seat was told and asked since the last call."""
        steps = [*self.end.take(), *self.end.asked]
        return [one for one in steps if isinstance(one, Tell | Ask) and one.seat == self.seat]

    def add(self, replies: tuple[Reply, ...], chance: Chance | None = None) -> None:
        """Play one exchange more, by this chance or the table's own."""
        table, at = self.end, len(self.exchanges)
        if at % CHECKPOINTS == 0:
            self.kept[at] = table.copy()
        self.exchanges.append((table.asked, replies))
        self.chances.append(chance or table.next_chance())
        table.answer_all(replies, self.chances[-1])
        self.told.append(self._heard())

    def until(self, at: int) -> Past[P]:
        """This past up to the last kept table before the exchange `at`."""
        start = at - at % CHECKPOINTS
        twin = Past(self.kept[start].copy(), self.seat, self.origin)
        twin.exchanges, twin.chances = self.exchanges[:start], self.chances[:start]
        twin.opening, twin.told = self.opening, self.told[:start]
        twin.kept = {number: table for number, table in self.kept.items() if number < start}
        return twin


def redraw(past: Past[P], stream: Stream) -> Past[P] | None:
    """A past in which another seat gave one other answer, or one exchange went by another chance,
    and this seat was told the same. None if the change that was drawn does not achieve that. Late
    exchanges are more likely to be changed."""
    count = len(past.exchanges)
    late = min(count, LATE_EXCHANGES)  # they hide most of the present
    back = stream.below(late) if stream.below(2) else int(count * stream.unit() ** 2)
    at = count - 1 - back
    chance, seat = past.chances[at], None
    if chance and stream.below(4) == 0:
        chance = renewed(chance, f"{stream.below(10**9)}")
    else:
        others = [ask.seat for ask in past.exchanges[at][0] if ask.seat != past.seat]
        if not others:
            return None
        seat = stream.choice(others)
    return _replayed(past.until(at), past, stream, at, seat, chance)


def restart(past: Past[P], begin: Callable[[Any], P], stream: Stream) -> Past[P] | None:
    """A past with another start of which this seat was told the same; None if the start that was
    drawn does not achieve that. `begin` makes a table of a world."""
    game, origin = past.end.game, past.origin.copy()
    if game.vary_start is None or not game.vary_start(origin, past.seat, stream):
        return None
    new = Past(begin(origin.copy()), past.seat, origin)
    return _replayed(new, past, stream) if new.opening == past.opening else None


def _replayed(
    new: Past[P],
    past: Past[P],
    stream: Stream,
    at: int = -1,
    seat: int | None = None,
    chance: Chance | None = None,
) -> Past[P] | None:
    """`new`, played on to the end of `past` with the same answers and chance, except for those in
    the exchange `at`; None as soon as its seat is told something else."""
    start = len(new.exchanges)
    known = _Known(past.exchanges[start:])
    told = [one for part in past.told[start:] for one in part]
    while told:
        if new.end.outcome is not None:
            return None
        here = len(new.exchanges)
        changed = seat if here == at else None
        by = chance if here == at else past.chances[here] if here < len(past.chances) else None
        new.add(tuple([known.reply(new.end, ask, changed, stream) for ask in new.end.asked]), by)
        heard = new.told[-1]
        if told[: len(heard)] != heard:
            return None
        del told[: len(heard)]
    return new


class _Known:
    """The replies of a past, by request, for a match that may ask others otherwise."""

    def __init__(self, exchanges: list[Exchange]) -> None:
        self._left: dict[Ask, deque[Reply]] = {}
        for asks, replies in exchanges:
            for ask, reply in zip(asks, replies, strict=True):
                self._left.setdefault(ask, deque()).append(reply)

    def reply(self, table: Playable, ask: Ask, changed: int | None, stream: Stream) -> Reply:
        """The reply of the past where the same was asked, otherwise one that is drawn, and so for
        the seat whose reply is `changed`."""
        left = self._left.get(ask)
        same = left.popleft() if left else None
        if same is not None and ask.seat != changed:
            return same
        return _another(table, ask, same, stream)


def _another(table: Playable, ask: Ask, reply: Reply | None, stream: Stream) -> Reply:
    """Another reply than this one, if there was one."""
    game, world = table.game, table.world
    if game.disguise is not None and isinstance(reply, Answer) and stream.below(4):
        return Answer(game.disguise(world, ask, reply.text, stream))
    return Answer(game.random_answer(world, ask, stream))


def chance_of(world: Any) -> Chance:
    """The streams of a world: each of its fields that can be `renewed`."""
    names = [one.name for one in fields(world)] if is_dataclass(world) else list(vars(world))
    return {
        name: value.copy() for name in names if hasattr(value := getattr(world, name), "renewed")
    }


def renewed(chance: Chance, seed: str) -> Chance:
    """The same streams of another seed, from their beginning."""
    return {name: value.renewed(seed) for name, value in chance.items()}


def set_chance(world: Any, chance: Chance) -> None:
    """Let the world go on by these streams, which stay as they are."""
    for name, value in chance.items():
        setattr(world, name, value.copy())
