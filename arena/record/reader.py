"""A recorded match as an object."""

from __future__ import annotations

import gzip
import hashlib
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
from arena.errors import ReplayError, UsageError
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
    cost_of,
    encode,
    encode_lines,
    reply_of,
)
from arena.record.source import as_header, decode_blocks, read_pieces, read_records, split_blocks
from arena.text import counted

# What a recorded match shows of a seat: what it heard, gave, and did wrong.


class GivenReply(Struct, frozen=True):
    """What a seat gave for one request."""

    round: int
    request: str
    """The request as the bot read it."""
    bank_ms: int
    """Its time bank at the request."""
    reply: Reply
    cost: Cost


class GivenFault(Struct, frozen=True):
    """What a seat did wrong, `count` times, with an example in words."""

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


LARGEST = 64 << 20
"""Bytes of a record that need half a GiB of memory when it is read whole. (Matches have less than
one as a rule; the longest lines that bots may write come to more.)"""


@dataclass(frozen=True, repr=False)
class Match:
    """A recorded match. It does not change; each view of it is made when it is first asked for.

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
    """All that follow the header."""

    @classmethod
    def read(cls, path: str | Path, *, largest: int | None = None) -> Match:
        """The match that stands in a file; as much of it as is there.

        Raises ReplayError when the file cannot be read, is no record of a match, or holds more
        bytes, unpacked, than `largest`: for a stranger's file, that is `LARGEST`.
        """
        records = read_records(Path(path), largest=largest or sys.maxsize)
        return cls.of(records, str(path))

    @classmethod
    def ending(cls, path: str | Path) -> Match:
        """The same without what was told, asked and answered: how it ended, and what each seat
        used. Of a record of any length that takes little memory. Raises ReplayError."""
        records = read_records(Path(path))
        header = as_header(next(records, None), str(path))
        kept: dict[object, Record] = {}
        for one in records:
            kept.pop(Seal, None)  # it seals nothing unless it is the last
            if isinstance(one, PlayerTotals) and 0 <= one.seat < len(header.players):
                kept.setdefault(one.seat, one)
            elif isinstance(one, Show | Digest | Outcome | Seal):
                kept[type(one)] = one
        return cls(header, tuple(kept.values()))

    @classmethod
    def parse(cls, data: bytes, name: str = "the record") -> Match:
        """The match that stands in the bytes of a record that is not compressed; `name` is for
        messages. Raises ReplayError."""
        blocks = split_blocks(read_pieces(BytesIO(data)), name)
        return cls.of(decode_blocks(blocks, name), name)

    @classmethod
    def of(cls, records: Iterable[Record], name: str = "the record") -> Match:
        """The match of these records. Raises ReplayError when the first is no header."""
        rest = iter(records)
        return cls(as_header(next(rest, None), name), tuple(rest))

    def __repr__(self) -> str:
        players = " against ".join(self.players)
        return f"<Match {self.game}, seed {self.seed}, {players}, {counted(self.rounds, 'round')}>"

    # -- what it was -----------------------------------------------------------------------

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.header.game

    @property
    def seed(self) -> str:
        """What all chance in it came from."""
        return self.header.seed

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the game, all of them."""
        return self.header.settings

    @property
    def players(self) -> tuple[str, ...]:
        """The names, by seat."""
        return tuple(self.header.players)

    @property
    def clock(self) -> Clock:
        """By which clock the time banks were charged."""
        return Clock.WALL if self.header.clock is UNSET else self.header.clock

    # -- how it went -----------------------------------------------------------------------

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """What spectators saw: the set-up (round 0) and the end of each round."""
        return tuple([record.frame for record in self.records if isinstance(record, Show)])

    @property
    def rounds(self) -> int:
        """The number of the last round that ended; -1 when there is not even the set-up."""
        return int(self.frames[-1]["round"]) if self.frames else -1

    def lines(self, seat: int, round: int | None = None) -> tuple[str, ...]:
        """The lines that a seat was told and asked, as its bot read them: all, or those of a round.

        A request is there once it has its reply.
        """
        return tuple([line.text for line in self.heard(seat) if round in (None, line.round)])

    def heard(self, seat: int) -> tuple[HeardLine, ...]:
        """The same lines, each with its round, and with its reply if it is a request."""
        return tuple([line for line in self._lines if line.seat == seat])

    def replies(self, seat: int) -> tuple[GivenReply, ...]:
        """What a seat gave for each of its requests, silence included."""
        return tuple([line.given for line in self.heard(seat) if line.given])

    def answers(self, seat: int) -> tuple[GivenReply, ...]:
        """The replies of a seat that are answers."""
        return tuple([one for one in self.replies(seat) if isinstance(one.reply, Answer)])

    @cached_property
    def _lines(self) -> tuple[HeardLine, ...]:
        """What all seats were told, asked and gave, in order."""
        lines: list[HeardLine] = []
        asked: deque[Ask] = deque()
        for number, record in self._numbered():
            if isinstance(record, Tell):
                lines.append(HeardLine(record.seat, number, record.line))
            elif isinstance(record, Ask):
                asked.append(record)
            elif isinstance(record, Answered | Silent):
                if not asked:
                    raise ReplayError(f"player{record.seat + 1} replies and was not asked")
                text = asked.popleft().line(record.bank)
                given = GivenReply(number, text, record.bank, reply_of(record), cost_of(record))
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
        """What a seat did wrong, against the rules or the protocol, in order."""
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
        """What a seat used and did wrong in all; None when the record ends before."""
        found = (one for one in self.records if isinstance(one, PlayerTotals) and one.seat == seat)
        return next(found, None)

    def stderr(self, seat: int) -> tuple[Stderr, ...]:
        """The last of what the program of a seat wrote to stderr, by request."""
        return tuple([one for one in self.records if isinstance(one, Stderr) and one.seat == seat])

    def drawn(self, seat: int) -> tuple[Drawn, ...]:
        """What the program of a seat drew into the replay, by request."""
        return tuple([one for one in self.records if isinstance(one, Drawn) and one.seat == seat])


def _fault(number: int, record: Note | ProtocolFault | Silent) -> list[GivenFault]:
    """The fault that a record tells of; none for remarks, and for the silence of the dead."""
    match record:
        case Silent():
            missed = Silence(record.why).missed
            return [GivenFault(number, "timeout", "no answer in time")] if missed else []
        case Note():
            return [GivenFault(number, record.code, record.detail)] if record.fault else []
        case ProtocolFault():
            fault = GivenFault(number, record.code, record.detail, record.count)
            return [fault] if record.fault else []


# What one seat went through in a recorded match: what it was told and asked, and what it gave.


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


# A record as others may see it: without what bots wrote for their own authors.
#
# What a bot writes to stderr and what it draws is for its author. Neither is a part of the digests,
# so a copy without them has the same. It ends with a seal of its own, as any record does.


def shared(match: Match, own: Collection[int]) -> Match:
    """The match without what the programs of other seats than `own` wrote to stderr and drew."""
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
    UsageError when it cannot be made."""
    try:
        with open(path, "wb") as file:
            data = encode_lines((match.header, *match.records))
            if path.suffix != ".gz":
                file.write(data)
                return
            with gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
                packed.write(data)
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}: name a file that can be made"
        ) from None
