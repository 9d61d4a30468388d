"""Where two matches first differ."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from arena.record.reader import Match


class Difference(Struct, frozen=True):
    """One way in which they differ."""

    round: int
    text: str
    """As a sentence."""
    seat: int | None = None
    """Whose answer it is."""


def first_differences(one: Match, other: Match) -> list[Difference]:
    """How the matches were set up otherwise, the first answer of each seat that is another one, and
    the first frame, by round."""
    return sorted(_differences(one, other), key=lambda found: found.round)


def _differences(one: Match, other: Match) -> Iterator[Difference]:
    if one.seed != other.seed:
        yield Difference(0, f"The seeds differ: {one.seed} and {other.seed}.")
    if len(one.players) != len(other.players):
        yield Difference(0, f"{len(one.players)} players against {len(other.players)}.")
    if dict(one.settings) != dict(other.settings) or one.header.map != other.header.map:
        yield Difference(0, "The settings or the maps differ.")
    for seat in range(min(len(one.players), len(other.players))):
        yield from _first_answer(one, other, seat)
    for frames in zip(one.frames, other.frames, strict=False):
        if frames[0] != frames[1]:
            yield Difference(frames[0]["round"], "The boards differ.")
            return
    if len(one.frames) != len(other.frames):
        last = min(one.rounds, other.rounds)
        yield Difference(last, f"One match ends after round {last}, the other goes on.")


def _first_answer(one: Match, other: Match, seat: int) -> Iterator[Difference]:
    for given in zip(one.replies(seat), other.replies(seat), strict=False):
        if given[0].reply != given[1].reply:
            yield Difference(given[0].round, f"player{seat + 1} answers otherwise.", seat)
            return
