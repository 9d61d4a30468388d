"""A live match in a real browser."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.structure import ROOT
from tests.support.tabs import Tabs
from tests.web.test_server import PLAY, address, match, sign

pytestmark = [pytest.mark.dear, pytest.mark.tool, pytest.mark.xdist_group("browser")]
__all__ = ["match", "sign"]
SIMPLE = str(ROOT / "sample_bots" / "tncc" / "simple.py")
WAIT = 60_000
"""Milliseconds: a busy machine."""


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
