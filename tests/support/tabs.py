"""Browser tabs that tests use one after the other.

The first page of a new tab takes four times as much CPU time as that of a used one. A tab looks new
to each test. It collects errors, which are checked at the end of each test.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

WIDTH, HEIGHT = 1280, 800
PATIENCE_MS = 60_000
"""Timeout in milliseconds, for a busy machine."""
EVENTS = ("console", "pageerror", "dialog")
CLEAR = "() => { try { localStorage.clear(); } catch {} }"
"""Clears local storage, which a browser's own pages (such as error pages) lack."""


PAGE_LEFT = re.compile("context was destroyed|Cannot find context")
"""What Playwright says when a page is left while a script runs in it."""


def asked(shown: Locator, script: str) -> Any:
    """What a script says of the page that shows this, once it does.

    `Page.evaluate` asks whatever page is there: after a click still the old one, or a new one that
    has no content yet. A page that loads itself again in the middle of it is asked once more."""
    from playwright.sync_api import Error

    while True:
        shown.wait_for()
        try:
            return shown.evaluate(script)
        except Error as error:
            if not PAGE_LEFT.search(error.message):
                raise


DRAWN = """([width, height]) => {
    if (width !== null && (innerWidth !== width || innerHeight !== height)) return false;
    const frame = () => new Promise(requestAnimationFrame);
    return frame().then(frame).then(() => true);
}"""


def drawn(page: Page, width: int | None = None, height: int | None = None) -> None:
    """Wait until the browser has drawn what is there: boards and charts take their size in the
    frame after the one in which they are there, or in which the window has another size."""
    page.wait_for_function(DRAWN, arg=[width, height])


def resize(page: Page, width: int, height: int) -> None:
    """Give the window another size, and wait until the page is drawn in it."""
    page.set_viewport_size({"width": width, "height": height})
    drawn(page, width, height)


CHOSEN = """() => { const { options, selectedIndex } = document.activeElement;
    return [options[selectedIndex].text.trim(), options.length]; }"""


def choose_by_arrows(page: Page, label: str) -> None:
    """Choose from the list that has the focus. (Who types a label has a second for each letter.)"""
    page.keyboard.press("Home")
    chosen, count = page.evaluate(CHOSEN)
    for _ in range(count):
        if chosen == label:
            return
        page.keyboard.press("ArrowDown")
        chosen, _ = page.evaluate(CHOSEN)
    raise AssertionError(f"{label} cannot be chosen")


class Tab:
    """A page with its console output, errors and dialogs, all of which must stay empty."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.trouble: list[str] = []
        self.spent = False
        """Whether the tab cannot be reused, because something in it cannot be undone."""

    def note(self, found: object) -> None:
        """Record something that went wrong."""
        text = getattr(found, "text", None) or getattr(found, "message", None)
        self.trouble.append(str(text or found))


class Tabs:
    """The tabs of a browser: the free ones, and those that the current test has open."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: list[Page] = []
        self._open: list[Tab] = []

    def open(self, *, scripts: bool = True) -> Tab:
        """Open a tab that looks new, without animations. One without JavaScript is not used
        again."""
        page = self._free.pop() if self._free and scripts else self._make(scripts)
        page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        tab = Tab(page)
        tab.spent = not scripts
        for event in EVENTS:
            page.on(event, tab.note)  # type: ignore[call-overload]  # each has another argument
        self._open.append(tab)
        return tab

    def _make(self, scripts: bool) -> Page:
        page = self._browser.new_context(java_script_enabled=scripts).new_page()
        page.set_default_timeout(PATIENCE_MS)
        return page

    def forgive(self, trouble: str) -> None:
        """Ignore expected trouble."""
        for tab in self._open:
            tab.trouble = [text for text in tab.trouble if trouble not in text]

    def close(self) -> None:
        """End a test. Fails if one of its tabs had trouble; such a tab is not reused."""
        tabs, self._open = self._open, []
        for tab in tabs:
            if tab.trouble or tab.spent:
                tab.page.context.close()
            else:
                self._clear(tab)
        assert [tab.trouble for tab in tabs if tab.trouble] == []

    def _clear(self, tab: Tab) -> None:
        page = tab.page
        page.evaluate(CLEAR)
        page.goto("about:blank")
        page.unroute_all()
        page.context.clear_permissions()
        page.context.clear_cookies()
        for event in EVENTS:
            page.remove_listener(event, tab.note)
        if not tab.trouble:
            self._free.append(page)
