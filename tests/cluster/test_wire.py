"""Frames: what an end may send, and what becomes of a connection on which something else comes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import trio
from trio.testing import MockClock, lockstep_stream_pair, memory_stream_pair, wait_all_tasks_blocked

from arena.cluster import wire
from arena.cluster.parcels import Address
from arena.cluster.wire import Channel, Lost
from arena.cluster.work import (
    Beat,
    Chunk,
    Decode,
    FromJudge,
    FromWorker,
    Need,
    Parcel,
    WorkerRefused,
)

DECODE: Decode = msgspec.msgpack.Decoder(FromWorker | FromJudge).decode
BOT = Address("0" * 64, "bot")


def frame(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


async def heard(data: bytes) -> object:
    """What a channel makes of these bytes, behind which the other end hangs up."""
    ours, theirs = memory_stream_pair()
    await theirs.send_all(data)
    await theirs.aclose()
    return await Channel(ours, DECODE).receive(Need)


async def test_messages_arrive_as_they_were_sent() -> None:
    ours, theirs = memory_stream_pair()
    sender, receiver = Channel(ours, DECODE), Channel(theirs, DECODE)
    for message in (Beat(), Need(BOT), Beat(), WorkerRefused("why"), Parcel(7)):
        await sender.send(message)
    assert await receiver.receive(Need) == Need(BOT)
    assert await receiver.receive(Need, WorkerRefused) == WorkerRefused("why")
    assert await receiver.receive(Parcel) == Parcel(7)


async def test_they_arrive_byte_by_byte() -> None:
    ours, theirs = memory_stream_pair()
    await Channel(theirs, DECODE).send(Need(BOT))
    data = await ours.receive_some(1000)
    receiver, sender = memory_stream_pair()
    async with trio.open_nursery() as nursery:

        async def drip() -> None:
            for byte in data:
                await sender.send_all(bytes([byte]))
                await wait_all_tasks_blocked()

        nursery.start_soon(drip)
        assert await Channel(receiver, DECODE).receive(Need) == Need(BOT)


DEEP = b"\x91" * 200_000
SAID = {
    "nothing": (b"", "it closed the connection"),
    "half": (frame(b"1234")[:6], "it closed the connection"),
    "huge": (b"\xff\xff\xff\xff", "announced a frame of 4294967295 bytes"),
    "larger": ((wire.MAX_FRAME + 1).to_bytes(4, "big"), "announced a frame of"),
    "empty": (frame(b""), "invalid message"),
    "garbage": (frame(b"\xc1\xc1"), "invalid message"),
    "http": (b"GET / HTTP/1.1\r\n\r\n", "announced a frame of"),
    "deep": (frame(DEEP), "invalid message"),
    "deep in a value": (frame(b"\x82\xa4type\xa4Need\xa3bot" + DEEP), "invalid message"),
    "a match of a deep map": (frame(b"\x82\xa4type\xa4Task\xa3map" + DEEP), "invalid message"),
    "a type of its own": (frame(b"\x81\xa4type\xa5Shell"), "invalid message"),
    "a pickle": (frame(b"\x80\x04\x95\x1d\x00\x00\x00"), "invalid message"),
    "more": (frame(msgspec.msgpack.encode({"type": "Beat", "x": 1})), "invalid message"),
    "no text": (frame(b"\x82\xa4type\xa4Need\xa3bot\xa2\xff\xfe"), "invalid message"),
    "another kind": (frame(msgspec.msgpack.encode({"type": "Parcel", "size": 1})), "sent a Parcel"),
}


@pytest.mark.parametrize("case", SAID)
async def test_what_is_no_message_ends_the_connection(case: str) -> None:
    data, why = SAID[case]
    with pytest.raises(Lost, match=why):
        await heard(data)


async def test_beats_without_end_end_it(autojump_clock: MockClock) -> None:
    beat = frame(msgspec.msgpack.encode(Beat()))
    with pytest.raises(Lost, match="endless heartbeats"):
        await heard(beat * 1000)


async def test_who_says_nothing_is_lost(autojump_clock: MockClock) -> None:
    ours, _ = memory_stream_pair()
    began = trio.current_time()
    with pytest.raises(Lost, match="it was silent for 60 s"):
        await Channel(ours, DECODE).receive(Need)
    assert trio.current_time() - began == wire.SILENCE


async def test_who_beats_and_does_not_answer_is_lost_in_the_end(autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Channel(theirs, DECODE).beat)
        with pytest.raises(Lost, match="did not answer for 500 s"):
            await Channel(ours, DECODE).receive(Need, within=500)
        nursery.cancel_scope.cancel()


async def test_who_takes_nothing_is_lost(autojump_clock: MockClock) -> None:
    ours, _ = lockstep_stream_pair()
    with pytest.raises(Lost, match="read nothing for 60 s"):
        await Channel(ours, DECODE).send(Beat())


async def test_while_quiet_waits_among_beats_and_loses_none_of_what_follows(
    autojump_clock: MockClock,
) -> None:
    ours, theirs = memory_stream_pair()
    channel, other = Channel(ours, DECODE), Channel(theirs, DECODE)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(other.beat)

        async def later() -> str:
            await trio.sleep(3 * wire.BEAT)
            return "done"

        assert await channel.while_quiet(later) == "done"
        await other.send(Need(BOT))
        assert await channel.receive(Need) == Need(BOT)
        nursery.start_soon(other.send, WorkerRefused("why"))
        with pytest.raises(Lost, match="sent a WorkerRefused that was not requested"):
            await channel.while_quiet(trio.sleep_forever)
        await theirs.aclose()
        with pytest.raises(Lost, match="closed the connection"):
            await channel.while_quiet(trio.sleep_forever)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("size", [0, 1, wire.CHUNK, 3 * wire.CHUNK + 7])
async def test_long_contents_travel_in_chunks(size: int, tmp_path: Path) -> None:
    (tmp_path / "sent").write_bytes(content := b"x" * size)
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Channel(ours, DECODE).send_file, tmp_path / "sent")
        await Channel(theirs, DECODE).receive_file(tmp_path / "came", size)
    assert (tmp_path / "came").read_bytes() == content


@pytest.mark.parametrize("pieces", [[b""], [b"123"], [b"1234567"]])
async def test_other_chunks_than_were_said_are_not_taken(
    pieces: list[bytes], tmp_path: Path
) -> None:
    ours, theirs = memory_stream_pair()
    for piece in pieces:
        await Channel(ours, DECODE).send(Chunk(piece))
    with pytest.raises(Lost, match="content that differs from what it announced"):
        await Channel(theirs, DECODE).receive_file(tmp_path / "came", 6)
