"""The chance of a world."""

from __future__ import annotations

from arena.core.rng import Stream


class Streams:
    """Streams of one seed by name, cheap to copy: ``world.chance["combat"].below(6)``.

    A copy of a stream costs 30 µs, and most copies of a world draw from none. So both go on with
    the same streams until one of them draws.
    """

    __slots__ = ("_made", "_shared", "seed")

    def __init__(self, seed: str, **made: Stream) -> None:
        """`made` are streams to begin with; tests say chance beforehand with them."""
        self.seed = seed
        self._made: dict[str, Stream] = made
        self._shared: set[str] = set()
        """Streams that other worlds hold too."""

    def __getitem__(self, name: str) -> Stream:
        """The stream of that name, to draw from it at once: a copy of the world may follow."""
        if name not in self._made:
            self._made[name] = Stream(self.seed, name)
        elif name in self._shared:
            self._made[name] = self._made[name].copy()
            self._shared.discard(name)
        return self._made[name]

    def __setitem__(self, name: str, stream: Stream) -> None:
        """Draw from this stream from now on."""
        self._made[name] = stream
        self._shared.discard(name)

    def copy(self) -> Streams:
        """Independent of these, and where these stand."""
        twin = Streams(self.seed, **self._made)
        self._shared.update(self._made)
        twin._shared.update(self._made)
        return twin
