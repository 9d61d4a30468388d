"""The tests of this folder find the tiny game by its name, and have a record with everything in
it."""

from __future__ import annotations

import os
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import trio

from arena.core.registry import GAMES
from tests.record.forge import lines_of, sealed
from tests.support.fake import MS, Bot, MockClock, play


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


@pytest.fixture
def rich() -> bytes:
    """The record of a match in which every type of line occurs."""
    return _rich()


@cache
def _rich() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "r.jsonl"
        match = partial(play, talkative, slow, replay=path, timebank=1000)
        trio.run(match, clock=MockClock(autojump_threshold=0))
        lines = lines_of(path.read_bytes())
    means = {"sandbox": "off", "memory": "looks", "cpu": "looks", "kill": "subreaper"}
    lines.insert(1, {"type": "conditions", "means": means, "counted_by": None})
    return sealed(lines)


async def talkative(bot: Bot) -> None:
    """Says too much, also on stderr, and bids what is no number in the third round."""
    assert bot.meter.delay is not None
    for number in range(10**6):
        await bot.request()
        os.write(bot.child.bot_stderr, b"thinking\n")
        await trio.sleep(0.25)
        bot.meter.cpu += 30 * MS
        bot.meter.delay += 40 * MS
        await bot.say("much\r\n" if number == 2 else "01\nmore\nand more\n")


async def slow(bot: Bot) -> None:
    """Answers once too late, and leaves after that."""
    await bot.request()
    await trio.sleep(0.5)
    await bot.say("2\n")
    await bot.request()
    await trio.sleep(1.5)
    await bot.say("2\n")
    await bot.request()
