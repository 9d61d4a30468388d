"""The whole way of an author, an organiser and a visitor through a real site in real browsers: by
keys alone, without scripts, and in Firefox."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

import pytest
from msgspec import Struct
from playwright.sync_api import Error, Page

from arena.league.bots import hand_in
from arena.league.league import League
from arena.league.types import settle
from arena.site import deeds, moments
from arena.site.accounts import ORGANISER
from tests.league.making import passes
from tests.site.test_serve import PATIENCE, served
from tests.structure import ROOT
from tests.support.firefox import Firefox
from tests.support.tabs import Tabs, choose_by_arrows
from tests.support.tools import needs_tool

pytestmark = [pytest.mark.dear, pytest.mark.tool, pytest.mark.xdist_group("browser")]
SAMPLE = ROOT / "sample_bots" / "tncc" / "simple.py"
MENDED = """
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[65536];
    while (fgets(line, sizeof line, stdin))
        if (strncmp(line, "go", 2) == 0) { puts("No moves"); fflush(stdout); }
    return 0;
}
"""
BROKEN = MENDED.replace("return 0;", "return nought;")
REASON = "tea was spilt"


# -- how each of them uses a page ------------------------------------------------------------------


class Surfer(Protocol):
    """Somebody at a browser. Selectors are those of CSS."""

    scripts: bool

    def goto(self, url: str) -> None:
        """Open a page by its address."""

    def write(self, selector: str, text: str) -> None:
        """Fill a field, or choose the file of that path."""

    def choose(self, selector: str, label: str) -> None:
        """Choose from a list."""

    def press(self, selector: str) -> None:
        """Press a button or follow a link, and wait for the page."""

    def read(self) -> str:
        """The text of the page now; empty while another is loaded."""


class KeysAlone:
    """Chromium, with nothing but the keyboard."""

    scripts = True

    def __init__(self, page: Page) -> None:
        self._page = page
        # Playwright begins to listen without waiting for the browser: with no other listener,
        # 9 of 300 choosers opened before that and were missed.
        page.on("filechooser", lambda _: None)

    def goto(self, url: str) -> None:
        self._page.goto("about:blank")  # else an address with another # loads nothing
        self._page.goto(url)

    def _reach(self, selector: str) -> None:
        """Press Tab until the element has the focus, which must be seen then."""
        here = f"document.activeElement.matches({selector!r})"
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        for _ in range(150):
            if self._page.evaluate(here):
                assert self._page.evaluate(outline) != "none", selector
                return
            self._page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not come to {selector} on {self._page.url}")

    def write(self, selector: str, text: str) -> None:
        self._reach(selector)
        if self._page.evaluate("document.activeElement.type") == "file":
            with self._page.expect_file_chooser() as chosen:
                self._page.keyboard.press("Space")
            chosen.value.set_files(text)
            return
        self._page.keyboard.press("Control+A")
        self._page.keyboard.insert_text(text)

    def choose(self, selector: str, label: str) -> None:
        self._reach(selector)
        choose_by_arrows(self._page, label)

    def press(self, selector: str) -> None:
        self._reach(selector)
        if self._page.evaluate("document.activeElement.matches('summary')"):
            self._page.keyboard.press("Enter")
            return
        with self._page.expect_navigation():
            self._page.keyboard.press("Enter")

    def read(self) -> str:
        return text_of(self._page)


class WithoutScripts:
    """Chromium without JavaScript, by clicks."""

    scripts = False

    def __init__(self, page: Page) -> None:
        self._page = page

    def goto(self, url: str) -> None:
        self._page.goto(url)

    def write(self, selector: str, text: str) -> None:
        field = self._page.locator(selector)
        if field.get_attribute("type") == "file":
            field.set_input_files(text)
        else:
            field.fill(text)

    def choose(self, selector: str, label: str) -> None:
        self._page.locator(selector).select_option(label=label)

    def press(self, selector: str) -> None:
        target = self._page.locator(selector).first
        if target.evaluate("(node) => node.matches('summary')"):
            target.click()
            return
        with self._page.expect_navigation():
            target.click()

    def read(self) -> str:
        return text_of(self._page)


def text_of(page: Page) -> str:
    with suppress(Error):  # it loads itself again just now
        return page.locator("main").inner_text(timeout=2000)
    return ""


class InFirefox:
    """Firefox, by clicks."""

    scripts = True

    def __init__(self, firefox: Firefox) -> None:
        self._firefox = firefox

    def goto(self, url: str) -> None:
        self._firefox.goto("about:blank")
        self._firefox.goto(url)

    def write(self, selector: str, text: str) -> None:
        self._firefox.write(selector, text)

    def choose(self, selector: str, label: str) -> None:
        options = f"[...document.querySelectorAll({selector!r} + ' option')]"
        number = self._firefox.ask(
            f"return {options}.findIndex((one) => one.text.trim() === {label!r})"
        )
        assert number >= 0, label
        self._firefox.click(f"{selector} option:nth-child({number + 1})")

    def press(self, selector: str) -> None:
        self._firefox.click(selector)

    def read(self) -> str:
        with suppress(AssertionError):  # it loads itself again just now
            return str(self._firefox.ask("return document.querySelector('main').innerText"))
        return ""


@contextmanager
def surfer(kind: str, tabs: Tabs) -> Iterator[Surfer]:
    if kind == "firefox":
        with Firefox(needs_tool("firefox-esr", "firefox-esr")) as firefox:
            yield InFirefox(firefox)
        return
    tab = tabs.open(scripts=kind == "keys alone")
    yield KeysAlone(tab.page) if kind == "keys alone" else WithoutScripts(tab.page)
    tab.page.goto("about:blank")
    tabs.forgive("Password forms should have")
    tabs.forgive("Failed to load resource")  # pages that refuse something


# -- the site --------------------------------------------------------------------------------------


class Cup(Struct, frozen=True):
    """A site that runs, with its judge."""

    url: str
    file: Path

    def invitation(self, role: str) -> str:
        """The link of an invitation by the command line."""
        with League(self.file) as league:
            return f"{self.url}/join#{deeds.invite(league, None, role).secret}"


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cup]:
    """A league with two samples, whose matches are paused."""
    file = tmp_path_factory.mktemp("journey") / "cup.league"
    terms = settle("tncc", 2, {"sandbox": "auto", "settings": {"max_cycles": 2}})
    with League.begin(file, terms) as league:
        for name in ("anvil", "hammer"):
            hand_in(league, SAMPLE, name=name, test=passes)
        league.store.add_site()
        moments.begin(league, None, "pause", None, "not yet")
    with served(file, "--port", "0") as (_, url, _):
        yield Cup(f"{url}/cup", file)


# -- the way ---------------------------------------------------------------------------------------


class Walk:
    """What all three do, one after the other, at one browser."""

    def __init__(self, surfer: Surfer, cup: Cup, folder: Path) -> None:
        self.surfer, self.cup, self.folder = surfer, cup, folder

    def go(self, path: str) -> str:
        self.surfer.goto(f"{self.cup.url}/{path}")
        return self.until(bool)

    def until(self, holds: Callable[[str], bool], again: str | None = None) -> str:
        """Look until the page says it: it loads itself again, or is loaded by its path."""
        end, text = time.monotonic() + PATIENCE, ""
        while time.monotonic() < end:
            text = self.surfer.read() if again is None else self.go(again)
            if holds(text):
                return text
            time.sleep(0.3)
        raise AssertionError(text)

    def press(self, selector: str, says: str) -> str:
        self.surfer.press(selector)
        return self.until(lambda text: says in text)

    def send(self, form: str, says: str, **fields: str) -> str:
        """Fill a form of this page and send it. Returns the page after it."""
        at = f'form[action$="/{form}"]'
        for name, value in fields.items():
            if name in CHOICES:
                self.surfer.choose(f'{at} select[name="{name}"]', value)
            else:
                self.surfer.write(f'{at} input[name="{name}"]', value)
        return self.press(f"{at} button", says)

    def join(self, link: str, name: str) -> str:
        """From the invitation to the account. Returns the key."""
        self.surfer.goto(link)
        fields = {"name": name} if self.surfer.scripts else {"invitation": link, "name": name}
        key = self.send("join", "Keep it like", **fields).splitlines()
        kept = next(line for line in key if len(line) == 43)
        self.press("main a.button", "Upload a bot")
        return kept

    def sign_out(self) -> None:
        self.go("account")
        self.send("sign-out", "Take part")

    def sign_in(self, key: str) -> None:
        self.go("sign-in")
        self.send("sign-in", "Upload a bot", key=key)

    def upload(self, bot: str, file: str, code: str) -> str:
        """Upload a bot. Returns the report when it is over."""
        path = self.folder / file
        path.write_text(code)
        self.go("account")
        self.send("upload", bot, bot=bot, file=str(path))
        return self.until(lambda text: "Steps" in text)


CHOICES = ("kind", "role", "who")


@pytest.mark.parametrize("kind", ["keys alone", "without scripts", "firefox"])
def test_from_the_invitation_to_the_rank(kind: str, cup: Cup, tabs: Tabs, tmp_path: Path) -> None:
    with surfer(kind, tabs) as one:
        walk = Walk(one, cup, tmp_path)
        author, bot, olga = f"Nina, {kind}", f"nina {kind}", f"Olga, {kind}"
        organiser = walk.join(cup.invitation(ORGANISER), olga)
        link = invite(walk)
        walk.sign_out()
        key = walk.join(link, author)
        report = walk.upload(bot, "bot.c", BROKEN)
        assert "refused" in report
        assert "What the compiler said" in report
        assert "nought" in report
        assert "plays" in walk.upload(bot, "bot.c", MENDED)
        walk.sign_out()
        walk.sign_in(organiser)
        moment(walk, "go on with matches", "Matches: go on")
        walk.until(lambda text: rank_of(text, bot) is not None, "standings")
        moment(walk, "pause matches", "Matches: paused")
        appeals(walk)
        watched_by_a_visitor(walk, author, organiser)
        deadline_and_freeze(walk, bot, key, organiser)
        banned(walk, author, key, organiser)
        assert_logged(walk)


def rank_of(standings: str, bot: str) -> int | None:
    """The rank of a bot by the text of the page; None without one."""
    for line in standings.splitlines():
        words = line.split("\t")
        if len(words) > 1 and words[1].strip().startswith(bot):
            return int(words[0]) if words[0].strip().isdigit() else None
    return None


def invite(walk: Walk) -> str:
    """Invite an author, by the pages of organisers. Returns the link."""
    walk.go("organise/people")
    text = walk.send("organise/invitations", "Copy it now", role="author", uses="1")
    return next(line for line in text.splitlines() if "/join#" in line)


def moment(walk: Walk, what: str, says: str) -> None:
    walk.go("organise")
    walk.send("organise/moments", says, kind=what, reason=REASON)


def appeals(walk: Walk) -> None:
    """The evidence on a match, which is then played again."""
    with League(walk.cup.file) as league:
        (match,) = league.store.one("SELECT max(fixture) FROM valid") or ()
    walk.go("organise/matches")
    walk.surfer.write("#match", f"{match}")
    text = walk.press('form[method="get"] button', "Requests")
    assert "Charged" in text
    walk.send("organise/rematch", "Play a match again", reason=REASON)
    assert REASON in walk.go(f"matches/{match}")


def watched_by_a_visitor(walk: Walk, author: str, organiser: str) -> None:
    """Announcements, the table, a bot, its match and the replay, by who is not signed in."""
    walk.go("organise")
    walk.send("organise/announce", "Welcome all", text="Welcome all")
    walk.sign_out()
    assert "Welcome all" in walk.go("")
    walk.go("standings")
    walk.press("td a, th a", "Matches")
    walk.press('tbody th a[href*="/matches/"]', "Seed")
    if walk.surfer.scripts:  # the replay is a program
        walk.press('main a[href$="/replay"]', "Spectators")
    assert "Sign in" in walk.go("organise/log")
    assert author not in walk.go("standings")
    walk.sign_in(organiser)
    walk.go("organise")
    walk.send("end", "Organise")
    assert "Welcome all" not in walk.go("")


def deadline_and_freeze(walk: Walk, bot: str, key: str, organiser: str) -> None:
    """Neither is an upload taken after the deadline, nor does the table tell what came later."""
    moment(walk, "deadline: close uploads", "Uploads: closed since")
    moment(walk, "freeze the public table", "Table: frozen since")
    walk.sign_out()
    walk.sign_in(key)
    assert "Uploads are closed since" in walk.go("account")
    assert "frozen" in walk.go("standings")
    walk.sign_out()
    walk.sign_in(organiser)
    moment(walk, "open uploads", "Uploads: open")
    moment(walk, "thaw the public table", "Table: live")


def banned(walk: Walk, author: str, key: str, organiser: str) -> None:
    """Who is banned signs in no more."""
    with League(walk.cup.file) as league:
        (number,) = league.store.one("SELECT number FROM account WHERE name = ?", (author,)) or ()
    walk.go("organise/people")
    form = f"organise/people/{number}/role"
    walk.surfer.press(f'details:has(form[action$="/{form}"]) summary')
    walk.send(form, f"{author}, banned", role="ban and withdraw", reason=REASON)
    walk.sign_out()
    walk.go("sign-in")
    walk.send("sign-in", "This account is banned", key=key)
    walk.sign_in(organiser)


def assert_logged(walk: Walk) -> None:
    """What the organiser did is in the log, with its reasons."""
    text = walk.go("organise/log")
    for deed in (
        *("invited", "went on with matches", "paused matches", "annulled a match", "announced"),
        *("set the deadline", "froze the public table", "thawed", "banned", REASON),
    ):
        assert deed in text, deed
