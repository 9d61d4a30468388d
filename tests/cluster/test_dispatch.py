"""Which worker plays which match: workers that are honest, lost, mute or hostile, on streams in
memory."""

from __future__ import annotations

import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
import trio
from msgspec.structs import replace
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked

from arena.cluster import dispatch
from arena.cluster.dispatch import (
    DispatchedMatch,
    Dispatcher,
    Ended,
    Event,
    Joined,
    Notice,
    Worker,
)
from arena.cluster.parcels import Address, unpack
from arena.cluster.wire import BEAT, CHUNK, Channel, Lost
from arena.cluster.work import (
    Beat,
    Chunk,
    Done,
    Failed,
    Message,
    Need,
    Parcel,
    Task,
    WorkerRefused,
    decode_from_judge,
    decode_from_worker,
)
from arena.errors import ArenaFault, BotError, MachineError
from arena.match.report import MatchReport
from arena.players.entrant import StoredEntrant
from arena.sandbox.levels import Level, SandboxMode
from tests.cluster.played import answer, hello_of_a_worker, match_of, stored


class Peer(Channel):
    """The end of a worker."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        super().__init__(stream, decode_from_judge)
        self.hang_up = stream.aclose


class Judge:
    """A dispatcher, and what it has posted."""

    def __init__(self, folder: Path, nursery: trio.Nursery) -> None:
        self.events: list[Event] = []
        self.lost: list[str] = []
        self._news = trio.lowlevel.ParkingLot()
        self.inbox = folder / "inbox"
        self.inbox.mkdir()
        self.dispatcher = Dispatcher(self._hear, self.inbox)
        self._nursery = nursery

    async def connect(self, *, says_hello: bool = True, **hello: Level) -> Peer:
        """The end of a worker that has just connected."""
        ours, theirs = memory_stream_pair()
        self._nursery.start_soon(self._serve, ours)
        channel = Peer(theirs)
        if says_hello:
            await channel.send(hello_of_a_worker(**hello))
        await wait_all_tasks_blocked()
        return channel

    async def _serve(self, stream: trio.abc.Stream) -> None:
        try:
            await self.dispatcher.serve(Channel(stream, decode_from_worker), "host", lambda: None)
        except Lost as error:
            self.lost.append(str(error))
        except ArenaFault as error:
            self.lost.append(f"FAULT {error}")
        self._news.unpark_all()
        await stream.aclose()

    def _hear(self, event: Event) -> None:
        self.events.append(event)
        self._news.unpark_all()

    async def until(self, happened: Callable[[], object]) -> None:
        while not happened():
            await self._news.park()

    @property
    def ended(self) -> list[Ended]:
        return [event for event in self.events if isinstance(event, Ended)]

    @property
    def told(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]


class Honest:
    """What a worker sends for the match."""

    def __init__(self, match: DispatchedMatch, report: MatchReport, record: Path) -> None:
        self.match = match
        self.report = report
        self.record = record

    def done(self) -> Done:
        return Done(msgspec.msgpack.encode(self.report), self.record.stat().st_size)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Honest:
    folder = tmp_path_factory.mktemp("honest")
    spec, record = stored(folder, sandbox=Level.OFF), folder / "record.jsonl.gz"
    return Honest(match_of(spec), answer(spec, record), record)


@pytest.fixture
def match(honest: Honest) -> DispatchedMatch:
    return DispatchedMatch(honest.match.spec, honest.match.task, honest.match.sources)


async def with_judge(folder: Path, test: Callable[[Judge], Awaitable[None]]) -> Judge:
    async with trio.open_nursery() as nursery:
        await test(judge := Judge(folder, nursery))
        nursery.cancel_scope.cancel()
    return judge


async def hand_over(channel: Channel, honest: Honest) -> None:
    await channel.send(honest.done())
    await channel.send_file(honest.record)


async def test_a_slow_worker_gets_fewer_matches(
    tmp_path: Path, honest: Honest, match: DispatchedMatch
) -> None:
    """Each gets the next match when it has played one."""
    played = {"quick": 0, "slow": 0}

    async def work(name: str, worker: Peer, may_answer: trio.Event) -> None:
        while True:
            await worker.receive(Task)
            await may_answer.wait()
            await hand_over(worker, honest)
            played[name] += 1

    async def test(judge: Judge) -> None:
        at_once, late = trio.Event(), trio.Event()
        at_once.set()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(work, "slow", await judge.connect(), late)
            for _ in range(9):
                judge.dispatcher.add(DispatchedMatch(match.spec, match.task, match.sources))
            await wait_all_tasks_blocked()
            nursery.start_soon(work, "quick", await judge.connect(), at_once)
            await judge.until(lambda: len(judge.ended) == 8)
            late.set()
            await judge.until(lambda: len(judge.ended) == 9)
            nursery.cancel_scope.cancel()
        assert played == {"quick": 8, "slow": 1}

    await with_judge(tmp_path, test)


async def test_a_worker_gets_a_match_and_its_result_is_posted(
    tmp_path: Path, honest: Honest, match: DispatchedMatch
) -> None:
    async def test(judge: Judge) -> None:
        worker = await judge.connect()
        judge.dispatcher.add(match)
        assert await worker.receive(Task) == match.task
        await hand_over(worker, honest)
        await judge.until(lambda: judge.ended)
        assert judge.events[0] == Joined()
        (ended,) = judge.ended
        assert (ended.match, ended.played) == (match, honest.report)
        assert ended.record is not None
        assert ended.record.read_bytes() == honest.record.read_bytes()
        judge.dispatcher.add(other := DispatchedMatch(match.spec, match.task, match.sources))
        await worker.receive(Task)  # the next one
        assert other not in [one.match for one in judge.ended]

    await with_judge(tmp_path, test)


async def test_the_bot_that_a_worker_lacks_is_sent_once(
    tmp_path: Path, match: DispatchedMatch
) -> None:
    async def test(judge: Judge) -> None:
        worker = await judge.connect()
        judge.dispatcher.add(match)
        task = await worker.receive(Task)
        assert isinstance(task, Task)
        (store := tmp_path / "store").mkdir()
        for seat in task.seats:
            await worker.send(Need(seat.address))
            parcel = await worker.receive(Parcel)
            assert isinstance(parcel, Parcel)
            await worker.receive_file(tmp_path / seat.name, parcel.size)
            place = unpack(store, seat.address, tmp_path / seat.name)
            assert (place / f"{seat.name}.py").read_text() == f"print('{seat.name}')\n"
        assert list(judge.inbox.iterdir()) == []
        await worker.send(Need(task.seats[0].address))
        await judge.until(lambda: judge.lost)
        assert judge.lost == ["it asked for a bot that it has, or that is not in its match"]

    await with_judge(tmp_path, test)


async def nothing(worker: Channel, honest: Honest) -> None:
    """It hangs up."""


async def mute(worker: Channel, honest: Honest) -> None:
    await trio.sleep(1000)


async def beats_alone(worker: Channel, honest: Honest) -> None:
    with suppress(Lost):
        while True:
            await trio.sleep(BEAT)
            await worker.send(Beat())


async def half_a_record(worker: Channel, honest: Honest) -> None:
    await worker.send(replace(honest.done(), size=2 * CHUNK))
    await worker.send(Chunk(bytes(CHUNK)))


async def drops(worker: Channel, honest: Honest) -> None:
    await worker.send(honest.done())
    await worker.send(Chunk(b"1"))


async def too_much(worker: Channel, honest: Honest) -> None:
    await worker.send(replace(honest.done(), size=1))
    await worker.send_file(honest.record)


async def a_huge_record(worker: Channel, honest: Honest) -> None:
    await worker.send(replace(honest.done(), size=1 << 40))
    await trio.sleep(1)


async def another_record(worker: Channel, honest: Honest) -> None:
    await worker.send(replace(honest.done(), size=CHUNK))
    await worker.send(Chunk(b"\x1f\x8b" + bytes(CHUNK - 2)))
    await trio.sleep(1)


async def another_bot(worker: Channel, honest: Honest) -> None:
    await worker.send(Need(Address("0" * 64, "bot")))
    await trio.sleep(1)


async def a_strange_message(worker: Channel, honest: Honest) -> None:
    await worker.send(hello_of_a_worker())
    await trio.sleep(1)


async def a_match_of_its_own(worker: Channel, honest: Honest) -> None:
    await worker.send(honest.match.task)


LOST: dict[Callable[[Channel, Honest], Awaitable[None]], str] = {
    nothing: "it closed the connection",
    mute: "it was silent for 60 s",
    beats_alone: "its match did not end within 3 min",
    half_a_record: "it closed the connection",
    drops: "it sent content that differs from what it announced",
    too_much: "it sent content that differs from what it announced",
    a_huge_record: "it announced a record of 1099511627776 bytes",
    another_record: "its record cannot be read",
    another_bot: "it asked for a bot that it has, or that is not in its match",
    a_strange_message: "it has sent a Hello that was not requested",
    a_match_of_its_own: "it sent an invalid message",
}


T = TypeVar("T")


async def at_once(work: Callable[..., T], *arguments: Any, **options: Any) -> T:
    return work(*arguments)


@pytest.mark.parametrize("worker", LOST, ids=lambda one: one.__name__)
async def test_the_match_of_a_worker_that_is_lost_goes_to_another(
    worker: Callable[[Channel, Honest], Awaitable[None]],
    tmp_path: Path,
    honest: Honest,
    match: DispatchedMatch,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dispatch, "MATCH_WITHIN", 100)
    monkeypatch.setattr(dispatch, "MOST_ANSWERS", 10)
    monkeypatch.setattr(trio.to_thread, "run_sync", at_once)  # this clock waits for no thread

    async def test(judge: Judge) -> None:
        judge.dispatcher.add(match)
        bad = await judge.connect()
        await bad.receive(Task)
        with suppress(Lost):
            await worker(bad, honest)
        await bad.hang_up()
        good = await judge.connect()
        assert await good.receive(Task) == match.task
        assert len(judge.lost) == 1
        assert LOST[worker] in judge.lost[0]
        assert len(judge.dispatcher.workers) == 1
        assert list(judge.inbox.iterdir()) == []
        assert not judge.ended

    await with_judge(tmp_path, test)


async def test_a_match_whose_workers_are_lost_again_and_again_is_void(
    tmp_path: Path, match: DispatchedMatch
) -> None:
    async def test(judge: Judge) -> None:
        judge.dispatcher.add(match)
        for _ in range(dispatch.TRIES):
            assert not judge.ended
            worker = await judge.connect()
            await worker.receive(Task)
            await worker.hang_up()
            await wait_all_tasks_blocked()
        assert isinstance(judge.ended[0].played, MachineError)
        assert "5 workers were lost while they played it" in str(judge.ended[0].played)

    await with_judge(tmp_path, test)


async def test_what_one_worker_cannot_play_another_does(
    tmp_path: Path, match: DispatchedMatch
) -> None:
    async def test(judge: Judge) -> None:
        poor = await judge.connect()
        judge.dispatcher.add(match)
        await poor.receive(Task)
        rich = await judge.connect()
        await poor.send(Failed.of(BotError("no compiler", "line 1")))
        assert await rich.receive(Task) == match.task
        assert judge.told == ["the worker at host cannot play a match: no compiler"]
        await rich.hang_up()  # and then nobody can
        await wait_all_tasks_blocked()
        (ended,) = judge.ended
        assert isinstance(ended.played, BotError)
        assert (str(ended.played), ended.played.output) == ("no compiler", "line 1")

    await with_judge(tmp_path, test)


async def test_what_nobody_can_play_fails_at_once(tmp_path: Path, match: DispatchedMatch) -> None:
    async def test(judge: Judge) -> None:
        worker = await judge.connect()
        judge.dispatcher.add(match)
        await worker.receive(Task)
        await worker.send(Failed("no room"))
        await wait_all_tasks_blocked()
        assert isinstance(judge.ended[0].played, MachineError)

    await with_judge(tmp_path, test)


async def test_an_abandoned_match_is_heard_of_no_more(
    tmp_path: Path, honest: Honest, match: DispatchedMatch
) -> None:
    async def test(judge: Judge) -> None:
        worker = await judge.connect()
        judge.dispatcher.add(match)
        await worker.receive(Task)
        judge.dispatcher.abandon()
        judge.dispatcher.add(again := DispatchedMatch(match.spec, match.task, match.sources))
        await hand_over(worker, honest)
        await worker.receive(Task)
        assert not judge.ended
        assert list(judge.inbox.iterdir()) == []
        await hand_over(worker, honest)
        await judge.until(lambda: judge.ended)
        assert judge.ended[0].match is again

    await with_judge(tmp_path, test)


@pytest.mark.parametrize(
    ("hello", "mode", "why"),
    [
        ({"level": Level.OFF}, SandboxMode.STRICT, "its level is off"),
        ({"least": Level.SANDBOX}, Level.OFF, "start it with --sandbox off"),
    ],
)
async def test_O10_a_worker_that_is_unfit_is_told_why(
    hello: dict[str, Any], mode: Level | SandboxMode, why: str, tmp_path: Path
) -> None:
    async def test(judge: Judge) -> None:
        judge.dispatcher.add(match_of(stored(tmp_path, sandbox=mode)))
        worker = await judge.connect(**hello)
        refused = await worker.receive(WorkerRefused)
        assert isinstance(refused, WorkerRefused)
        assert why in refused.why
        assert why in judge.told[0]
        await worker.hang_up()
        await wait_all_tasks_blocked()
        assert not judge.dispatcher.workers
        fit = await judge.connect()
        await fit.receive(Task)

    await with_judge(tmp_path, test)


async def test_workers_that_are_unfit_do_not_make_a_match_void(
    tmp_path: Path, match: DispatchedMatch
) -> None:
    async def test(judge: Judge) -> None:
        judge.dispatcher.add(match)
        for _ in range(2 * dispatch.TRIES):
            weak = await judge.connect(least=Level.SANDBOX)
            await weak.receive(WorkerRefused)
            await weak.hang_up()
            await wait_all_tasks_blocked()
        assert not judge.ended
        fit = await judge.connect()
        await fit.receive(Task)

    await with_judge(tmp_path, test)


async def test_one_content_under_two_names_is_sent_under_both(tmp_path: Path) -> None:
    bots = [tmp_path / name / "bot.py" for name in ("ann", "ben")]
    for bot in bots:
        bot.parent.mkdir()
        bot.write_text("pass\n")
    entrants = tuple(StoredEntrant(bot.parent.name, bot.parent) for bot in bots)

    async def test(judge: Judge) -> None:
        judge.dispatcher.add(match := match_of(replace(stored(tmp_path), entrants=entrants)))
        worker = await judge.connect()
        await worker.receive(Task)
        one, other = match.task.seats
        assert one.address.digest == other.address.digest
        for seat in match.task.seats:
            await worker.send(Need(seat.address))
            parcel = await worker.receive(Parcel)
            assert isinstance(parcel, Parcel)
            await worker.receive_file(tmp_path / f"{seat.name}.tar", parcel.size)
        assert not judge.lost

    await with_judge(tmp_path, test)


async def test_what_says_no_hello_is_no_worker(tmp_path: Path, autojump_clock: MockClock) -> None:
    async def test(judge: Judge) -> None:
        await judge.connect(says_hello=False)
        stranger = await judge.connect(says_hello=False)
        await stranger.send(Need(Address("0" * 64, "bot")))
        await trio.sleep(dispatch.HELLO_WITHIN + 1)
        assert sorted(judge.lost) == [
            "it did not answer for 10 s",
            "it has sent a Need that was not requested",
        ]
        assert not judge.dispatcher.workers

    await with_judge(tmp_path, test)


async def test_workers_are_limited_in_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "MOST_WORKERS", 3)

    async def test(judge: Judge) -> None:
        for _ in range(3):
            await judge.connect()
        one_more = await judge.connect()
        refused = await one_more.receive(WorkerRefused)
        assert refused == WorkerRefused("there are 3 workers already")
        assert len(judge.dispatcher.workers) == 3

    await with_judge(tmp_path, test)


async def test_events_do_not_grow_without_bound(tmp_path: Path) -> None:
    """Whatever strangers bring about while nobody hears of it."""

    async def test(judge: Judge) -> None:
        for _ in range(10):
            worker = await judge.connect()
            await worker.hang_up()
        for number in range(2 * dispatch.MAX_MESSAGES):
            judge.dispatcher.tell(f"text {number}")
            judge.dispatcher.tell(f"text {number}")
        assert judge.events.count(Joined()) == 1
        assert len(judge.told) == dispatch.MAX_MESSAGES

    await with_judge(tmp_path, test)


async def test_an_idle_worker_that_asks_for_something_is_lost(tmp_path: Path) -> None:
    messages: list[Message] = [
        Need(Address("0" * 64, "bot")),
        Failed("x"),
        Chunk(b"x"),
        hello_of_a_worker(),
    ]

    async def test(judge: Judge) -> None:
        for message in messages:
            worker = await judge.connect()
            await worker.send(message)
            await wait_all_tasks_blocked()
        assert len(judge.lost) == len(messages)

    await with_judge(tmp_path, test)


async def test_a_bot_that_has_gone_is_the_judges_own_fault(tmp_path: Path) -> None:
    spec = stored(tmp_path)
    match = match_of(spec)
    with pytest.raises(BotError, match="cannot read"):
        match_of(replace(spec, entrants=(StoredEntrant("ann", tmp_path / "none.py"),) * 2))

    async def test(judge: Judge) -> None:
        worker = await judge.connect()
        judge.dispatcher.add(match)
        await worker.receive(Task)
        (tmp_path / "ann.py").unlink()
        await worker.send(Need(match.task.seats[0].address))
        await judge.until(lambda: judge.lost)

    judge = await with_judge(tmp_path, test)
    assert isinstance(judge.ended[0].played, BotError)


def test_the_time_for_a_match_is_more_than_its_players_have(match: DispatchedMatch) -> None:
    settings = match.spec.settings
    assert match.within > 2 * (settings.timebank + 10_000 * settings.time_per_move) / 1000


def test_interpreters_of_other_versions_are_told_once(tmp_path: Path) -> None:
    events = list[Event]()
    dispatcher = Dispatcher(events.append, tmp_path)
    for host, versions in (
        ("a", {"python3": "3.11.2", "node": "18.1"}),
        ("b", {"python3": "3.13.5"}),
        ("c", {"python3": "3.13.5", "node": "18.1"}),
    ):
        said = replace(hello_of_a_worker(Level.OFF, Level.OFF), interpreters=versions)
        dispatcher._enlist(Worker(host, said))
    (notice,) = (event.text for event in events if isinstance(event, Notice))
    assert notice.startswith("python3 is 3.13.5 at b, and 3.11.2 at a: bots may answer differently")


def test_a_worker_tells_the_versions_of_its_interpreters() -> None:
    python = subprocess.run(["python3", "--version"], capture_output=True, text=True)
    told = hello_of_a_worker(Level.OFF, Level.OFF).interpreters
    assert python.stdout.split()[1] == told["python3"]
