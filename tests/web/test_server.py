"""The server of a live match."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
import trio
import trio.testing

from arena.web.desk import PageDesk
from arena.web.feed import REST, PageClosed, answer_all
from arena.web.live import LiveMatch

PLAY = (sys.executable, "-m", "arena", "play")
SURRENDERS = """
import pathlib, sys
for line in sys.stdin:
    if line.startswith("go"):
        print("surrender" if pathlib.Path({sign!r}).exists() else "No moves", flush=True)
"""
"""A bot that gives up once there is a file."""


@pytest.fixture
def sign(tmp_path: Path) -> Path:
    """The file by which a test ends `match`: whatever takes how long, it is not over before."""
    return tmp_path / "sign"


@pytest.fixture
def match(sign: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    bot = tmp_path / "bot.py"
    bot.write_text(SURRENDERS.format(sign=str(sign)))
    options = ["--live", "--seed", "4", "--set", "max_rounds=5000", "--set", "radius=2"]
    command = [*PLAY, "hextrategic", str(bot), str(bot), *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={"PATH": "/usr/bin"}
    ) as process:
        yield process
        process.kill()


class Flood:
    """A page that sends so many messages at once."""

    def __init__(self, messages: list[str]) -> None:
        self._messages = messages
        self.heard: list[str] = []

    async def hear(self) -> str:
        if not self._messages:
            raise PageClosed
        return self._messages.pop(0)

    async def say(self, text: str) -> None:
        self.heard.append(text)

    async def close(self) -> None:
        """Never: it floods until it is empty."""


async def test_messages_of_a_page_are_answered_at_a_pace(
    autojump_clock: trio.testing.MockClock,
) -> None:
    live = LiveMatch(BytesIO())
    live.desks[0] = PageDesk("Ann", live.news)
    page = Flood(['{"do":"help","turn":1}', "tea"] * 50)
    before = trio.current_time()
    await answer_all(live, 0, page, trio.CancelScope())
    assert trio.current_time() - before == pytest.approx(100 * REST)
    assert page.heard[:2] == [
        '{"examples":[]}',
        '{"refused":["The arena cannot read it: it is too long, or not text."]}',
    ]


def address(match: subprocess.Popen[str]) -> str:
    assert match.stderr is not None
    line = match.stderr.readline()
    found = re.search(r"opened: (http://127\.0\.0\.1:\d+/[\w-]{20,}/)$", line)
    assert found, line
    return found[1]


@pytest.mark.dear
def test_other_addresses_have_nothing(match: subprocess.Popen[str]) -> None:
    url = address(match)
    for wrong in (url[: url.index("/", 8) + 1], url[:-3] + "/", url + "feed"):
        with pytest.raises(urllib.error.HTTPError, match=r"40[045]|426"):
            urllib.request.urlopen(wrong, timeout=20)
