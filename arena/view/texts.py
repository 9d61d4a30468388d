"""Entries of a page's inspector: everything that happened to each seat, frame by frame."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from arena.core.clock import to_ms
from arena.core.replies import Answer, Silence
from arena.core.steps import Ask, Note, Stop, Tell
from arena.record.format import Answered, ProtocolFault, Record, Silent, Stderr
from arena.record.reader import Match
from arena.view.chapters import chapters


class InspectorLine(Struct, frozen=True, array_like=True, omit_defaults=True):
    """One event of a seat, encoded as a list whose first item is its kind."""


class ToldLine(InspectorLine, frozen=True, tag="told"):
    """A line that the seat was told."""

    text: str


class Asked(InspectorLine, frozen=True, tag="asked"):
    """A request with its reply."""

    number: int
    """Number of the request, from 1."""
    request: str
    """The request as the bot read it."""
    answer: str | None
    silence: str
    """Why there is no reply."""
    bank: int
    """Time bank shown in the request. All times are in ms."""
    charged: float
    wall: float | None
    cpu: float | None = None
    delay: float | None = None
    held_up: float | None = None
    instructions: int | None = None


class Wrong(InspectorLine, frozen=True, tag="wrong"):
    """A fault, or a note of the arena."""

    code: str
    detail: str
    count: int
    fault: bool


class Wrote(InspectorLine, frozen=True, tag="wrote"):
    """What the bot wrote to stderr between two requests."""

    text: str


Entry: TypeAlias = ToldLine | Asked | Wrong | Wrote
OPEN = "the record ends before its reply"
"""`Asked.silence` of requests without a reply at the end of a record."""


def texts(match: Match) -> list[list[list[Entry]]]:
    """All entries by seat and frame, in order: lines, requests, replies, stderr and faults."""
    seats = [_SeatTexts(match.stderr(seat)) for seat in range(len(match.players))]
    for chapter in chapters(match):
        for seat in seats:
            seat.begin()
        for record in chapter:
            number = getattr(record, "seat", None)
            if number is not None and 0 <= number < len(seats):
                seats[number].take(record)
    return [seat.close() for seat in seats]


class _SeatTexts:
    """Collects the entries of one seat."""

    def __init__(self, stderr: Iterable[Stderr]) -> None:
        self._frames: list[list[Entry]] = []
        self._open: deque[Ask] = deque()
        self._requests = 0
        self._stderr = {one.request: one.text for one in stderr}

    def begin(self) -> None:
        """Begin the entries of the next frame."""
        self._frames.append([])
        if len(self._frames) == 1:
            self._add(self._written())

    def _add(self, entries: Iterable[Entry]) -> None:
        self._frames[-1].extend(entries)

    def _written(self) -> Iterator[Entry]:
        """The stderr output since the last request."""
        if text := self._stderr.pop(self._requests, ""):
            yield Wrote(text)

    def take(self, record: Record) -> None:
        """Add a record of the seat."""
        match record:
            case Tell(line=line):
                self._add([ToldLine(line)])
            case Ask():
                self._open.append(record)
            case Answered() | Silent() if self._open:
                self._requests += 1
                self._add([_asked(self._requests, self._open.popleft(), record), *self._written()])
            case Note(code=code, detail=detail, fault=fault):
                self._add([Wrong(code, detail, 1, fault)])
            case Stop(why=why):
                self._add([Wrong("stopped", f"the rules end its program: {why}", 1, fault=False)])
            case ProtocolFault(code=code, detail=detail, count=count, fault=fault):
                self._add([Wrong(code, detail, count, fault)])

    def close(self) -> list[list[Entry]]:
        """Return all entries by frame; requests without a reply come last."""
        for ask in self._open:
            asked = Asked(
                number=self._requests + 1,
                request=ask.line(0),
                answer=None,
                silence=OPEN,
                bank=0,
                charged=0,
                wall=None,
            )
            self._add([asked])
        return self._frames


def _asked(number: int, ask: Ask, record: Answered | Silent) -> Asked:
    reply, cost = record.reply, record.cost
    return Asked(
        number=number,
        request=ask.line(record.bank),
        answer=reply.text if isinstance(reply, Answer) else None,
        silence=reply.why.value if isinstance(reply, Silence) else "",
        bank=record.bank,
        charged=record.ms,
        wall=to_ms(cost.wall),
        cpu=record.cpu_ms,
        delay=record.delay_ms,
        held_up=record.held_up_ms,
        instructions=record.instructions,
    )
