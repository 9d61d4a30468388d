"""Pages in Chromium: by axe-core, with keys alone, narrow and wide, light and dark.

To have further pages looked at, add their paths to `PATHS` (what everybody sees) or to
`MEMBER_PATHS` (what an author of the fixture sees).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import (  # type: ignore[import-untyped]  # it has no types
    Axe,
)
from playwright.sync_api import Page, expect

from arena.league.league import League
from arena.site import accounts, deeds, live
from arena.site.pages import COOKIE
from tests.experiments.looks import paths
from tests.site.browsing import served
from tests.site.test_public import contest_once  # noqa: F401  # a fixture
from tests.support.tabs import Tabs, choose_by_arrows

pytestmark = pytest.mark.dear
PATHS = (
    *("", "standings", "now", "announcements", "rules", "protocol", "sign-in", "join"),
    *("bots/1", "bots/4?outcome=won", "bots/4/against/5", "matches/2", "matches/1"),
)
MEMBER_PATHS = ("account",)
EMPTY_PATHS = ("", "standings", "now", "announcements")
WIDTHS = (360, 1280)


@pytest.fixture(scope="module")
def url(contest_once: Path) -> Iterator[str]:  # noqa: F811  # the fixture
    with served(contest_once) as address:
        yield address


@pytest.fixture(autouse=True)
def _hints(tabs: Tabs) -> Iterator[None]:
    """What Chromium advises about the field for a key."""
    yield
    tabs.forgive("Password forms should have")


@pytest.fixture(autouse=True)
def _no_page_reloads_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine would still look at it, or be on the way to the next one."""
    monkeypatch.setattr(live, "LIVING", 10**6)


def shown(tabs: Tabs, url: str, member: str | None = None) -> Page:
    page = tabs.open().page
    if member is not None:
        page.context.add_cookies([{"name": COOKIE, "value": member, "url": url}])
    return page


def require_clean(page: Page, url: str, path: str, axe: Axe) -> None:
    """By axe-core, without sideways scroll, and with all that can be operated within reach of the
    key Tab."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        answer = page.goto(f"{url}{path}")
        assert answer is not None
        assert answer.status == 200, path
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{path} is {wide} px wide in a window of {width}"
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = axe.run(page)
        assert found.violations_count == 0, f"{path}, {scheme}: {found.generate_report()}"


def test_public_pages(tabs: Tabs, url: str) -> None:
    page, axe = shown(tabs, url), Axe()
    for path in PATHS:
        require_clean(page, url, path, axe)


def test_pages_of_a_member(tabs: Tabs, url: str, contest_once: Path) -> None:  # noqa: F811
    with League(contest_once) as league:
        invitation = deeds.invite(league, None, accounts.AUTHOR)
        _, key = accounts.accept(league, invitation.secret, "A" * 40)
        session = accounts.sign_in(league, key)
    page, axe = shown(tabs, url, session), Axe()
    for path in MEMBER_PATHS:
        require_clean(page, url, path, axe)


def test_every_route_is_known_to_the_program_that_looks_at_all() -> None:
    """A new kind of part of a path must be added to `tests.experiments.looks.PARTS`."""
    found = [*paths()]
    assert {"", "standings", "team/bots/1", "organise/matches/2", "matches/1/live"} <= {*found}


def test_empty_pages(tabs: Tabs, tmp_path: Path) -> None:
    from arena.league.types import settle

    path = tmp_path / "empty.league"
    with League.begin(path, settle("tiny", None, {"seed": "1", "sandbox": "off"})):
        pass
    with served(path) as url:
        page, axe = shown(tabs, url), Axe()
        for one in EMPTY_PATHS:
            require_clean(page, url, one, axe)


def test_keys_alone_reach_everything(tabs: Tabs, url: str) -> None:
    """Tab comes to each link, field and button of a page in turn, and each shows that it has the
    focus; Enter on the first goes to the content."""
    page = shown(tabs, url)
    for path in PATHS:
        page.goto(f"{url}{path}")
        count = page.evaluate(
            "[...document.querySelectorAll('a[href], button, summary, "
            'input:not([type=hidden]), select, [tabindex="0"]\')]'
            ".filter((node) => node.checkVisibility()).length"
        )
        reached = 0
        for _ in range(count + 1):
            page.keyboard.press("Tab")
            reached += page.evaluate(
                "(() => { const node = document.activeElement;"
                "if (node === document.body || node.dataset.seen) return 0;"
                "node.dataset.seen = '1';"
                "return getComputedStyle(node).outlineStyle === 'none' ? 0 : 1; })()"
            )
        assert reached == count, path
    page.goto(url)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_filters_by_keys(tabs: Tabs, url: str) -> None:
    """A filter works without scripts; the address of a filtered list can be sent to others."""
    page = shown(tabs, url)
    page.goto(f"{url}bots/2")
    page.get_by_label("Fault").focus()
    choose_by_arrows(page, "crashed")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**fault=crashed**")
    expect(page.get_by_label("Fault")).to_have_value("crashed")


def test_a_replay_plays_under_its_policy(tabs: Tabs, url: str) -> None:
    """It is shown, no policy is broken, and it can reach nothing: neither cookies nor the site."""
    page = shown(tabs, url)
    page.goto(f"{url}matches/2")
    page.get_by_role("link", name="Watch the replay").click()
    expect(page.locator(".viewer")).to_be_visible()
    assert page.evaluate("self.origin") == "null"
    tried = page.evaluate("fetch(location.href).then(() => 'read', () => 'refused')")
    assert tried == "refused"
    tabs.forgive("violates the following")
    tabs.forgive("Refused to connect")
