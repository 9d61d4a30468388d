"""A worker, and the judges that it meets: on streams in memory, with the test as its main thread.
(What its main thread does is in `test_pool`.)"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
import trio
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked

from arena.cluster.keys import Role, make_keys, tls_context
from arena.cluster.parcels import pack, place_of
from arena.cluster.wire import Channel, Lost
from arena.cluster.work import (
    Chunk,
    Done,
    Failed,
    Hello,
    Need,
    Parcel,
    Task,
    WorkerRefused,
    decode_from_judge,
    decode_from_worker,
)
from arena.cluster.worker import Job, Link
from arena.errors import BotError, UsageError
from arena.match.report import MatchReport
from arena.players.entrant import StoredEntrant
from arena.sandbox.levels import Level
from tests.cluster.clusters import key
from tests.cluster.played import answer, hello_of_a_worker, match_of, stored


def link_for(folder: Path, least: Level = Level.OFF, port: int = 1) -> Link:
    (folder / "store").mkdir(exist_ok=True)
    return Link(
        "127.0.0.1", port, tls_context(key(Role.WORKER), Role.WORKER),
        hello_of_a_worker(least=least), folder / "store", lambda text: None,
    )  # fmt: skip


class Judged:
    """How a worker was left, and what it is to play."""

    def __init__(self, link: Link, judge: Channel, hang_up: Callable[[], Awaitable[None]]) -> None:
        self.link = link
        self.judge = judge
        self.hang_up = hang_up
        self.error: Exception | None = None

    async def serve(self, channel: Channel) -> None:
        try:
            await self.link.serve(channel)
        except (Lost, UsageError) as error:
            self.error = error


async def with_worker(
    folder: Path, test: Callable[[Judged], Awaitable[None]], least: Level = Level.OFF
) -> Judged:
    """A worker that has said hello."""
    ours, theirs = memory_stream_pair()
    judged = Judged(link_for(folder, least), Channel(theirs, decode_from_worker), theirs.aclose)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(judged.serve, Channel(ours, decode_from_judge))
        await judged.judge.receive(Hello)
        await test(judged)
        nursery.cancel_scope.cancel()
    return judged


async def send_bots(judged: Judged, task: Task, folder: Path) -> None:
    """Answer what it asks for."""
    for _ in task.seats:
        need = await judged.judge.receive(Need)
        assert isinstance(need, Need)
        (seat,) = [one for one in task.seats if one.address == need.bot]
        pack(folder / f"{seat.name}.py", folder / f"{seat.name}.tar")
        await judged.judge.send(Parcel((folder / f"{seat.name}.tar").stat().st_size))
        await judged.judge.send_file(folder / f"{seat.name}.tar")


async def job_of(judged: Judged) -> Job:
    while judged.link.jobs.empty():  # noqa: ASYNC110  # a queue of another thread
        await trio.sleep(0.01)
    job = judged.link.jobs.get()
    assert isinstance(job, Job)
    return job


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return match_of(stored(tmp_path)).task


async def test_it_asks_for_the_bots_plays_and_sends_report_and_record(
    tmp_path: Path, task: Task
) -> None:
    record = tmp_path / "r.jsonl.gz"
    report = await trio.to_thread.run_sync(answer, stored(tmp_path), record)

    async def test(judged: Judged) -> None:
        await judged.judge.send(task)
        await send_bots(judged, task, tmp_path)
        for again in range(2):
            job = await job_of(judged)
            assert job.task == task
            for seat in task.seats:
                place = place_of(tmp_path / "store", seat.address)
                assert [one.name for one in place.iterdir()] == [f"{seat.name}.py"]
            job.record.write_bytes(record.read_bytes())
            job.played = report
            job.ended.set()
            done = await judged.judge.receive(Done)
            assert isinstance(done, Done)
            came_report = msgspec.msgpack.decode(done.report, type=MatchReport)
            assert (came_report.seal, came_report.replay) == (report.seal, None)
            await judged.judge.receive_file(came := tmp_path / f"came {again}", done.size)
            assert came.read_bytes() == record.read_bytes()
            assert not job.record.parent.exists()
            await judged.judge.send(task)  # the same bots: it has them now

    await with_worker(tmp_path, test)


async def test_a_failure_is_sent_as_such(tmp_path: Path, task: Task) -> None:
    async def test(judged: Judged) -> None:
        await judged.judge.send(task)
        await send_bots(judged, task, tmp_path)
        job = await job_of(judged)
        job.played = BotError("does not build", "line 1")
        job.ended.set()
        assert await judged.judge.receive(Failed) == Failed("does not build", "line 1", False)

    await with_worker(tmp_path, test)


async def test_O10_a_bot_that_was_changed_on_its_way_is_not_played(
    tmp_path: Path, task: Task
) -> None:
    async def test(judged: Judged) -> None:
        await judged.judge.send(task)
        await judged.judge.receive(Need)
        await judged.judge.send(Parcel(5))
        await judged.judge.send(Chunk(b"12345"))
        failed = await judged.judge.receive(Failed)
        assert isinstance(failed, Failed)
        assert "was changed on its way" in failed.error
        assert judged.link.jobs.empty()

    await with_worker(tmp_path, test)


async def test_a_judge_that_has_no_use_for_it_ends_it(tmp_path: Path) -> None:
    async def test(judged: Judged) -> None:
        await judged.judge.send(WorkerRefused("it has the release 0.1"))
        await wait_all_tasks_blocked()

    judged = await with_worker(tmp_path, test)
    assert isinstance(judged.error, UsageError)
    assert "gives this worker no matches: it has the release 0.1" in str(judged.error)


async def test_it_plays_nothing_without_its_walls_whatever_a_judge_says(tmp_path: Path) -> None:
    async def test(judged: Judged) -> None:
        await judged.judge.send(match_of(stored(tmp_path, sandbox=Level.OFF)).task)
        await wait_all_tasks_blocked()
        assert judged.link.jobs.empty()

    judged = await with_worker(tmp_path, test, least=Level.SANDBOX)
    assert isinstance(judged.error, UsageError)
    assert "plays nothing below the level sandbox" in str(judged.error)


async def test_a_judge_that_goes_while_it_plays_is_left_when_the_match_is_over(
    tmp_path: Path, task: Task
) -> None:
    async def test(judged: Judged) -> None:
        await judged.judge.send(task)
        await send_bots(judged, task, tmp_path)
        job = await job_of(judged)
        await judged.hang_up()
        await wait_all_tasks_blocked()
        assert judged.error is None
        job.ended.set()
        await wait_all_tasks_blocked()
        assert isinstance(judged.error, Lost)
        assert not job.record.parent.exists()

    await with_worker(tmp_path, test)


async def test_a_judge_that_says_nothing_is_left(tmp_path: Path, autojump_clock: MockClock) -> None:
    async def test(judged: Judged) -> None:
        with pytest.raises(Lost):
            await judged.judge.receive(Need)
        await trio.sleep(100)

    judged = await with_worker(tmp_path, test)
    assert "it was silent for 60 s" in str(judged.error)


async def test_what_is_not_our_judge_gets_no_hello(tmp_path: Path) -> None:
    make_keys(tmp_path)
    tls = tls_context(tmp_path / "judge.pem", Role.JUDGE)
    heard: list[bytes] = []

    async def foreign(stream: trio.SocketStream) -> None:
        await trio.SSLStream(stream, tls, server_side=True).do_handshake()

    async def plain(stream: trio.SocketStream) -> None:
        heard.append(await stream.receive_some(5))
        await stream.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    for judge, why in (
        (foreign, "certificate"),
        (plain, "wrong version"),
    ):
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        async with listener, trio.open_nursery() as nursery:
            nursery.start_soon(swallow, listener, judge)
            link = link_for(tmp_path, port=listener.socket.getsockname()[1])
            with pytest.raises(
                UsageError, match=f"is not a judge with a key of the same cluster .*({why})"
            ):
                await link._reach()
            nursery.cancel_scope.cancel()
    assert heard[0][:1] == b"\x16"  # the beginning of TLS


async def swallow(
    listener: trio.SocketListener, judge: Callable[[trio.SocketStream], Awaitable[None]]
) -> None:
    async with await listener.accept() as stream:
        with suppress(trio.BrokenResourceError):
            await judge(stream)
        await trio.sleep_forever()


def test_a_match_of_bots_that_are_elsewhere_names_them_by_content(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    here, there = stored(tmp_path), stored(tmp_path / "other")
    assert match_of(here).task == match_of(there).task
    assert isinstance(there.entrants[0], StoredEntrant)
