"""Writing records: when, where to, and what is left out of the digests."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import os
from pathlib import Path

import pytest
import trio

from arena.core.game import Setup
from arena.core.replies import Answer, Cost, TimedReply, Violation
from arena.core.steps import Show, Tell
from arena.core.table import Table
from arena.errors import ArenaFault, DiskFull, UsageError
from arena.match.referee import Referee
from arena.players.player import Player
from arena.record.format import FORMAT, Chain, Header, Stderr, encode, said
from arena.record.reader import GivenFault, Match
from arena.record.verify import verify
from arena.record.writer import Recorder
from arena.trial.match import partner
from tests.record.forge import lines_of, sealed
from tests.support.fake import CPU, Bot, MockClock, fake_program, obedient, play, works
from tests.tiny import TINY, TinySettings


async def test_a_record_is_on_disk_while_a_bot_thinks(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    seen: list[int] = []

    async def looks(bot: Bot) -> None:
        while True:
            await bot.request()
            await trio.sleep(0.1)
            seen.append(path.read_text().count("\n"))
            await bot.say("1\n")

    header = Header(FORMAT, "tiny", 1, "1", {}, ["a", "b"])
    table = Table(TINY, Setup("1", 2, TinySettings()))
    async with fake_program(looks) as first, fake_program(obedient) as second:
        with Recorder(path, header) as recorder:
            await Referee(table, [first, second], listeners=[recorder]).run()
    assert seen[0] == 9  # header, the set-up and its digest, two tells a seat, two requests
    assert seen == sorted(set(seen))


async def test_the_times_are_no_part_of_the_digest(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    await play(works(0.7, 12, 430), obedient, replay=tmp_path / "1.jsonl")
    await play(works(0.1, 1, 0), obedient, replay=tmp_path / "2.jsonl")
    await play(works(0.1, 1, 0), obedient, replay=tmp_path / "3.jsonl", timing=CPU)
    first, second, third = (Match.read(tmp_path / f"{i}.jsonl").digest for i in (1, 2, 3))
    assert first == second == third != ""


HEADER = Header(FORMAT, "tiny", 1, "1", {}, ["a", "b"])


def test_the_end_of_a_round_is_written_out(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with Recorder(path, HEADER) as recorder:
        recorder.steps([Tell(0, "x")])
        assert path.read_bytes().count(b"\n") == 1
        recorder.steps([Show({"round": 0, "rounds": 1})])
        assert path.read_bytes().count(b"\n") == 4


def test_a_record_in_memory_is_that_of_a_file(tmp_path: Path) -> None:
    file = io.BytesIO()
    for target in (file, tmp_path / "r.jsonl"):
        with Recorder(target, HEADER) as recorder:
            recorder.steps([Show({"round": 0, "rounds": 1})])
            recorder.violated(1, Violation("excess", "x", 2))
    assert file.getvalue() == (tmp_path / "r.jsonl").read_bytes()
    assert Match.parse(file.getvalue()).faults(1) == (GivenFault(1, "excess", "x", 2),)


async def test_the_end_of_stderr_stands_in_the_record(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async def talks(bot: Bot) -> None:
        os.write(bot.child.bot_stderr, b"hello\n")
        await bot.request()
        os.write(bot.child.bot_stderr, b"x" * 5000)
        await bot.say("1\n")
        await trio.sleep_forever()

    path = tmp_path / "r.jsonl"
    await play(talks, obedient, max_rounds=1, replay=path)
    match = Match.read(path)
    assert match.stderr(0) == (Stderr(0, 1, "x" * 4000),)
    assert match.stderr(1) == ()
    assert match.complete
    assert verify(path).problem == ""
    lines = lines_of(path.read_bytes())
    path.write_bytes(sealed([line for line in lines if line["type"] != "stderr"]))
    assert verify(path).problem == ""
    assert verify(path).digest == match.digest  # it is no part of the match
    assert verify(path).seal != match.seal  # but of the record


async def test_what_a_healthy_bot_wrote_to_stderr_is_in_the_record_by_turn(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async def talks(bot: Bot) -> None:
        for number in range(10**6):
            await bot.request()
            os.write(bot.child.bot_stderr, f"thought {number}\n".encode())
            await trio.sleep(0.01)
            await bot.say("1\n")

    path = tmp_path / "r.jsonl"
    result = await play(talks, talks, max_rounds=3, replay=path)
    assert [seat.totals().stopped for seat in result.seats] == [None, None]
    match = Match.read(path)
    for seat in range(2):
        assert match.stderr(seat) == tuple(
            Stderr(seat, number + 1, f"thought {number}\n") for number in range(3)
        )


async def test_the_seal_is_over_all_bytes_before_it(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    path, file = tmp_path / "r.jsonl.gz", io.BytesIO()
    setup = Setup("1", 2, TinySettings())
    with Recorder(path, HEADER) as one, Recorder(file, HEADER) as other:
        players: list[Player] = [partner(Table(TINY, setup), seat) for seat in range(2)]
        await Referee(Table(TINY, setup), players, listeners=[one, other]).run()
    *lines, last = file.getvalue().splitlines(keepends=True)
    seal = hashlib.sha256(b"".join(lines)).hexdigest()
    assert one.seal == other.seal == seal
    assert last == b'{"type":"seal","sha256":"' + seal.encode() + b'"}\n'
    assert gzip.decompress(path.read_bytes()) == file.getvalue()


async def test_a_match_that_was_given_up_has_no_seal(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    with trio.move_on_after(30):
        await play(works(20, 1), works(20, 1), replay=path, timebank=10**6)
    assert b'"seal"' not in path.read_bytes()
    match = Match.read(path)
    assert not match.complete
    assert match.rounds == 1


def test_what_a_file_takes_in_part_is_written_whole() -> None:
    file = Slow()
    with Recorder(file, HEADER) as recorder:
        recorder.steps([Tell(0, "x" * 1000)])
    assert file.getvalue() == encode(HEADER) + b"\n" + encode(Tell(0, "x" * 1000)) + b"\n"


class Slow(io.BytesIO):
    """A file that takes 100 bytes at a time, as one without a buffer may."""

    def write(self, data: bytes) -> int:  # type: ignore[override]  # a BytesIO takes any buffer
        return super().write(data[:100])


def test_breaches_of_a_kind_in_a_row_are_one_line() -> None:
    """A program can bring about a thousand in a turn."""
    file = io.BytesIO()
    with Recorder(file, HEADER) as recorder:
        for code in ("late", "late", "excess", "excess", "late"):
            recorder.violated(1, Violation(code, f"first {code}", 2))
        recorder.violated(0, Violation("late", "x"))
        recorder.violated(0, Violation("late", "x", fault=False))
        recorder.steps([Tell(0, "x")])
        recorder.violated(0, Violation("late", "x", fault=False))
        recorder.flush()
        recorder.violated(0, Violation("late", "y", fault=False))
    found = [
        (line["seat"], line["code"], line["detail"], line["count"], line["fault"])
        for line in lines_of(file.getvalue())
        if line["type"] == "fault"
    ]
    assert found == [
        (1, "late", "first late", 4, True),
        (1, "excess", "first excess", 4, True),
        (1, "late", "first late", 2, True),
        (0, "late", "x", 1, True),
        (0, "late", "x", 1, False),
        (0, "late", "x", 1, False),
        (0, "late", "y", 1, False),
    ]


def test_the_digest_goes_over_the_counts_of_instructions() -> None:
    def digest(count: int | None) -> str:
        with Recorder(io.BytesIO(), HEADER) as recorder:
            recorder.replied(0, TimedReply(Answer("x"), Cost(0, instructions=count)), 1000)
            recorder.steps([Show({"round": 0, "rounds": 1})])
            return recorder.digest

    assert len({digest(None), digest(0), digest(1), digest(2)}) == 4
    chain = Chain(HEADER)
    chain.add(said(0, Answer("x"), 2))
    chain.add(encode(Show({"round": 0, "rounds": 1})))
    assert digest(2) == chain.hexdigest()


def test_a_file_that_cannot_be_closed_is_a_failure_of_the_arena(tmp_path: Path) -> None:
    """A compressed file writes its end then."""
    recorder = Recorder(tmp_path / "r.jsonl", HEADER)
    recorder._file.close()
    recorder._file = Unclosed()
    with pytest.raises(DiskFull, match="cannot write the replay"), recorder:
        pass


class Unclosed(io.BytesIO):
    """A file whose end has no room."""

    def close(self) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_and_a_broken_file_are_told_apart() -> None:
    for code, kind in ((errno.ENOSPC, DiskFull), (errno.EIO, ArenaFault)):
        file = Failing(code)
        recorder = Recorder(file, HEADER)
        with pytest.raises(ArenaFault, match="cannot write the replay") as caught:
            recorder.flush()
        assert type(caught.value) is kind


class Failing(io.BytesIO):
    """A file on a disk that fails."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code

    def write(self, data: object) -> int:
        raise OSError(self.code, os.strerror(self.code))


def test_a_path_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name another file"):
        Recorder(tmp_path / "no" / "r.jsonl", HEADER)
