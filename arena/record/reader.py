"""Recorded matches as objects: replies, transcripts of seats, and copies for sharing."""

from __future__ import annotations

import gzip
import hashlib
import html
import importlib
import sys
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct

from arena.core.clock import Clock
from arena.core.replies import Answer, Cost, Reply, Silence
from arena.core.steps import Ask, Frame, Note, Outcome, Show, Tell
from arena.errors import ReplayError
from arena.record.format import (
    Answered,
    Digest,
    Drawn,
    Header,
    PlayerTotals,
    ProtocolFault,
    Record,
    Seal,
    Silent,
    Stderr,
    encode,
    encode_lines,
)
from arena.record.output import whole_file, write_whole
from arena.record.source import as_header, decode_blocks, read_pieces, read_records, split_blocks
from arena.text import counted

# What a recorded match shows of a seat: its lines, replies and faults.


class GivenReply(Struct, frozen=True):
    """The reply of a seat to one request."""

    round: int
    request: str
    """The request as the bot read it."""
    bank_ms: int
    """Its time bank at the request."""
    reply: Reply
    cost: Cost


class GivenFault(Struct, frozen=True):
    """A fault of a seat, committed `count` times, with an example in words."""

    round: int
    code: str
    detail: str
    count: int = 1


class HeardLine(Struct, frozen=True):
    """A line as the bot of a seat read it."""

    seat: int
    round: int
    text: str
    given: GivenReply | None = None
    """The reply, when the line is a request."""


MAX_RECORD_SIZE = 64 << 20
"""Bytes of a record that takes half a GiB of memory when read whole. (Most matches have less than
1 MiB; the longest lines that bots may write come to more.)"""


@dataclass(frozen=True, repr=False)
class Match:
    """A recorded match: immutable, with views that are computed on first use.

    >>> match = Match.of([
    ...     Header(3, "nim", 1, "7", {}, ["ann", "bob"]),
    ...     Show({"round": 0, "rounds": 9, "heap": 3}),
    ...     Tell(0, "heap 3"),
    ...     Ask(0, "go take"),
    ...     Answered(0, "take 3", bank=1000, ms=0.25),
    ...     Show({"round": 1, "rounds": 9, "heap": 0}),
    ... ])
    >>> match
    <Match nim, seed 7, ann against bob, 1 round>
    >>> match.frames[-1]["heap"]
    0
    >>> match.lines(0)
    ('heap 3', 'go take 1000')
    >>> [(given.reply.text, given.cost.charged) for given in match.answers(0)]
    [('take 3', 250000)]
    >>> match.complete
    False
    """

    header: Header
    """What the match depends on, and who played it."""
    records: tuple[Record, ...]
    """All records after the header."""

    @classmethod
    def read(cls, path: str | Path, *, largest: int | None = None) -> Match:
        """Read the match in a file, as far as it was recorded.

        Raises ReplayError when the file cannot be read, is not a record of a match, or has more
        unpacked bytes than `largest`. Use `MAX_RECORD_SIZE` for a stranger's file.
        """
        records = read_records(Path(path), largest=largest or sys.maxsize)
        return cls.of(records, str(path))

    @classmethod
    def ending(cls, path: str | Path) -> Match:
        """Read only how the match ended and what each seat used, without lines and replies.

        Takes little memory for a record of any length. Raises ReplayError."""
        records = read_records(Path(path))
        header = as_header(next(records, None), str(path))
        kept: dict[object, Record] = {}
        for one in records:
            kept.pop(Seal, None)  # a seal counts only as the last line
            if isinstance(one, PlayerTotals) and 0 <= one.seat < len(header.players):
                kept.setdefault(one.seat, one)
            elif isinstance(one, Show | Digest | Outcome | Seal):
                kept[type(one)] = one
        return cls(header, tuple(kept.values()))

    @classmethod
    def parse(cls, data: bytes, name: str = "the record") -> Match:
        """The match in the bytes of an uncompressed record; `name` is for messages. Raises
        ReplayError."""
        blocks = split_blocks(read_pieces(BytesIO(data)), name)
        return cls.of(decode_blocks(blocks, name), name)

    @classmethod
    def of(cls, records: Iterable[Record], name: str = "the record") -> Match:
        """The match of these records. Raises ReplayError when the first is not a header."""
        rest = iter(records)
        return cls(as_header(next(rest, None), name), tuple(rest))

    def __repr__(self) -> str:
        players = " against ".join(self.players)
        return f"<Match {self.game}, seed {self.seed}, {players}, {counted(self.rounds, 'round')}>"

    def _repr_html_(self) -> str:
        """The page of the match, which a notebook shows."""
        # Pages are made of records, and stand a floor above them.
        page: str = importlib.import_module("arena.view.page").page_of(self, "match")
        frame = 'sandbox="allow-scripts" style="width: 100%; height: 720px; border: 0"'
        return (
            f'<iframe title="{html.escape(repr(self))}" {frame} srcdoc="{html.escape(page)}">'
            "</iframe>"
        )

    # -- what it was -----------------------------------------------------------------------

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.header.game

    @property
    def seed(self) -> str:
        """The seed of all randomness in the match."""
        return self.header.seed

    @property
    def settings(self) -> Mapping[str, Any]:
        """All settings of the game."""
        return self.header.settings

    @property
    def players(self) -> tuple[str, ...]:
        """The names, by seat."""
        return tuple(self.header.players)

    @property
    def clock(self) -> Clock:
        """The clock by which the time banks were charged."""
        return Clock.WALL if self.header.clock is UNSET else self.header.clock

    # -- how it went -----------------------------------------------------------------------

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """What spectators saw: the set-up (round 0) and the end of each round."""
        return tuple([record.frame for record in self.records if isinstance(record, Show)])

    @property
    def rounds(self) -> int:
        """The number of the last round that ended; -1 without even the set-up."""
        return int(self.frames[-1]["round"]) if self.frames else -1

    def lines(self, seat: int, round: int | None = None) -> tuple[str, ...]:
        """The lines that a seat was told and asked, as its bot read them: all, or those of a round.

        A request is included once it has its reply.
        """
        return tuple([line.text for line in self.heard(seat) if round in (None, line.round)])

    def heard(self, seat: int) -> tuple[HeardLine, ...]:
        """The same lines, each with its round, and with its reply if it is a request."""
        return tuple([line for line in self._lines if line.seat == seat])

    def replies(self, seat: int) -> tuple[GivenReply, ...]:
        """The replies of a seat to its requests, including silence."""
        return tuple([line.given for line in self.heard(seat) if line.given])

    def answers(self, seat: int) -> tuple[GivenReply, ...]:
        """The replies of a seat that are answers."""
        return tuple([one for one in self.replies(seat) if isinstance(one.reply, Answer)])

    @cached_property
    def _lines(self) -> tuple[HeardLine, ...]:
        """The lines and replies of all seats, in order."""
        lines: list[HeardLine] = []
        asked: deque[Ask] = deque()
        for number, record in self._numbered():
            if isinstance(record, Tell):
                lines.append(HeardLine(record.seat, number, record.line))
            elif isinstance(record, Ask):
                asked.append(record)
            elif isinstance(record, Answered | Silent):
                if not asked:
                    raise ReplayError(f"player{record.seat + 1} replies without a request")
                text = asked.popleft().line(record.bank)
                given = GivenReply(
                    round=number,
                    request=text,
                    bank_ms=record.bank,
                    reply=record.reply,
                    cost=record.cost,
                )
                lines.append(HeardLine(record.seat, number, text, given))
        return tuple(lines)

    def _numbered(self) -> Iterator[tuple[int, Record]]:
        """Each record with the number of its round."""
        number = 0
        for record in self.records:
            yield number, record
            if isinstance(record, Show):
                number = record.frame["round"] + 1

    def faults(self, seat: int) -> tuple[GivenFault, ...]:
        """The faults of a seat against the rules or the protocol, in order."""
        faults = []
        for number, record in self._numbered():
            if isinstance(record, Note | ProtocolFault | Silent) and record.seat == seat:
                faults += _fault(number, record)
        return tuple(faults)

    # -- how it ended ----------------------------------------------------------------------

    @cached_property
    def outcome(self) -> Outcome | None:
        """How it ended; None when the record ends before the match does."""
        return next((one for one in reversed(self.records) if isinstance(one, Outcome)), None)

    @property
    def digest(self) -> str:
        """The digest of the last round, in hexadecimal; empty without one."""
        return next((one.sha256 for one in reversed(self.records) if isinstance(one, Digest)), "")

    @property
    def seal(self) -> str:
        """The SHA-256 over the finished record, in hexadecimal; empty before its end."""
        return next((one.sha256 for one in self.records[-1:] if isinstance(one, Seal)), "")

    @property
    def complete(self) -> bool:
        """Whether the record is finished and has its seal. (`verify` proves that it is right.)"""
        return bool(self.seal)

    def totals(self, seat: int) -> PlayerTotals | None:
        """The totals of a seat; None when the record ends before them."""
        found = (one for one in self.records if isinstance(one, PlayerTotals) and one.seat == seat)
        return next(found, None)

    def stderr(self, seat: int) -> tuple[Stderr, ...]:
        """The end of the stderr of a seat's program, by request."""
        return tuple([one for one in self.records if isinstance(one, Stderr) and one.seat == seat])

    def drawn(self, seat: int) -> tuple[Drawn, ...]:
        """The drawings of a seat's program in the replay, by request."""
        return tuple([one for one in self.records if isinstance(one, Drawn) and one.seat == seat])


def _fault(number: int, record: Note | ProtocolFault | Silent) -> list[GivenFault]:
    """The fault in a record; empty for remarks, and for the silence of a program that is gone."""
    match record:
        case Silent():
            missed = Silence(record.why).missed
            return [GivenFault(number, "timeout", "no answer in time")] if missed else []
        case Note():
            return [GivenFault(number, record.code, record.detail)] if record.fault else []
        case ProtocolFault():
            fault = GivenFault(number, record.code, record.detail, record.count)
            return [fault] if record.fault else []


# The transcript of one seat in a recorded match: its lines, requests and replies.


class Exchange(Struct, frozen=True):
    """One request to a seat, with the lines before it."""

    number: int
    """The number of the request, from 1."""
    lines: tuple[str, ...]
    """The lines that the seat was told since its last request."""
    given: GivenReply
    """The request and the reply."""


class Transcript(Struct, frozen=True):
    """All exchanges of a seat, and its last lines."""

    exchanges: tuple[Exchange, ...]
    rest: tuple[str, ...]
    """The lines that the seat was told after its last request."""

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


# A record for sharing, without what bots wrote for their own authors.
#
# The stderr and the drawings of a bot are for its author. Neither is part of the digests, so a copy
# without them has the same digests. The copy ends with its own seal, like any record.


def shared(match: Match, own: Collection[int]) -> Match:
    """The match without the stderr and drawings of programs in seats other than `own`."""
    lines, written = [], hashlib.sha256(encode(match.header) + b"\n")
    for record in match.records:
        if isinstance(record, Stderr | Drawn) and record.seat not in own:
            continue
        kept: Record = Seal(written.hexdigest()) if isinstance(record, Seal) else record
        lines.append(kept)
        written.update(encode(kept) + b"\n")
    return Match(match.header, tuple(lines))


def save(match: Match, path: Path) -> None:
    """Write a match as a record to a file, compressed when its name ends with ``.gz``. Raises
    UsageError when the file cannot be created."""
    data = encode_lines((match.header, *match.records))
    if path.suffix != ".gz":
        write_whole(path, data)
        return
    with (
        whole_file(path) as part,
        part.open("wb") as file,
        gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed,
    ):
        packed.write(data)
