"""The `update_map` lines of a match, kept from round to round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, count
from operator import ne


class MapTexts:
    """Each place of a map as ``PLACE OWNER COUNT``.

    Few places change in a round. The texts are held against the map in `renew`, so that it does not
    matter what has changed it.
    """

    def __init__(self, names: Sequence[str], owner: Sequence[int], counts: Sequence[int]) -> None:
        """`names` are those of the owners: ``names[-1]`` belongs to -1."""
        self._heads = [[f"{place} {name} " for place in range(len(owner))] for name in names]
        """By owner and place, its text up to the count: a third of the work of writing it."""
        self._owner, self._counts = list(owner), list(counts)
        self._texts = [""] * len(self._owner)
        self._write(range(len(self._owner)))

    def renew(self, owner: Sequence[int], counts: Sequence[int]) -> bool:
        """Write anew the places that have another owner or another count than before; whether
        there are any."""
        if self._owner == owner and self._counts == counts:
            return False
        for kept, now in (self._owner, owner), (self._counts, counts):
            if kept != now:
                changed = list(compress(count(), map(ne, kept, now)))
                kept[:] = now
                self._write(changed)
        return True

    def _write(self, places: Iterable[int]) -> None:
        heads, owner, counts, texts = self._heads, self._owner, self._counts, self._texts
        for place in places:
            texts[place] = f"{heads[owner[place]][place]}{counts[place]}"

    def line(self, places: Iterable[int] | None = None) -> str:
        """The line that tells these places, in their order; all when none are given."""
        texts = self._texts
        told = texts if places is None else [texts[place] for place in places]
        return " ".join(["update_map", *told])
