"""Writes the record of a match while it is played."""

from __future__ import annotations

import gzip
import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from msgspec.structs import replace

from arena.core.listener import Listener
from arena.core.replies import TimedReply, Violation
from arena.core.steps import Ask, Outcome, Show, Step
from arena.core.tally import SeatTotals
from arena.errors import ArenaFault, DiskFull, disk_fault
from arena.record.format import (
    Chain,
    Digest,
    Drawn,
    Header,
    ProtocolFault,
    Record,
    RecordConditions,
    Seal,
    Stderr,
    encode_lines,
    player_totals,
    reply_record,
    said,
    same_kind,
)
from arena.record.output import discard, unwritable

WRITE_EVERY = 0.050
"""Seconds after which a round is written out even if the arena waits for nothing. (A write costs as
much as a request to a quick bot.)"""


class Recorder(Listener):
    """Writes one record, to a path or into a binary file. Use it as a context manager.

    A file passed by the caller stays open: an ``io.BytesIO`` holds the record in memory.
    """

    def __init__(
        self, target: Path | BinaryIO, header: Header, *, every: float = WRITE_EVERY
    ) -> None:
        """`every`: seconds after which a round is written out even if the arena waits for nothing.
        Raises UsageError when the file cannot be created."""
        self._every = every
        self._target = target
        self._file = _open_to_write(target) if isinstance(target, Path) else target
        self._records: list[Record] = []
        """Records since the last steps, not encoded yet."""
        self._lines = bytearray()
        """Earlier lines that are not written out yet."""
        self._said = bytearray()
        """Bytes that the digest does not include yet."""
        self._open_seats = len(header.players)
        self._chain = Chain(header)
        self._written_at = 0.0
        self._written = hashlib.sha256()
        self.digest = ""
        """The digest of the last round, in hexadecimal; empty before the first."""
        self.seal = ""
        """The seal of the finished record, in hexadecimal; empty before its end."""
        self._add(header)

    def __enter__(self) -> Recorder:
        try:
            self.flush()  # from now on a killed arena leaves a record
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.flush()
        finally:
            self._close()

    def _close(self) -> None:
        if not isinstance(self._target, Path):
            return
        try:
            self._file.close()  # writes the end of a compressed file
        except OSError as error:
            raise self._fault(error) from error

    def conditions(self, conditions: RecordConditions) -> None:
        """Record the conditions under which the programs run."""
        self._add(conditions)

    def _add(self, record: Record) -> None:
        """Record a line that is not part of the digest."""
        self._records.append(record)

    def steps(self, steps: Sequence[Step | Ask | Outcome]) -> None:
        """Record what the script did; a `Show` closes the round with its digest."""
        if self._records:
            self._encode()
        lines = encode_lines(steps)  # one call takes a third of the time of single ones
        self._lines += lines
        self._said += lines.replace(b"\n", b"")  # no line contains a newline
        if type(last := steps[-1]) is Show:
            self._close_round(last.frame["round"])

    def _encode(self) -> None:
        self._lines += encode_lines(self._records)
        self._records.clear()

    def _close_round(self, number: int) -> None:
        self._chain.add(self._said)
        self._said.clear()
        self.digest = self._chain.hexdigest()
        self._add(Digest(number, self.digest))
        now = time.monotonic()
        if now - self._written_at >= self._every:
            self._written_at = now
            self.flush()

    def replied(self, seat: int, timed: TimedReply, bank_ms: int) -> None:
        """Record the reply to a request."""
        self._said += said(seat, timed.reply, timed.cost.instructions)
        self._records.append(reply_record(seat, timed, bank_ms))

    def violated(self, seat: int, violation: Violation) -> None:
        """Record a breach of the protocol, which is not part of the digest. Repeated breaches of
        one kind share a line: a program can commit a thousand in one turn."""
        code, detail = violation.code, violation.detail
        record = ProtocolFault(
            seat=seat, code=code, detail=detail, count=violation.count, fault=violation.fault
        )
        last = self._records[-1] if self._records else None
        if type(last) is ProtocolFault and same_kind(last, record):
            self._records[-1] = replace(last, count=last.count + record.count)
        else:
            self._add(record)

    def totals(self, totals: SeatTotals) -> None:
        """Record the end of a seat: its stderr, its drawings, and its totals. The seal follows the
        last seat."""
        for request, text in totals.stderr:
            self._add(Stderr(totals.seat, request, text))
        for one in totals.drawn:
            self._add(Drawn(totals.seat, one.request, one.text, one.left_out))
        self._add(player_totals(totals))
        self._open_seats -= 1
        if not self._open_seats:
            self.flush()
            self.seal = self._written.hexdigest()
            self._add(Seal(self.seal))

    def flush(self) -> None:
        """Write out what was recorded. Raises ArenaFault when that fails, DiskFull when the disk is
        full."""
        if self._records:
            self._encode()
        if not self._lines:
            return
        data, self._lines = self._lines, bytearray()
        self._written.update(data)
        try:
            count = self._file.write(data)
            while count < len(data):  # an unbuffered file may write only a part
                count += self._file.write(data[count:])
            self._file.flush()
        except OSError as error:
            raise self._fault(error) from error

    def _fault(self, error: OSError) -> ArenaFault:
        said = f"cannot write the replay {self._target}: {error.strerror}: the match is void"
        fault = disk_fault(error, said)
        if isinstance(fault, DiskFull) and isinstance(self._target, Path):
            discard(self._target)
        return fault


def _open_to_write(path: Path) -> BinaryIO:
    try:
        if path.suffix == ".gz":
            return gzip.open(path, "wb", compresslevel=6)  # type: ignore[return-value]  # typeshed: a GzipFile is a BinaryIO to us
        return open(path, "wb", buffering=0)
    except OSError as error:
        raise unwritable(path, error, "replay") from None
