"""Proofs in processes of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
import trio
from msgspec.structs import replace

from arena.cluster.proof import Forged
from arena.cluster.prover import Provers
from arena.cluster.work import Task
from arena.errors import MachineError
from arena.match.report import MatchReport
from tests.cluster.played import answer, match_of, stored


@asynccontextmanager
async def provers(count: int) -> AsyncIterator[Provers]:
    found = Provers(count)
    try:
        yield found
    finally:
        found.close()


def packed(report: MatchReport) -> bytes:
    return msgspec.msgpack.encode(report)


@pytest.mark.dear
async def test_what_is_true_is_proved_and_what_is_not_is_refused(tmp_path: Path) -> None:
    spec, record = stored(tmp_path), tmp_path / "record.jsonl.gz"
    task = match_of(spec).task
    report = await trio.to_thread.run_sync(answer, spec, record)
    async with provers(1) as found:
        assert await found.prove(task, packed(report), record) == report
        with pytest.raises(Forged, match="differ"):
            await found.prove(task, packed(replace(report, reason="because")), record)
        with pytest.raises(Forged, match="cannot be read"):
            await found.prove(task, b"no report", record)
        (prover,) = found._idle
        prover._process.kill()
        prover._process.wait()
        with pytest.raises(MachineError, match="has died"):
            await found.prove(task, packed(report), record)
        with trio.CancelScope() as scope:  # its answer comes too late
            scope.cancel()
            await found.prove(task, packed(replace(report, reason="because")), record)
        proved: list[MatchReport] = []
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(prove_into, proved, found, report, task, record)
        assert proved == [report] * 3
        assert len(found._idle) == 1


async def prove_into(
    proved: list[MatchReport], found: Provers, report: MatchReport, task: Task, record: Path
) -> None:
    proved.append(await found.prove(task, packed(report), record))
