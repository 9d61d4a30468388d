"""Many matches between the same bots: who sits where, and on which seed.

Seats rotate, and all rotations of a group share one seed: with two bots, games 1 and 2 are the
same map with swapped seats, so a lucky map favours both alike.
"""

from __future__ import annotations

from msgspec import Struct


class Pairing(Struct, frozen=True):
    """One game of a series: ``order[seat]`` is the number of the bot that sits there."""

    seed: str
    order: tuple[int, ...]


def pairing(seed: str, bots: int, game: int) -> Pairing:
    """The pairing of one game of a series, numbered from 0. The first group of as many games as
    there are bots plays `seed` itself, group G plays ``SEED.G``."""
    group = game // bots
    order = tuple((seat + game) % bots for seat in range(bots))
    return Pairing(f"{seed}.{group}" if group else seed, order)
