"""Split the records of a match by frame, and extract faults and time banks."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from arena.core.replies import Silence, Why
from arena.core.steps import Note, Show
from arena.record.failures import last_words, place
from arena.record.format import Answered, ProtocolFault, Record, Silent
from arena.record.reader import Match


def chapters(match: Match) -> list[list[Record]]:
    """The records that lead to each frame. Records after the last frame belong to it, too."""
    found: list[list[Record]] = [[]]
    for record in match.records:
        found[-1].append(record)
        if isinstance(record, Show):
            found.append([])
    rest = found.pop()
    found[-1:] = [[*found[-1], *rest]] if found else []
    return found


class Mark(Struct, frozen=True, array_like=True):
    """Something that went wrong with a seat before a frame."""

    frame: int
    seat: int
    code: str
    """Code of the fault; ``crashed`` or ``ended`` where the program was first found to be gone."""
    detail: str
    """Description; for a crash, the program's last words, with file and line if it names them."""
    count: int
    """Number of faults; 0 for the end of a program."""


def marks(match: Match) -> list[Mark]:
    """The faults of all seats, including timeouts, and the ends of programs, in order."""
    ended: set[int] = set()
    found: list[Mark] = []
    for frame, chapter in enumerate(chapters(match)):
        for record in chapter:
            found += _faults(frame, record)
            if isinstance(record, Silent) and record.why in GONE and record.seat not in ended:
                ended.add(record.seat)
                found.append(_end(match, frame, record))
    return found


def _end(match: Match, frame: int, record: Silent) -> Mark:
    totals = match.totals(record.seat)
    if totals is None or totals.stopped != "crashed":
        return Mark(frame=frame, seat=record.seat, code="ended", detail=GONE[record.why], count=0)
    stderr = "".join(part.text for part in match.stderr(record.seat))
    said = last_words(stderr)
    return Mark(
        frame=frame, seat=record.seat, code="crashed", detail=said + place(stderr, said), count=0
    )


GONE = {Why.DEAD: "its program has ended", Why.STOPPED: "its program was stopped"}


def _faults(frame: int, record: Record) -> Iterator[Mark]:
    match record:
        case Silent() if Silence(record.why).missed:
            late = f"no answer in {record.ms:.0f} ms, with {record.bank} ms in its bank"
            yield Mark(frame=frame, seat=record.seat, code="timeout", detail=late, count=1)
        case Note() if record.fault:
            yield Mark(
                frame=frame, seat=record.seat, code=record.code, detail=record.detail, count=1
            )
        case ProtocolFault() if record.fault:
            yield Mark(
                frame=frame,
                seat=record.seat,
                code=record.code,
                detail=record.detail,
                count=record.count,
            )


def banks(match: Match) -> list[list[int | None]]:
    """The time bank at the last request so far, in ms, by frame and seat; None before the first."""
    last: list[int | None] = [None] * len(match.players)
    found = []
    for chapter in chapters(match):
        for record in chapter:
            if isinstance(record, Answered | Silent) and 0 <= record.seat < len(last):
                last[record.seat] = record.bank
        found.append(last[:])
    return found
