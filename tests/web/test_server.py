"""A live match in a real browser."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.structure import ROOT
from tests.tabs import Tabs

pytestmark = [pytest.mark.tool, pytest.mark.xdist_group("browser")]
SIMPLE = str(ROOT / "sample_bots" / "hextrategic" / "simple.py")
PLAY = (sys.executable, "-m", "arena", "play", "hextrategic", SIMPLE, SIMPLE, "--live")
WAIT = 60_000
"""Milliseconds: a busy machine."""


@pytest.fixture
def match() -> Iterator[subprocess.Popen[str]]:
    command = [*PLAY, "--seed", "4", "--set", "max_rounds=60", "--set", "radius=2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={"PATH": "/usr/bin"}
    ) as process:
        yield process
        process.kill()


def address(match: subprocess.Popen[str]) -> str:
    assert match.stderr is not None
    line = match.stderr.readline()
    found = re.search(r"opened: (http://127\.0\.0\.1:\d+/[\w-]{20,}/)$", line)
    assert found, line
    return found[1]


def test_it_is_followed_paused_and_kept(match: subprocess.Popen[str], tabs: Tabs) -> None:
    page = tabs.open().page
    page.goto(address(match))
    pause = page.locator(".live-pause")
    pause.dispatch_event("click", timeout=WAIT)  # a click waits until nothing moves
    expect(pause).to_have_text("Let the match go on")
    page.wait_for_timeout(1000)  # what was under way when it was clicked
    last = page.locator(".of").text_content()
    page.wait_for_timeout(1000)
    assert page.locator(".of").text_content() == last
    pause.dispatch_event("click")
    expect(pause).to_have_count(0, timeout=WAIT)
    expect(page.locator("h1 + .sub")).not_to_contain_text("not finished", timeout=WAIT)
    out, err = match.communicate(timeout=60)
    assert match.returncode == 0, err
    assert "hextrategic, seed 4" in out
    page.keyboard.press("End")  # the page stands alone now
    expect(page.locator(".headline")).to_be_visible()


def test_other_addresses_have_nothing(match: subprocess.Popen[str]) -> None:
    url = address(match)
    for wrong in (url[: url.index("/", 8) + 1], url[:-3] + "/", url + "feed"):
        with pytest.raises(urllib.error.HTTPError, match=r"40[045]|426"):
            urllib.request.urlopen(wrong, timeout=20)
