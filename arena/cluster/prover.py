"""Proofs of workers' results on all cores of the judge: processes that play the rules again.

A proof is most of what a match costs a judge, and in its own process it would hold up everything
else. A prover reads a `ProofRequest` from stdin and writes a `Proved` or a `NotProved` to stdout,
each after its length (4 bytes, big-endian), until stdin ends. It also syncs the record to the disk.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeAlias

import msgspec
import trio
from msgspec import Struct

from arena.cluster.proof import Forged, prove
from arena.cluster.work import Task
from arena.errors import MachineError
from arena.match.report import MatchReport
from arena.players.entrant import StoredEntrant
from arena.runtime.affinity import usable_cores
from arena.runtime.worker import die_with
from arena.sandbox.levels import decode_wish

_LENGTH = 4
_PIECE = 1 << 16


class ProofRequest(Struct, frozen=True):
    """What to prove: a worker's packed report on its match, by the record in that file."""

    task: Task
    report: bytes
    record: str


class Proved(Struct, frozen=True, tag=True):
    """The report is true."""

    report: MatchReport


class NotProved(Struct, frozen=True, tag=True):
    """The report or the record is false."""

    why: str


Verdict: TypeAlias = Proved | NotProved
_decode_request = msgspec.msgpack.Decoder(ProofRequest, dec_hook=decode_wish).decode
_decode_verdict: Callable[[bytes], Verdict] = msgspec.msgpack.Decoder(Verdict).decode
_encode = msgspec.msgpack.Encoder().encode


# -- in the judge ----------------------------------------------------------------------------------


class Provers:
    """The provers of a judge, one for each core, started when first needed. All methods are called
    in one Trio loop, whose thread must last as long as the provers."""

    def __init__(self, count: int | None = None) -> None:
        self._limit = trio.CapacityLimiter(count or usable_cores())
        self._idle: list[_Prover] = []

    async def prove(self, task: Task, report: bytes, record: Path) -> MatchReport:
        """The report, if the record proves it. Raises Forged, and MachineError when the prover
        dies."""
        async with self._limit:
            prover = self._idle.pop() if self._idle else _Prover()
            try:
                verdict = await prover.ask(ProofRequest(task, report, str(record)))
            except BaseException:  # cancelled too: its answer would be taken for another one's
                prover.end()
                raise
            self._idle.append(prover)
        if isinstance(verdict, NotProved):
            raise Forged(verdict.why)
        return verdict.report

    def close(self) -> None:
        """End all provers."""
        while self._idle:
            self._idle.pop().end()


class _Prover:
    """A prover, and the pipes to it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "arena.cluster.prover", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the judge
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to = trio.lowlevel.FdStream(os.dup(self._process.stdin.fileno()))
        self._from = trio.lowlevel.FdStream(os.dup(self._process.stdout.fileno()))
        self._process.stdin.close()
        self._process.stdout.close()

    async def ask(self, request: ProofRequest) -> Verdict:
        """Send a request, and wait for the verdict. Raises MachineError."""
        received = bytearray()
        try:
            await self._to.send_all(_framed(request))
            while len(received) < _LENGTH or len(received) < _LENGTH + _size(received):
                piece = await self._from.receive_some(_PIECE)
                if not piece:
                    break
                received += piece
            else:
                return _decode_verdict(bytes(received[_LENGTH:]))
        except trio.BrokenResourceError:
            pass
        raise MachineError("the process that proves records has died (out of memory?)")

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._to, self._from):
            stream.close()


# -- in its process --------------------------------------------------------------------------------


def _framed(value: Struct) -> bytes:
    data = _encode(value)
    return len(data).to_bytes(_LENGTH, "big") + data


def _size(received: bytes | bytearray) -> int:
    return int.from_bytes(received[:_LENGTH], "big")


def _verdict(request: ProofRequest) -> Verdict:
    record = Path(request.record)
    entrants = tuple(StoredEntrant(seat.command, record) for seat in request.task.seats)
    spec = request.task.spec(entrants, record)
    try:
        report = prove(request.task, spec, request.report, record)
    except Forged as error:
        return NotProved(str(error))
    with record.open("rb") as file:
        os.fsync(file.fileno())
    return Proved(report)


def serve_proofs(source: BinaryIO, target: BinaryIO) -> None:
    """Prove until the source ends."""
    while length := source.read(_LENGTH):
        request = _decode_request(source.read(_size(length)))
        target.write(_framed(_verdict(request)))
        target.flush()


if __name__ == "__main__":
    die_with(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve_proofs(sys.stdin.buffer, sys.stdout.buffer)
