"""People who play on a real site in a real browser: by clicks and keys, and when it is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from arena.cli.main import run
from arena.league.league import League
from arena.record.reader import Match
from arena.record.verify import verify
from arena.site import boards
from tests.site.test_serve import PATIENCE, served
from tests.structure import ROOT
from tests.support.tabs import Tabs, asked, resize

pytestmark = [pytest.mark.dear, pytest.mark.tool, pytest.mark.xdist_group("browser")]
SAMPLE = ROOT / "sample_bots" / "tncc" / "simple.py"
WAIT = PATIENCE * 1000
WIDTHS = (1280, 360)


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """A league with a sample bot."""
    path = tmp_path / "cup.league"
    options = ["--game", "tncc", "--sandbox", "auto", "--set", "max_cycles=2"]
    assert run(["league", "new", str(path), *options]) == 0
    assert run(["league", "add", str(path), str(SAMPLE)]) == 0
    return path


def holds(page: Page, name: str, shown: Locator) -> None:
    """The page that shows this is not wider than the window; a picture of it for people."""
    expect(shown).to_be_visible(timeout=WAIT)
    assert asked(shown, "() => document.documentElement.scrollWidth - innerWidth") <= 0, name
    if folder := os.environ.get("ARENA_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"people-{name}-{page.viewport_size['width']}.png")  # type: ignore[index]


def join_as(page: Page, link: str, name: str) -> None:
    page.goto(link)
    page.get_by_label("Name").last.fill(name)
    page.locator("main form button").click()
    expect(page.locator(".secret")).to_be_visible()


def play_to_the_end(page: Page) -> int:
    """The first answer by clicks, the others by keys. Returns how many there were."""
    held, field = page.locator(".person-orders li"), page.get_by_label("Your answer")
    page.locator(".person-choice").get_by_role("button", name="Wait").click()
    expect(held).to_have_count(1, timeout=WAIT)
    page.locator(".person-give").click()
    expect(held).to_have_count(0, timeout=WAIT)
    rounds = 1
    while True:
        expect(page.locator(".person.is-asked, .person.is-over")).to_be_visible(timeout=WAIT)
        if page.locator(".person.is-over").count():
            return rounds
        field.fill("No moves")
        field.press("Enter")
        expect(page.locator(".person-problems li")).to_have_count(0)
        expect(field).to_have_value("", timeout=WAIT)
        rounds += 1


def test_by_clicks_and_keys_to_the_replay_and_over_a_kill(cup: Path, tabs: Tabs) -> None:
    tab = tabs.open()
    page, tab.spent = tab.page, True
    with served(cup, "--no-judge") as (process, url, _):
        assert process.stdout is not None
        join_as(page, process.stdout.readline().split()[-1], "Ann")
        page.get_by_role("link", name="Play", exact=True).click()
        holds(page, "begin", page.get_by_role("button", name="Begin"))
        page.get_by_label("Against").select_option(index=0)
        page.get_by_role("button", name="Begin").press("Enter")
        holds(page, "match", page.get_by_role("link", name="Open the board"))
        page.get_by_role("link", name="Open the board").click()
        state = page.locator(".person-state")
        expect(state).to_contain_text("Your turn", timeout=WAIT)
        for width in WIDTHS:
            resize(page, width, 800)
            holds(page, "board", state)
        rounds = play_to_the_end(page)
        page.get_by_role("link", name="The page of this match").click()
        replay = page.get_by_role("link", name="Watch the replay")
        for width in WIDTHS:
            resize(page, width, 800)
            holds(page, "over", replay)
        replay.click()
        expect(page.locator(".viewer")).to_be_visible(timeout=WAIT)
        with League(cup) as league:
            record = boards.record_of(league.folder, 1)
        assert verify(record).ok
        assert len([*Match.read(record).answers(0)]) == rounds
        page.goto(f"{url}/cup/play")
        page.get_by_role("button", name="Begin").click()
        page.get_by_role("link", name="Open the board").click(timeout=WAIT)
        expect(state).to_contain_text("Your turn", timeout=WAIT)
        process.send_signal(signal.SIGKILL)
        expect(state).to_contain_text("The connection has ended", timeout=WAIT)
    page.goto("about:blank")
    tabs.forgive("WebSocket connection to")
    cookies = page.context.cookies()
    with served(cup, "--no-judge") as (_, url, _):
        page.context.add_cookies(cookies)  # type: ignore[arg-type]  # typed in two ways
        page.goto(f"{url}/cup/play/2")
        problem = page.locator(".problem")
        expect(problem).to_contain_text("started anew")
        for width in WIDTHS:
            resize(page, width, 800)
            holds(page, "stopped", problem)
    assert run(["verify", str(cup)]) == 0
