"""What bots drew: the lines of ``@viz``, understood. `protocol.md` describes them for bots.

A line that is not understood is counted and told, and changes nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from arena.games.kit import counted
from arena.record.format import Answered, Drawn, Silent
from arena.record.reader import Match
from arena.text import printable, quote
from arena.view.chapters import chapters

STYLES = ("info", "good", "bad", "plan")
"""The first is that of a line that names none."""
WORDS = 120
"""Characters of a text that are shown."""
NAME = 32
"""Characters of a name or a place."""
PLACES = 64
"""Places of a path, or of heat."""
MOST = 1e12
"""The largest number; larger ones are cut."""


class Shape(Struct, frozen=True, omit_defaults=True):
    """Something on the board."""

    seat: int
    kind: str
    """``text``, ``mark``, ``arrow``, ``path``, ``heat``."""
    places: list[str]
    style: str = ""
    text: str = ""
    values: list[float] = []
    """Of heat, from 0 to 1, by place."""


class Value(NamedTuple):
    """A number for the chart."""

    frame: int
    seat: int
    name: str
    number: float


class Words(NamedTuple):
    """A text beside the board, or a moment on the time line."""

    frame: int
    seat: int
    text: str


class LeftOut(NamedTuple):
    """What is missing of the drawings of a seat, as a sentence."""

    seat: int
    text: str


class Drawings(Struct, frozen=True):
    """All that bots drew in a match."""

    shapes: dict[int, list[Shape]]
    """By frame."""
    values: list[Value]
    sides: list[Words]
    moments: list[Words]
    notes: list[LeftOut]


class NotUnderstood(Exception):
    """A line that is no drawing."""


def read_drawings(match: Match) -> Drawings:
    """The drawings of a match."""
    found = Drawings({}, [], [], [], [])
    rounds = {frame["round"]: index for index, frame in enumerate(match.frames)}
    for seat in range(len(match.players)):
        reader = _Reader(seat, found, rounds)
        frames = _frames_of_requests(match, seat)
        for drawn in match.drawn(seat):
            reader.read(drawn, frames[min(drawn.request, len(frames) - 1)])
        found.notes.extend(reader.notes())
    return found


def _frames_of_requests(match: Match, seat: int) -> list[int]:
    """The frame to which each request of a seat led; the first is that of its start."""
    return [0] + [
        frame
        for frame, chapter in enumerate(chapters(match))
        for record in chapter
        if isinstance(record, Answered | Silent) and record.seat == seat
    ]


class _Reader:
    """Reads the lines of one seat."""

    def __init__(self, seat: int, found: Drawings, rounds: Mapping[int, int]) -> None:
        self._seat = seat
        self._found = found
        self._rounds = rounds
        self._frame = 0
        self._left_out = 0
        self._bad: list[str] = []

    def read(self, drawn: Drawn, frame: int) -> None:
        """The lines of one request, which led to this frame."""
        self._frame = frame
        self._left_out += drawn.left_out
        for line in drawn.text.split("\n"):
            verb, *words = line.split() or [""]
            try:
                _VERBS.get(verb, _Reader._unknown)(self, words)
            except (NotUnderstood, ValueError):
                self._bad.append(line)

    def notes(self) -> Iterator[LeftOut]:
        """What was left out of it."""
        name = f"player{self._seat + 1}"
        if self._left_out:
            text = (
                f"{name} drew more than its budget, by {counted(self._left_out, 'line')}: left out."
            )
            yield LeftOut(self._seat, text)
        if self._bad:
            count, first = counted(len(self._bad), "line"), quote(self._bad[0])
            text = f"{name} wrote {count} that no drawing is made of, first @viz {first}."
            yield LeftOut(self._seat, text)

    def _unknown(self, words: list[str]) -> None:
        raise NotUnderstood

    def _at(self, words: list[str]) -> None:
        (number,) = words
        if int(number) not in self._rounds:
            raise NotUnderstood
        self._frame = self._rounds[int(number)]

    def _add(self, kind: str, places: list[str], style: str = "", text: str = "") -> None:
        if not 0 < len(places) <= PLACES or any(len(place) > NAME for place in places):
            raise NotUnderstood
        self._put(Shape(self._seat, kind, places, style, text))

    def _put(self, shape: Shape) -> None:
        self._found.shapes.setdefault(self._frame, []).append(shape)

    def _text(self, words: list[str]) -> None:
        place, *rest = words
        self._add("text", [place], text=_shown(rest))

    def _mark(self, words: list[str]) -> None:
        places, style = _styled(words)
        (place,) = places
        self._add("mark", [place], style)

    def _arrow(self, words: list[str]) -> None:
        places, style = _styled(words)
        start, end = places
        self._add("arrow", [start, end], style)

    def _path(self, words: list[str]) -> None:
        places, style = _styled(words)
        if len(places) < 2:
            raise NotUnderstood
        self._add("path", places, style)

    def _heat(self, words: list[str]) -> None:
        pairs = [word.rpartition(":") for word in words]
        if not 0 < len(pairs) <= PLACES or not all(0 < len(one[0]) <= NAME for one in pairs):
            raise NotUnderstood
        values = [min(1.0, max(0.0, _number(number))) for _, _, number in pairs]
        self._put(Shape(self._seat, "heat", [place for place, _, _ in pairs], values=values))

    def _value(self, words: list[str]) -> None:
        name, number = words
        if len(name) > NAME:
            raise NotUnderstood
        self._found.values.append(Value(self._frame, self._seat, printable(name), _number(number)))

    def _side(self, words: list[str]) -> None:
        self._found.sides.append(Words(self._frame, self._seat, _shown(words)))

    def _moment(self, words: list[str]) -> None:
        self._found.moments.append(Words(self._frame, self._seat, _shown(words)))


_VERBS: Mapping[str, Callable[[_Reader, list[str]], None]] = {
    "at": _Reader._at,
    "text": _Reader._text,
    "mark": _Reader._mark,
    "arrow": _Reader._arrow,
    "path": _Reader._path,
    "heat": _Reader._heat,
    "value": _Reader._value,
    "side": _Reader._side,
    "moment": _Reader._moment,
}


def _styled(words: list[str]) -> tuple[list[str], str]:
    """The words without the style that may stand last."""
    if words and words[-1] in STYLES:
        return words[:-1], words[-1]
    return words, STYLES[0]


def _shown(words: list[str]) -> str:
    if not words:
        raise NotUnderstood
    return printable(" ".join(words))[:WORDS]


def _number(text: str) -> float:
    number = float(text)
    if math.isnan(number):
        raise NotUnderstood
    return min(MOST, max(-MOST, number))
