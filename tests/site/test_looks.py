"""Pages in Chromium: by axe-core, with keys alone, narrow and wide, light and dark.

The pages are those of the routes: see `tests.looks`, which also makes pictures of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests import looks
from tests.looks import FORMS, LIGHTS, looked_at, make_world, paths
from tests.site.browsing import served
from tests.site.test_public import contest_once  # noqa: F401  # a fixture
from tests.support.tabs import Tabs

pytestmark = pytest.mark.dear


@pytest.fixture(scope="module")
def url(contest_once: Path) -> Iterator[str]:  # noqa: F811  # the fixture
    with served(contest_once) as address:
        yield address


@pytest.fixture(autouse=True)
def _hints(tabs: Tabs) -> Iterator[None]:
    """What Chromium advises about the field for a key."""
    yield
    tabs.forgive("Password forms should have")


@pytest.mark.parametrize("name", ["long", "empty"])
def test_every_page(name: str, tabs: Tabs, tmp_path: Path) -> None:
    """Each in one of two ways: narrow and dark, wide and light. Names have 64 characters."""
    browser = tabs.open().page.context.browser
    assert browser is not None
    wrong, world = [], make_world(name, tmp_path)
    with looks.templates_shown() as seen, looked_at(world, browser, None, ()) as looker:
        for number, path in enumerate(paths()):
            looker.looks = LIGHTS[name][number % 2 :][:1]
            wrong += looker.look(path)
        for number, form in enumerate(FORMS if name == "long" else ()):
            looker.looks = LIGHTS[name][number % 2 :][:1]
            wrong += looker.send(form)
        looker.close()
    assert wrong == []
    assert name == "empty" or looks.templates_without_page(seen) == []


def test_the_first_key_leads_to_the_content(tabs: Tabs, url: str) -> None:
    page = tabs.open().page
    page.goto(url)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_filters_by_keys(tabs: Tabs, url: str) -> None:
    """A filter works without scripts; the address of a filtered list can be sent to others."""
    page = tabs.open().page
    page.goto(f"{url}bots/2")
    page.get_by_label("Fault").focus()
    page.keyboard.type("crashed")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**fault=crashed**")
    expect(page.get_by_label("Fault")).to_have_value("crashed")


def test_a_replay_plays_under_its_policy(tabs: Tabs, url: str) -> None:
    """It is shown, no policy is broken, and it can reach nothing: neither cookies nor the site."""
    page = tabs.open().page
    page.goto(f"{url}matches/2")
    page.get_by_role("link", name="Watch the replay").click()
    expect(page.locator(".viewer")).to_be_visible()
    assert page.evaluate("self.origin") == "null"
    tried = page.evaluate("fetch(location.href).then(() => 'read', () => 'refused')")
    assert tried == "refused"
    tabs.forgive("violates the following")
    tabs.forgive("Refused to connect")
