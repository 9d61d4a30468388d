"""All randomness of a match: named streams of numbers from one seed.

A stream is CPython's Mersenne Twister seeded with the text ``SEED:LABEL``, and only its
``random()`` is ever called: the standard library guarantees that this sequence never changes. Each
purpose has its own label, so that a slow bot, or asking two bots at once, can never change a draw.
"""

from __future__ import annotations

import random
from collections.abc import Callable, MutableSequence, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class Stream:
    """One named stream of draws."""

    __slots__ = ("_label", "_source", "unit")

    def __init__(self, seed: str, label: str) -> None:
        self._label = label
        self._source = random.Random(f"{seed}:{label}")
        self.unit: Callable[[], float] = self._source.random
        """One draw in 0 ≤ x < 1, from which all other draws are made."""

    def below(self, n: int) -> int:
        """One draw: a whole number from 0 to n - 1 (n ≤ 2**32)."""
        return int(self.unit() * n)

    def between(self, low: int, high: int) -> int:
        """One draw: a whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        """One draw: one of the items."""
        return items[self.below(len(items))]

    def permille(self, p: int) -> bool:
        """One draw: true with a probability of `p` per mille."""
        return self.unit() * 1000 < p

    def hits(self, tries: int, p: int) -> int:
        """`tries` draws: how many were true, each with a probability of `p` per mille."""
        unit, hits = self.unit, 0
        for _ in range(tries):
            if unit() * 1000 < p:
                hits += 1
        return hits

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffle in place, one draw for each place from the last down to the second."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def copy(self) -> Stream:
        """An independent stream that continues from the current state."""
        twin = Stream.__new__(Stream)
        twin._label, twin._source = self._label, random.Random()
        twin._source.setstate(self._source.getstate())
        twin.unit = twin._source.random
        return twin

    def renewed(self, seed: str) -> Stream:
        """The stream of another seed for the same purpose, from its beginning."""
        return Stream(seed, self._label)
