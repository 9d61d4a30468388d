"""What one seat went through in a recorded match: what it was told and asked, and what it gave."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from arena.record.given import GivenReply
from arena.record.reader import Match


class Exchange(Struct, frozen=True):
    """One request to a seat, with the lines before it."""

    number: int
    """Of the request, from 1."""
    lines: tuple[str, ...]
    """What it was told since its last request."""
    given: GivenReply
    """The request and the reply."""


class Transcript(Struct, frozen=True):
    """All that a seat went through."""

    exchanges: tuple[Exchange, ...]
    rest: tuple[str, ...]
    """What it was told after its last request."""

    def dump(self) -> Iterator[str]:
        """The lines in the order in which its program read them."""
        for exchange in self.exchanges:
            yield from exchange.lines
            yield exchange.given.request
        yield from self.rest


def transcript(match: Match, seat: int) -> Transcript:
    """The transcript of a seat."""
    exchanges: list[Exchange] = []
    told: list[str] = []
    for line in match.heard(seat):
        if line.given is None:
            told.append(line.text)
        else:
            exchanges.append(Exchange(len(exchanges) + 1, tuple(told), line.given))
            told = []
    return Transcript(tuple(exchanges), tuple(told))
