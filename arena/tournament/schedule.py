"""The schedule of an event: the bots, seats and seed of each match.

An event is a list of *groups*: the bots that meet in one match. Each group plays its games in
*blocks*: all games of a block share one seed, and each bot takes each seat once. With two bots a
block is a mirrored pair: one map, seen from both sides. A fixture depends only on the seed of the
event, the group and the number of the game, so a schedule keeps only its groups in memory, and each
match can be replayed by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeAlias

from msgspec import Struct

Group: TypeAlias = tuple[int, ...]
"""The bots of one match, by their numbers in the event, from 0, in no order of seats."""
TURNS = "abcdefgh"
"""Letters of the games of a block."""


class Fixture(Struct, frozen=True):
    """One match of an event."""

    key: str
    """The match's name: ``1-2.3b`` is the second game of the third block of bots 1 and 2."""
    group: Group
    game: int
    """The number of the game among those of its group, from 0."""
    block: str
    """The name of its block, ``1-2.3``: the games of one group on one seed."""
    seed: str
    order: tuple[int, ...]
    """Bot numbers by seat."""


class Schedule(Struct, frozen=True):
    """Groups that play `games` matches each: first every group's first block, and so on."""

    seed: str
    groups: tuple[Group, ...]
    games: int
    alone: bool = False
    """See `fixture`."""

    def __len__(self) -> int:
        return len(self.groups) * self.games

    def __getitem__(self, number: int) -> Fixture:
        if not 0 <= number < len(self):
            raise IndexError(number)
        size = len(self.groups[0])
        before, within = divmod(number, len(self.groups) * size)
        turns = min(size, self.games - before * size)  # the last block may be cut short
        at, turn = divmod(within, turns)
        return fixture(self.seed, self.groups[at], before * size + turn, alone=self.alone)

    def __iter__(self) -> Iterator[Fixture]:
        return (self[number] for number in range(len(self)))


def fixture(seed: str, group: Sequence[int], game: int, *, alone: bool = False) -> Fixture:
    """One game of a group, numbered from 0. The seed of the third block of bots 1 and 2 is
    ``SEED.1-2.3``. If the group is `alone` in its event, the seeds are ``SEED``, ``SEED.1``,
    ``SEED.2`` and so on."""
    group = tuple(group)
    block, turn = divmod(game, len(group))
    name = f"{'-'.join(str(bot + 1) for bot in group)}.{block + 1}"
    order = tuple(group[at] for at in seatings(len(group), block % 2 == 1)[turn])
    own = f"{seed}.{block}" if block else seed
    return Fixture(
        key=f"{name}{TURNS[turn]}",
        group=group,
        game=game,
        block=name,
        seed=own if alone else f"{seed}.{name}",
        order=order,
    )


@cache
def seatings(seats: int, odd: bool = False) -> tuple[tuple[int, ...], ...]:
    """The seatings of a group in the games of a block: each bot takes each seat once.

    With an even number of seats each bot also follows each other bot once (Williams' square).
    With an odd number that takes two blocks: `odd` blocks are seated the other way round.
    """
    first = [(i + 1) // 2 if i % 2 else -(i // 2) % seats for i in range(seats)]
    rows = [tuple((bot + shift) % seats for bot in first) for shift in range(seats)]
    return tuple(row[::-1] for row in rows) if odd and seats % 2 else tuple(rows)
