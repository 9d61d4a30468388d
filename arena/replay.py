"""The record of a match, written as it goes, and its reader.

One replay is one file of JSON lines (compressed when its name ends with ``.gz``). Each line is an
object with a ``type``:

``header``   format, game, rules version, seed, settings, map, the names of the players, the clock
``tell`` ``ask`` ``show`` ``note`` ``stop``   the steps of the script, as `arena.steps` defines them
``answer`` ``silence``   the reply of a seat, with its time bank before and the times it took (ms)
``digest``   after each ``show``: the SHA-256 over everything so far but the times
``outcome``  how it ended
``fault``    a breach of the protocol that the arena noticed (it may depend on the time)
``conditions``  which walls stood, and what kept the limits
``player``   at the end, for each seat: totals

Two matches with the same seed and the same answers have the same digests, on any machine. Each
digest goes over the one before it, so the last stands for the whole match.

A killed arena leaves a readable prefix: lines are written out at the end of each round, and
whenever the arena waits for a program. Nothing in a replay names a path, a host or a user.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import msgspec
from msgspec import UNSET, Struct, UnsetType

from arena.clock import NS_PER_MS, Clock
from arena.errors import FULL, ArenaFault, DiskFull, ReplayError, UsageError
from arena.players import Heard
from arena.sandbox.levels import Means
from arena.steps import Answer, Ask, Note, Outcome, Reply, Show, Silence, Step, Stop, Tell, Why

FORMAT = 1


class Header(Struct, frozen=True, tag="header"):
    """What a match depends on, and who played it."""

    format: int
    game: str
    rules_version: int
    seed: str
    settings: dict[str, Any]
    players: list[str]
    map: Any = None
    clock: Clock | UnsetType = UNSET
    """What the times of replies were charged by, where that is not the wall clock."""


class Answered(Struct, frozen=True, gc=False, tag="answer", omit_defaults=True):
    """A reply that came: `bank` is what the request showed (ms), `ms` what it was charged.

    `wall_ms` is the real time, where that is not the charge. `cpu_ms` is the CPU time of the
    program's tree, and `delay_ms` the time in which it was ready to run and the machine did not run
    it; both from the end of the request to the answer. None where it was not measured.
    `instructions` is their count, where they are counted.
    """

    seat: int
    text: str
    bank: int
    ms: float
    wall_ms: float | None = None
    cpu_ms: float | None = None
    delay_ms: float | None = None
    instructions: int | None = None


class Silent(Struct, frozen=True, gc=False, tag="silence", omit_defaults=True):
    """A reply that did not come; the times as in `Answered`."""

    seat: int
    why: Why
    bank: int
    ms: float
    wall_ms: float | None = None
    cpu_ms: float | None = None
    delay_ms: float | None = None
    instructions: int | None = None


class ProtocolFault(Struct, frozen=True, gc=False, tag="fault"):
    """What a program did against the protocol, `count` times, or a mere remark."""

    seat: int
    code: str
    detail: str
    count: int
    fault: bool


class Digest(Struct, frozen=True, gc=False, tag="digest"):
    """The digest of everything up to the end of this round, in hexadecimal."""

    round: int
    sha256: str


class Conditions(Struct, frozen=True, tag="conditions"):
    """How the programs were kept. No part of the match: it may be played again under others."""

    means: Means
    counted_by: str | None = None
    """What counted instructions, and its release: counts belong to that."""


class PlayerTotals(Struct, frozen=True, tag="player", omit_defaults=True):
    """What a seat used and did wrong, all in all."""

    seat: int
    stopped: str | None
    faults: dict[str, int]
    requests: int
    total_ms: float
    max_ms: float
    cpu_ms: float | None
    peak_memory: int | None
    delay_ms: float | None = None
    thought_ms: float | None = None
    """CPU time while it was asked."""
    pondered_ms: float | None = None
    """CPU time while it was not, from its first request to its last."""
    instructions: int | None = None
    max_instructions: int | None = None


Record: TypeAlias = (
    Header
    | Tell
    | Ask
    | Show
    | Note
    | Stop
    | Answered
    | Silent
    | ProtocolFault
    | Digest
    | Outcome
    | Conditions
    | PlayerTotals
)

_encode = msgspec.json.Encoder().encode


@cache
def _decoder() -> msgspec.json.Decoder[Record]:
    """Made when a replay is read: it takes 6 ms, which a match need not spend."""
    return msgspec.json.Decoder(Record)


class Chain:
    """The running digest. Feed it every record in order; times are left out."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, line: bytes) -> None:
        """An encoded step."""
        self._hash.update(line)

    def add_reply(self, seat: int, reply: Reply, instructions: int | None = None) -> None:
        """A reply, without its time, but with the instructions that were counted for it."""
        said = reply.text if type(reply) is Answer else f"({reply.why})"  # type: ignore[union-attr]  # `type() is` narrows only one way
        count = "" if instructions is None else f"{instructions}\n"
        self._hash.update(f"\n{seat}>{said}\n{count}".encode())

    def hexdigest(self) -> str:
        """The digest of everything so far."""
        return self._hash.hexdigest()


class Recorder:
    """Writes one replay. Use it as a context manager."""

    def __init__(self, path: Path, header: Header) -> None:
        """Raises UsageError when the file cannot be made."""
        self._path = path
        try:
            self._file = _open_to_write(path)
        except OSError as error:
            raise UsageError(
                f"cannot write the replay {path}: {error.strerror}: name a file that can be made"
            ) from None
        self._lines: list[bytes] = []
        self._chain = Chain()
        self.digest = ""
        self._lines.append(_encode(header))
        self._chain.add(digested(header))

    def __enter__(self) -> Recorder:
        try:
            self.flush()  # from now on whoever kills the arena leaves a replay, if a short one
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
        try:
            self._file.close()  # a compressed one writes its end now
        except OSError as error:
            raise self._trouble(error) from error

    def step(self, step: Step | Ask | Outcome) -> None:
        """Record what the script did; a `Show` closes the round with its digest."""
        line = _encode(step)
        self._lines.append(line)
        self._chain.add(line)
        if type(step) is Show:
            self.digest = self._chain.hexdigest()
            self.remark(Digest(step.frame["round"], self.digest))
            self.flush()

    def replied(self, seat: int, heard: Heard, bank_ms: int) -> None:
        """Record what came back for a request."""
        reply, ms, count = heard.reply, heard.elapsed / NS_PER_MS, heard.instructions
        wall = None if heard.wall is None or heard.wall == heard.elapsed else heard.wall / NS_PER_MS
        cpu = None if heard.cpu is None else heard.cpu / NS_PER_MS
        delay = None if heard.delay is None else heard.delay / NS_PER_MS
        self._chain.add_reply(seat, reply, count)
        if type(reply) is Answer:
            line = _encode(Answered(seat, reply.text, bank_ms, ms, wall, cpu, delay, count))
            self._lines.append(line)
        elif type(reply) is Silence:
            line = _encode(Silent(seat, reply.why, bank_ms, ms, wall, cpu, delay, count))
            self._lines.append(line)

    def remark(self, record: ProtocolFault | Digest | Conditions | PlayerTotals) -> None:
        """Record something that is no part of the game and of the digest."""
        self._lines.append(_encode(record))

    def flush(self) -> None:
        """Write out what was recorded. Raises ArenaFault when that fails, DiskFull for want of
        room."""
        if not self._lines:
            return
        data = b"\n".join([*self._lines, b""])
        self._lines.clear()
        try:
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            raise self._trouble(error) from error

    def _trouble(self, error: OSError) -> ArenaFault:
        kind = DiskFull if error.errno in FULL else ArenaFault
        return kind(f"cannot write the replay {self._path}: {error.strerror}: the match is void")


def _open_to_write(path: Path) -> BinaryIO:
    if path.suffix == ".gz":
        return gzip.open(path, "wb", compresslevel=6)  # type: ignore[return-value]  # typeshed: a GzipFile is a BinaryIO to us
    return open(path, "wb", buffering=0)


def read_replay(path: Path) -> Iterator[tuple[Record, bytes]]:
    """The records of a replay in order, each with the line that it stands in.

    A last line without its newline is left out: a killed arena may leave half a line.
    Raises ReplayError naming the line that is no record.
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
            yield from _read_records(file, path)
    except OSError as error:
        raise ReplayError(f"cannot read {path}: {error.strerror or error}") from None


def _read_records(file: Any, path: Path) -> Iterator[tuple[Record, bytes]]:
    decode, number = _decoder().decode, 0
    try:
        for line in file:
            number += 1
            if line.endswith(b"\n"):
                yield decode(line), line[:-1]
    except EOFError:  # a compressed file that was cut off
        return
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ReplayError(f"{path}, line {number}: no record of a replay: {error}") from None


def digested(header: Header) -> bytes:
    """The part of a header that the digests go over: not by which clock it was played."""
    return _encode(msgspec.structs.replace(header, clock=UNSET))


def encode(record: Record) -> bytes:
    """A record as its line, without the newline."""
    return _encode(record)
