"""People who play all five games on a site at `strict`, in Chromium: against bots, by keys and
clicks; against each other by a link; and who leaves and comes back."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from arena.core.registry import GAMES
from arena.league.bots import hand_in
from arena.league.league import League
from arena.league.types import settle
from arena.record.format import RecordConditions
from arena.record.reader import Match
from arena.record.verify import verify
from arena.sandbox.levels import Level
from arena.site import accounts, boards, deeds
from arena.site.pages import COOKIE
from tests.league.making import passes
from tests.site.test_serve import PATIENCE, served
from tests.structure import ROOT
from tests.support.tabs import Tabs, resize

pytestmark = [pytest.mark.dear, pytest.mark.tool, pytest.mark.xdist_group("browser")]
WAIT = PATIENCE * 1000
SHORT: dict[str, dict[str, Any]] = {
    "warlight": {"max_rounds": 2, "min_picks": 4, "pick_drop": 1000},
    "toroid": {"normal_game_turn_per_player": 2},
    "hextrategic": {"max_rounds": 3},
    "tncc": {"max_cycles": 2},
    "codecharacter": {"num_turns": 3},
}
"""Settings of matches that are over after some answers."""


@pytest.fixture(scope="module")
def leagues(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A league of each game, at `strict`, with its simplest bot."""
    folder, found = tmp_path_factory.mktemp("games"), {}
    for name in GAMES:
        found[name] = path = folder / f"{name}.league"
        terms = settle(name, 2, {"seed": "1", "sandbox": "strict", "settings": SHORT[name]})
        with League.begin(path, terms) as league:
            hand_in(league, ROOT / "sample_bots" / name / "simple.py", name="simple", test=passes)
            league.store.add_site()
            for who in ("Ann", "Bob"):
                accounts.accept(league, deeds.invite(league, None, "author").secret, who)
    return found


@pytest.fixture(scope="module")
def site(leagues: dict[str, Path]) -> Iterator[str]:
    """One site of all."""
    first, *others = leagues.values()
    with served(first, *map(str, others), "--no-judge", name="warlight") as (_, url, _):
        yield url


def signed_in(page: Page, site: str, league: Path, account: int) -> str:
    """The address of the contest, for a page that is signed in there."""
    with League(league) as opened:
        session = accounts.begin_session(opened, account)
    url = f"{site}/{league.stem}"
    page.context.add_cookies([{"name": COOKIE, "value": session, "url": url}])
    return url


def begin(page: Page, url: str, rival: str = "simple", seconds: str = "1 minute") -> str:
    """Begin a match by keys. Returns its address."""
    page.goto(f"{url}/play")
    page.get_by_label("Against").select_option(label=rival)
    page.get_by_label("Time for each").select_option(label=seconds)
    page.get_by_role("button", name="Begin").press("Enter")
    page.wait_for_url("**/play/*")
    return page.url


def open_board(page: Page) -> None:
    page.get_by_role("link", name="Open the board").click(timeout=WAIT)
    expect(page.locator("#page > *").first).to_be_visible(timeout=WAIT)


def is_over(page: Page) -> bool:
    """Wait until it is the person's turn, or the match is over."""
    expect(page.locator(".person.is-asked, .person.is-over")).to_be_visible(timeout=WAIT)
    return page.locator(".person.is-over").count() > 0


def answer(page: Page, number: int) -> None:
    """Answer a request: by clicks and by keys in turns, with what the help offers."""
    field = page.get_by_label("Your answer")
    if number % 2:
        page.get_by_role("button", name="Help with orders").click()
        page.locator(".example").first.click()
        page.locator(".person-give").click()
    else:
        page.locator("body").press("h")
        page.locator(".example").last.press("Enter")
        field.press("Enter")
    expect(field).to_have_value("", timeout=WAIT)
    expect(page.locator(".person-problems li")).to_have_count(0)


def play(page: Page) -> int:
    """Play to the end. Returns the number of answers."""
    number = 0
    while not is_over(page):
        answer(page, number)
        number += 1
        assert number < 200
    return number


@pytest.mark.parametrize("game", GAMES)
def test_a_person_plays_a_bot(game: str, site: str, leagues: dict[str, Path], tabs: Tabs) -> None:
    page = tabs.open().page
    url = signed_in(page, site, leagues[game], 1)
    address = begin(page, url)
    open_board(page)
    if game == "toroid":  # a page that is loaded again goes on with the same request
        assert not is_over(page)
        page.reload()
    answers = play(page)
    last = page.locator(".round-box .of").inner_text()
    for width in (1280, 360):
        resize(page, width, 800)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        if folder := os.environ.get("ARENA_SCREENSHOTS"):
            page.screenshot(path=Path(folder) / f"board-{game}-{width}.png")
    page.get_by_role("link", name="The page of this match").click()
    expect(page.get_by_text("Watch the replay")).to_be_visible(timeout=WAIT)
    with League(leagues[game]) as league:
        record = boards.record_of(league.folder, int(address.rpartition("/")[2]))
        assert verify(record).ok
        match = Match.read(record)
        assert len([*match.answers(0)]) >= answers > 0
        assert league.count("result") == 0
    assert last == f"of {match.frames[-1]['round']}"
    [means] = [one.means for one in match.records if isinstance(one, RecordConditions)]
    assert means.sandbox in (Level.SANDBOX, Level.CGROUP)
    page.goto("about:blank")
    tabs.forgive("WebSocket connection to")


def test_two_people_by_a_link_and_one_leaves(
    site: str, leagues: dict[str, Path], tabs: Tabs
) -> None:
    """Ann invites Bob, with six hours for each answer; Bob closes his page and comes back."""
    ann, bob = tabs.open().page, tabs.open().page
    url = signed_in(ann, site, leagues["hextrategic"], 1)
    signed_in(bob, site, leagues["hextrategic"], 2)
    address = begin(ann, url, "somebody whom I invite by a link", "6 hours")
    ann.get_by_role("button", name="Make a link").click()
    link = ann.locator(".secret").inner_text()
    bob.goto(link)
    bob.locator("main form button").click()
    bob.wait_for_url("**/play/*")
    ann.goto(address)
    for page in (ann, bob):
        open_board(page)
    answers = {ann: 1, bob: 0}
    assert not is_over(bob)
    board = bob.url
    bob.goto("about:blank")
    assert not is_over(ann)
    answer(ann, 0)
    state = ann.locator(".person-state")
    expect(state).to_contain_text("No page is open for Bob", timeout=WAIT)
    bob.goto(board)
    over = ".person.is-over"
    while not all(page.locator(over).count() for page in (ann, bob)):
        waiting = [page for page in (ann, bob) if page.locator(".person.is-asked").count()]
        for page in waiting:
            answer(page, answers[page])
            answers[page] += 1
        if not waiting:
            ann.wait_for_timeout(100)
    assert all(answers.values())
    for page in (ann, bob):
        page.goto("about:blank")
    tabs.forgive("WebSocket connection to")


def test_who_leaves_for_good_gives_up(site: str, leagues: dict[str, Path], tabs: Tabs) -> None:
    page = tabs.open().page
    url = signed_in(page, site, leagues["warlight"], 2)
    address = begin(page, url)
    open_board(page)
    assert not is_over(page)
    leaving = re.compile("^(Surrender|Leave)$")
    page.locator(".person").get_by_role("button", name=leaving).click()
    page.locator("dialog").get_by_role("button", name=leaving).click()
    expect(page.locator(".person.is-over")).to_be_visible(timeout=WAIT)
    page.goto(address)
    expect(page.get_by_text("Watch the replay")).to_be_visible(timeout=WAIT)
    tabs.forgive("WebSocket connection to")
