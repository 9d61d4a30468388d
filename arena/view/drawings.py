"""Parse the drawings of bots, their ``@viz`` lines, which `protocol.md` describes.

An invalid line is counted and reported, and has no other effect.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from arena.core.tally import Drawing
from arena.errors import did_you_mean
from arena.record.format import Answered, Drawn, Silent
from arena.record.reader import Match
from arena.text import counted, printable, quote
from arena.view.chapters import chapters

STYLES = ("info", "good", "bad", "plan")
"""The styles; the first one is the default."""
MAX_TEXT = 120
"""Maximum characters of a text that are shown."""
MAX_NAME = 32
"""Maximum characters of a name or a place."""
MAX_PLACES = 64
"""Maximum places of a path or a heat map."""
MAX_NUMBER = 1e12
"""The largest number; larger ones are clamped."""


class Shape(Struct, frozen=True, omit_defaults=True):
    """A shape on the board."""

    seat: int
    kind: str
    """``text``, ``mark``, ``arrow``, ``path``, ``heat``."""
    places: list[str]
    style: str = ""
    text: str = ""
    values: list[float] = []
    """Values of a heat map, from 0 to 1, by place."""


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
    """What is missing from the drawings of a seat, as a sentence."""

    seat: int
    text: str


class Drawings(Struct, frozen=True):
    """All that bots drew in a match."""

    shapes: dict[int, list[Shape]]
    """Shapes by frame."""
    values: list[Value]
    sides: list[Words]
    moments: list[Words]
    notes: list[LeftOut]


class NotUnderstood(Exception):
    """A line is not a valid drawing; says why."""


def read_drawings(match: Match) -> Drawings:
    """The drawings of a match."""
    found = Drawings(shapes={}, values=[], sides=[], moments=[], notes=[])
    rounds = {frame["round"]: index for index, frame in enumerate(match.frames)}
    for seat in range(len(match.players)):
        reader = _Reader(seat, found, rounds)
        frames = _frames_of_requests(match, seat)
        for drawn in match.drawn(seat):
            reader.read(drawn, frames[min(drawn.request, len(frames) - 1)])
        notes = [f"player{seat + 1}: {note}." for note in reader.notes()]
        found.notes.extend(LeftOut(seat, note) for note in notes)
    return found


def complaints(drawn: Iterable[Drawing], rounds: int) -> list[str]:
    """The errors in the drawings of one seat, in a match of `rounds` rounds."""
    reader = _Reader(
        0,
        Drawings(shapes={}, values=[], sides=[], moments=[], notes=[]),
        {n: n for n in range(rounds + 1)},
    )
    for one in drawn:
        reader.read(one, 0)
    return list(reader.notes())


def _frames_of_requests(match: Match, seat: int) -> list[int]:
    """The frame to which each request of a seat led; the first entry is for its start."""
    return [0] + [
        frame
        for frame, chapter in enumerate(chapters(match))
        for record in chapter
        if isinstance(record, Answered | Silent) and record.seat == seat
    ]


class _Reader:
    """Parses the lines of one seat."""

    def __init__(self, seat: int, found: Drawings, rounds: Mapping[int, int]) -> None:
        self._seat = seat
        self._found = found
        self._rounds = rounds
        self._frame = 0
        self._left_out = 0
        self._bad = 0
        self._first = ""
        """The first bad line, and what is wrong with it."""

    def read(self, drawn: Drawn | Drawing, frame: int) -> None:
        """Read the lines of one request, which led to `frame`."""
        self._frame = frame
        self._left_out += drawn.left_out
        for line in drawn.text.split("\n"):
            try:
                self._line(*line.split())
            except NotUnderstood as error:
                self._bad += 1
                self._first = self._first or f"{quote(line)}: {error}"

    def _line(self, verb: str = "", *words: str) -> None:
        if verb not in _VERBS:  # the nearest takes 0.1 ms to find: for the one that is told
            near = "" if self._first else did_you_mean(printable(verb[:MAX_NAME]), _VERBS)
            raise NotUnderstood(near)
        form, read = _VERBS[verb]
        try:
            read(self, [*words])
        except ValueError:
            raise NotUnderstood(f"write @viz {verb} {form}") from None

    def notes(self) -> Iterator[str]:
        """Sentences about lines that were left out."""
        if self._left_out:
            yield f"{counted(self._left_out, 'line')} of @viz left out: over the limit"
        if self._bad:
            yield f"{counted(self._bad, 'line')} of @viz not understood, first {self._first}"

    def _at(self, words: list[str]) -> None:
        (number,) = words
        if int(number) not in self._rounds:
            raise NotUnderstood(f"there is no round {int(number)}")
        self._frame = self._rounds[int(number)]

    def _add(self, kind: str, places: list[str], style: str = "", text: str = "") -> None:
        self._put(Shape(seat=self._seat, kind=kind, places=_short(places), style=style, text=text))

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
            raise ValueError
        self._add("path", places, style)

    def _heat(self, words: list[str]) -> None:
        pairs = [word.rpartition(":") for word in words]
        places = _short([place for place, _, _ in pairs])
        values = [min(1.0, max(0.0, _number(number))) for _, _, number in pairs]
        self._put(Shape(self._seat, "heat", places, values=values))

    def _value(self, words: list[str]) -> None:
        name, number = words
        _short([name])
        self._found.values.append(Value(self._frame, self._seat, printable(name), _number(number)))

    def _side(self, words: list[str]) -> None:
        self._found.sides.append(Words(self._frame, self._seat, _shown(words)))

    def _moment(self, words: list[str]) -> None:
        self._found.moments.append(Words(self._frame, self._seat, _shown(words)))


_VERBS: Mapping[str, tuple[str, Callable[[_Reader, list[str]], None]]] = {
    "at": ("ROUND", _Reader._at),
    "text": ("PLACE WORDS", _Reader._text),
    "mark": ("PLACE [STYLE]", _Reader._mark),
    "arrow": ("FROM TO [STYLE]", _Reader._arrow),
    "path": ("P1 P2 … [STYLE]", _Reader._path),
    "heat": ("P:0.3 Q:0.9 …", _Reader._heat),
    "value": ("NAME NUMBER", _Reader._value),
    "side": ("WORDS", _Reader._side),
    "moment": ("WORDS", _Reader._moment),
}
"""The arguments of each verb, and the method that reads them."""


def _styled(words: list[str]) -> tuple[list[str], str]:
    """Split off the optional style at the end of the words."""
    if words and words[-1] in STYLES:
        return words[:-1], words[-1]
    return words, STYLES[0]


def _short(names: list[str]) -> list[str]:
    """The places of a shape, checked for number and length."""
    if not names or not all(names):
        raise ValueError
    if len(names) > MAX_PLACES:
        raise NotUnderstood(f"more than {MAX_PLACES} places")
    if any(len(name) > MAX_NAME for name in names):
        raise NotUnderstood(f"a name or place of more than {MAX_NAME} characters")
    return names


def _shown(words: list[str]) -> str:
    if not words:
        raise ValueError
    return printable(" ".join(words))[:MAX_TEXT]


def _number(text: str) -> float:
    number = float(text)
    if math.isnan(number):
        raise ValueError
    return min(MAX_NUMBER, max(-MAX_NUMBER, number))
