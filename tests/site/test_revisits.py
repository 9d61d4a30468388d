"""Pages with a policy of their own, opened again and again: browsers keep some of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from arena.league.league import League
from arena.site import settings, watching
from tests.site.browsing import served
from tests.site.test_watching import Running
from tests.support.firefox import Firefox
from tests.support.tabs import Tabs
from tests.support.tools import needs_tool

pytestmark = [pytest.mark.dear, pytest.mark.tool, pytest.mark.xdist_group("browser")]
VISITS = 3
BOARD = ".stage > *"


@pytest.fixture
def urls(league_file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A replay, and a match that is played now."""
    monkeypatch.setattr(watching, "has_judge", lambda folder: True)
    with League(league_file) as league:
        league.store.add_site()
        match = Running(league, 2)
        settings.change(league, None, settings.LIVE_DELAY, "0")
    match.begin()
    with served(league_file) as url:
        yield [f"{url}matches/2/replay", f"{url}matches/{match.number}/live"]


def test_in_chromium(urls: list[str], tabs: Tabs) -> None:
    page = tabs.open().page
    for url in urls:
        for _ in range(VISITS):
            page.goto("about:blank")
            page.goto(url)
            expect(page.locator(BOARD).first).to_be_visible()


def test_in_firefox(urls: list[str]) -> None:
    with Firefox(needs_tool("firefox-esr", "firefox-esr")) as firefox:
        for url in urls:
            for _ in range(VISITS):
                firefox.goto("about:blank")
                firefox.goto(url)
                firefox.wait(f"return document.querySelector({BOARD!r}) !== null")
