"""A live match in a real browser."""

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
from playwright.sync_api import Page, expect

from arena.web.desk import PageDesk
from arena.web.feed import REST, PageClosed, answer_all
from arena.web.live import LiveMatch
from tests.structure import ROOT
from tests.support.tabs import Tabs

pytestmark = [pytest.mark.tool, pytest.mark.xdist_group("browser")]
SIMPLE = str(ROOT / "sample_bots" / "tncc" / "simple.py")
PLAY = (sys.executable, "-m", "arena", "play")
SURRENDERS = """
import pathlib, sys
for line in sys.stdin:
    if line.startswith("go"):
        print("surrender" if pathlib.Path({sign!r}).exists() else "No moves", flush=True)
"""
"""A bot that gives up once there is a file."""
WAIT = 60_000
"""Milliseconds: a busy machine."""


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


def last_round(page: Page) -> int:
    """The last round that a page knows."""
    return int((page.locator(".of").text_content() or "").split()[-1])


def test_it_is_followed_paused_and_kept(
    match: subprocess.Popen[str], sign: Path, tabs: Tabs
) -> None:
    page = tabs.open().page
    page.goto(address(match))
    pause = page.locator(".live-pause")
    pause.dispatch_event("click", timeout=WAIT)  # a click waits until nothing moves
    expect(pause).to_have_text("Resume the match")
    seen = [-1, last_round(page)]
    while seen[-1] > seen[-2] and len(seen) < 60:  # what was under way when it was clicked
        page.wait_for_timeout(1000)
        seen.append(last_round(page))
    sign.touch()
    page.wait_for_timeout(1000)
    assert last_round(page) == seen[-1]
    pause.dispatch_event("click")
    expect(pause).to_have_count(0, timeout=WAIT)
    expect(page.locator("h1 + .sub")).not_to_contain_text("not finished", timeout=WAIT)
    out, err = match.communicate(timeout=60)
    assert match.returncode == 0, err
    assert "hextrategic, seed 4" in out
    page.keyboard.press("End")  # the page stands alone now
    expect(page.locator(".headline")).to_be_visible()


def test_the_terminal_says_who_has_closed_a_page(tabs: Tabs) -> None:
    command = (*PLAY, "tncc", "human:Ann", SIMPLE, "--live")
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={"PATH": "/usr/bin"}
    ) as process:
        assert process.stderr is not None
        url = process.stderr.readline().split()[-1]
        page = tabs.open().page
        page.goto(url)
        expect(page.locator(".person-state")).to_contain_text("Your turn", timeout=WAIT)
        page.goto("about:blank")
        left = f"Ann has closed the page, and the match waits. It is opened again at {url}"
        assert left in process.stderr.readline()
        page.goto(url)
        assert "Ann is back" in process.stderr.readline()
        page.goto("about:blank")  # it would complain of the end
        process.kill()


def test_other_addresses_have_nothing(match: subprocess.Popen[str]) -> None:
    url = address(match)
    for wrong in (url[: url.index("/", 8) + 1], url[:-3] + "/", url + "feed"):
        with pytest.raises(urllib.error.HTTPError, match=r"40[045]|426"):
            urllib.request.urlopen(wrong, timeout=20)
