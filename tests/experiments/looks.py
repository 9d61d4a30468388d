"""Pictures of all pages of a site, and what is wrong with them:
``python -m tests.experiments.looks FOLDER [WORLD…] [--all]``.

Three worlds are looked at: ``empty`` (a contest without bots), ``full`` (bots, teams, uploads,
scrimmages, finals, people who play), and ``long`` (the same with names of 64 characters without a
space). The pages are those of the routes, so that a new page is looked at too; a route whose path
has a new kind of part fails until `PARTS` says what stands there. Each is looked at by the first of
visitor, author and owner who may see it, at 360 and 1,280 px, light and dark: in both schemes at
both widths with ``--all``, else in one each, which differ from world to world. With ``--pages A,B``
only those whose paths contain A or B are looked at.

The pictures are ``FOLDER/WORLD/PAGE-WIDTH-SCHEME.png``. What is wrong is printed: violations by
axe-core, sideways scroll, what is cut off, and what shows no focus. It needs Chromium.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import product
from pathlib import Path

from axe_playwright_python.sync_playwright import (  # type: ignore[import-untyped]  # it has no types
    Axe,
)
from msgspec import Struct
from msgspec.structs import replace
from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright
from starlette.routing import Route

from arena.api.inside import play_spec
from arena.bots.intake import TakenIn
from arena.league.bots import LeagueBots, hand_in
from arena.league.league import League
from arena.league.plan import Meetings
from arena.league.types import LeaguePlayer, LeagueTerms, settle
from arena.site import (
    account,
    accounts,
    author,
    boards,
    deeds,
    live,
    moments,
    people,
    scrimmages,
    teams,
    uploads,
)
from arena.site.app import FILES
from arena.site.pages import COOKIE, TEMPLATES
from arena.trial.diagnosis import Cause
from arena.trial.report import Amount, CheckStep, SubmissionReport
from tests.league.conftest import tiny_known
from tests.league.making import ANSWERS, CRASHES, lay_out, passes, play
from tests.site.browsing import served

WIDTHS, SCHEMES = (360, 1280), ("light", "dark")
LIGHTS = {
    "empty": ((360, "light"), (1280, "dark")),
    "full": ((360, "light"), (1280, "dark")),
    "long": ((360, "dark"), (1280, "light")),
}
"""Without ``--all``."""
HEIGHT = 800
PATIENCE_MS = 120_000
"""Timeout in milliseconds, for a busy machine."""
LATER = 9999
LONGEST = accounts.NAME


# -- the worlds ------------------------------------------------------------------------------------


class World(Struct, frozen=True):
    """A league, and who looks at it."""

    file: Path
    sessions: dict[str, str]
    """Of an author and an owner, by role; a visitor has none."""
    secrets: dict[str, str]
    """What forms ask for that only this world has."""


def plain(name: str) -> str:
    """A name as people choose it."""
    return name


def lengthy(name: str) -> str:
    """The longest name that is allowed, without a place to break it."""
    return f"{name.replace(' ', '')}{'W' * LONGEST}"[:LONGEST]


def make_world(name: str, folder: Path) -> World:
    """The world of that name, in a folder of its own."""
    if name == "empty":
        return empty_world(folder / "spring cup.league")
    return full_world(folder / "spring cup.league", lengthy if name == "long" else plain)


def empty_world(path: Path) -> World:
    """A contest without bots; its owner and an author have joined."""
    with League.begin(path, settle("tiny", None, {"seed": "1", "sandbox": "off"})) as league:
        league.store.add_site()
        sessions = {
            role: signed_in(league, joined(league, name, role))
            for name, role in (("Olga", accounts.OWNER), ("Nina", accounts.AUTHOR))
        }
    return World(path, sessions, {"invitation": "none"})


def joined(league: League, name: str, role: str) -> accounts.Participant:
    """A new account."""
    return accounts.accept(league, deeds.invite(league, None, role).secret, name)[0]


def signed_in(league: League, who: accounts.Participant) -> str:
    return accounts.begin_session(league, who.number)


def full_world(path: Path, name: Callable[[str], str]) -> World:
    """A contest in which everything has happened."""
    with League.begin(path, settle("tiny", None, {"seed": "1", "sandbox": "off"})) as league:
        league.store.add_site()
        olga = joined(league, name("Olga"), accounts.OWNER)
        nina = joined(league, name("Nina"), accounts.AUTHOR)
        tom = joined(league, name("Tom"), accounts.AUTHOR)
        with league.store.changing() as change:
            for bot in ("anvil", "bellows", "chisel"):
                change.add("owner", bot=name(bot), team=nina.team)
            change.add("owner", bot=name("drill"), team=tom.team)
        bots = {"anvil": "1", "bellows": "2", "chisel": CRASHES, "drill": "3"}
        for bot, code in bots.items():
            upload(league, tom if bot == "drill" else nina, name(bot), code, passed)
        secrets = done(league, name, olga, nina, tom)
        sessions = {"owner": signed_in(league, olga), "author": signed_in(league, nina)}
    return World(path, sessions, secrets)


def upload(
    league: League,
    who: accounts.Participant,
    bot: str,
    code: str,
    test: Callable[[LeagueTerms, TakenIn | Path], SubmissionReport],
) -> int:
    """An upload and its report, without the process that examines."""
    source = ANSWERS.format(answer=code) if len(code) < 9 else code
    number = uploads.receive(league, who, bot, f"{bot}.zip", BytesIO(source.encode()))
    place = lay_out(league.folder.path / "sources", f"{number}", source)
    hand_in(_Ending(league.path, number), place, name=bot, test=test)
    return number


class _Ending(League):
    """A league in which a submission ends an upload, as the examiner has it."""

    def __init__(self, path: Path, upload: int) -> None:
        super().__init__(path)
        self._upload = upload

    def submit(self, player: LeaguePlayer, report: SubmissionReport) -> None:
        with self.store.changing() as change:
            number = self.add_submission(change, player, report)
            change.add("outcome", upload=self._upload, submission=number, problem="")


def passed(terms: LeagueTerms, bot: TakenIn | Path) -> SubmissionReport:
    steps = [CheckStep("builds and starts", True, "anvil"), CheckStep("answers", True, "5 of 5")]
    limits = [Amount("time bank", 12.5, 10_000, "ms"), Amount("memory", 9.5, 512, "MiB")]
    return replace(passes(terms, bot), steps=steps, limits=limits, stderr="ready\n" + "w" * 300)


def failed(terms: LeagueTerms, bot: TakenIn | Path) -> SubmissionReport:
    said = f"bot.c:7:12: error: use of undeclared identifier '{'nought' * 40}'\n" * 9
    cause = Cause("build", "It does not build.", "Read what the compiler said below.")
    steps = [CheckStep("builds and starts", False, "gcc ended with 1")]
    return replace(passes(terms, bot), ok=False, steps=steps, cause=cause, compiler=said)


def done(
    league: League,
    name: Callable[[str], str],
    olga: accounts.Participant,
    nina: accounts.Participant,
    tom: accounts.Participant,
) -> dict[str, str]:
    """All that can happen in a contest."""
    play(league, Meetings(2))
    league.annul([1], f"a rival was paused {name('')}")
    upload(league, nina, name("anvil"), "4", passed)
    upload(league, nina, name("anvil"), "5", failed)
    uploads.end(league, waits(league, nina, name("bellows")), "the archive cannot be read")
    waits(league, nina, name("chisel"))
    teams.invite(league, nina)
    accounts.accept(league, teams.invite(league, nina).secret, name("Ute"))
    accounts.add_token(league, nina.number, accounts.READ, name("chart"), 30)
    deeds.announce(league, olga.number, f"Welcome all {name('')} {'and more ' * 40}")
    deeds.invite(league, olga.number, accounts.AUTHOR, uses=30, team=nina.team)
    deeds.open_registration(league, olga.number)
    moments.begin(league, olga.number, "close", next_year(), f"the end {name('')}")
    made = [moments.declare_final(league, olga.number, None, 1, "the end") for _ in range(2)]
    own = scrimmages.own_versions(league, nina.team)[0].submission
    for _ in range(2):
        scrimmages.ask(league, nina, own, [name("drill")], 1)
    unranked = scrimmages.Scrimmages(league, print)
    waiting = unranked.next(LeagueBots(league))
    assert waiting is not None
    unranked.end(waiting[0], play_spec(waiting[1]))
    sits = {one.number: boards.Sitter(one.name, one.number) for one in (nina, tom)}
    numbers = [boards.begin(league, sits[nina.number], 0, [rival], 3600) for rival in ("", "")]
    link = boards.invite(league, sits[nina.number], numbers[1])
    boards.join(league, link, sits[tom.number])
    boards.end(league, numbers[1], problem=boards.FAILED)
    draft = league.folder.draft(league.store.one("SELECT max(number) FROM fixture")[0])  # type: ignore[index]
    draft.parent.mkdir(exist_ok=True)
    return {
        "final": made[1].seed,
        "invitation": deeds.invite(league, None, accounts.AUTHOR).secret,
        "people": boards.invite(league, sits[nina.number], numbers[0]),
    }


def next_year() -> str:
    return f"{datetime.now(UTC) + timedelta(days=365):%Y-%m-%d %H:%M}"


def waits(league: League, who: accounts.Participant, bot: str) -> int:
    return uploads.receive(league, who, bot, f"{bot}.zip", BytesIO(bot.encode()))


# -- the pages -------------------------------------------------------------------------------------

PARTS = {
    "kits/{name}": ("python.zip",),
    "samples/{name}": ("simple.py",),
    "bots/{bot}": ("1", "3"),
    "against/{rival}": ("2",),
    "matches/{match}": ("1", "2"),
    "tokens/{token}": ("1",),
    "uploads/{upload}": ("1", "6", "7", "8"),
    "invitations/{invitation}": ("1",),
    "invitations/{number}": ("1",),
    "scrimmages/{scrimmage}": ("1", "2"),
    "announcements/{number}": ("1",),
    "people/{account}": ("1",),
    "finals/{number}": ("1",),
    "play/{number}": ("1", "2"),
    "copies/{first}": ("1",),
    "beside/{second}": ("2",),
}
"""What can stand in the parts of paths, in the full world."""
ROLES, PLAYERS = ("visitor", "author", "owner"), ("author", "owner")
"""Who looks, in this order; visitors are only asked to sign in where people play."""


def paths() -> Iterator[str]:
    """The paths of all pages. Raises KeyError for a part that `PARTS` lacks."""
    for file in FILES:
        for route in file:
            if isinstance(route, Route) and "GET" in (route.methods or ()):
                path = route.path.removeprefix("/{contest}/")
                if not path.startswith("api/"):
                    yield from filled(path)


def filled(path: str) -> Iterator[str]:
    """A path with all that can stand in its parts."""
    found = re.search(r"[a-z-]+/\{[a-z]+\}", path)
    if found is None:
        yield path
        return
    before = found[0].partition("{")[0]
    for value in PARTS[found[0]]:
        yield from filled(path.replace(found[0], before + value, 1))


FORMS: dict[str, tuple[str, str, dict[str, str]]] = {
    "join-refused": ("visitor", "join", {"#invitation": "none", "#name": "Vera"}),
    "sign-in-refused": ("visitor", "sign-in", {"#key": "none"}),
    "key": ("visitor", "join", {"#invitation": "{invitation}", "#name": "Vera"}),
    "invitation": ("author", "team", {}),
    "people-link": ("author", "play/1", {}),
    "organise-secret": ("owner", "organise/people", {}),
    "refused": ("owner", "organise/matches", {"#again": "999", "#again-reason": "tea"}),
    "compare": ("author", "team/bots/1", {}),
}
"""Pages that a form leads to: who sends it, on which page, and what is written into it."""
BUTTONS = {
    "invitation": 'form[action$="/team/invitations"] button',
    "people-link": 'form[action$="/link"] button',
    "organise-secret": 'form[action$="/organise/invitations"] button',
    "refused": 'form[action$="/rematch"] button',
    "compare": 'form[action$="/compare"] button',
}


class Looker:
    """Looks at pages of one world."""

    def __init__(
        self,
        browser: Browser,
        world: World,
        url: str,
        folder: Path | None,
        looks: Sequence[tuple[int, str]],
    ) -> None:
        """Pictures go into `folder`, if there is one."""
        self._world, self._url, self._folder = world, url, folder
        self.looks = looks
        """Widths and schemes."""
        self._contexts: dict[str, BrowserContext] = {}
        for role in ROLES:
            context = self._contexts[role] = browser.new_context(reduced_motion="reduce")
            context.set_default_timeout(PATIENCE_MS)
            if role in world.sessions:
                session = {"name": COOKIE, "value": world.sessions[role], "url": url}
                context.add_cookies([session])  # type: ignore[list-item]  # typed in two ways
        self._pages = {role: context.new_page() for role, context in self._contexts.items()}
        self._axe = Axe()
        self.seen = 0

    def close(self) -> None:
        """Close the windows of all roles."""
        for context in self._contexts.values():
            context.close()

    def look(self, path: str) -> list[str]:
        """What is wrong with a page. Nothing is looked at which is no page, which leads to another,
        or which does not exist in this world."""
        for role in PLAYERS if path.startswith("play") else ROLES:
            page = self._pages[role]
            status = self._open(page, path)
            if status == 200:
                return self.inspect(page, path or "home")
            if status not in (400, 401, 403, 404):  # 400: without what its form asks
                return [f"{path}: status {status}"] if status else []
        return []

    def _open(self, page: Page, path: str) -> int:
        """The status of a page; 0 for what is none, or leads elsewhere."""
        try:
            answer = page.goto(f"{self._url}{path}", wait_until="load")
        except Error as error:
            if "Download is starting" in str(error) or "ERR_ABORTED" in str(error):
                return 0
            raise
        if answer is None or answer.request.redirected_from is not None:
            return 0
        is_page = answer.headers.get("content-type", "").startswith("text/html")
        return answer.status if is_page else 0

    def send(self, name: str) -> list[str]:
        """What is wrong with the page after a form of `FORMS`."""
        role, path, fields = FORMS[name]
        page = self._pages[role]
        if self._open(page, path) != 200:
            return [f"{path}: there is no such page"]
        for selector, value in fields.items():
            page.locator(selector).fill(value.format(**self._world.secrets))
        with page.expect_navigation():
            page.locator(BUTTONS.get(name, "main form button")).first.click()
        return self.inspect(page, name)

    def inspect(self, page: Page, name: str) -> list[str]:
        """What is wrong with the page that is open."""
        self.seen += 1
        wrong = []
        for width, scheme in self.looks:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # a literal
            wrong += [f"{name}, {width} px: {one}" for one in page.evaluate(CUT_OFF)]
            if self._folder is not None:
                file = f"{name.replace('/', '-').replace('?', '-')}-{width}-{scheme}.png"
                page.screenshot(path=self._folder / file, full_page=True)
            found = self._axe.run(page)
            if found.violations_count:
                wrong.append(f"{name}, {width} px, {scheme}: {found.generate_report()}")
        return wrong + [f"{name}: {one}" for one in unfocused(page)]


CUT_OFF = """() => {
  const wrong = [], wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) wrong.push(`it scrolls sideways: ${wide} px`);
  const scrolls = (node) => {
    for (let one = node; one && one !== document.body; one = one.parentElement)
      if (["auto", "scroll"].includes(getComputedStyle(one).overflowX)) return true;
    return false;
  };
  for (const node of document.querySelectorAll("header *, main *, footer *")) {
    if (!node.checkVisibility() || node.closest("input, svg, .hidden, .viewer, .person")) continue;
    const style = getComputedStyle(node), box = node.getBoundingClientRect();
    const what = `${node.outerHTML.slice(0, 90)} ${node.textContent.trim().slice(0, 30)}`;
    const leaves = box.right > innerWidth + 1 || box.left < -1;
    if (leaves && !scrolls(node) && !node.matches(".skip")) wrong.push(`it leaves: ${what}`);
    const hides = ["hidden", "clip"].includes(style.overflowX);
    if (hides && node.scrollWidth > node.clientWidth + 1) wrong.push(`it is cut off: ${what}`);
  }
  return wrong;
}"""
"""What leaves the window or is cut off. Boards have tests of their own."""
STOPS = """() => [...document.querySelectorAll(
  'a[href], button, summary, input:not([type=hidden]), select, [tabindex="0"]'
)].filter((node) => node.checkVisibility()
  && !node.closest('.viewer, .person')).length"""
STEP = """() => { const node = document.activeElement;
  if (!node || node === document.body || node.dataset.seen) return '';
  node.dataset.seen = '1';
  return getComputedStyle(node).outlineStyle === 'none' ? `no focus on ${node.outerHTML}` : 'seen';
}"""


def unfocused(page: Page) -> Iterator[str]:
    """What the key Tab does not come to, or what then shows no focus. Boards have tests of their
    own."""
    if page.locator(".viewer, .person").count():
        return
    page.evaluate("document.activeElement.blur()")
    count, reached = page.evaluate(STOPS), 0
    for _ in range(count + 1):
        page.keyboard.press("Tab")
        said = page.evaluate(STEP)
        reached += said != ""
        if said not in ("", "seen"):
            yield said
    if reached < count:
        yield f"Tab comes to {reached} of {count}"


# -- the program -----------------------------------------------------------------------------------


@contextmanager
def looked_at(
    world: World, browser: Browser, folder: Path | None, looks: Sequence[tuple[int, str]]
) -> Iterator[Looker]:
    """A world that is served, for the time of a ``with``."""
    with served(world.file) as url:
        yield Looker(browser, world, url, folder, looks)


def templates_without_page(seen: set[str]) -> list[str]:
    """The templates of pages that nothing has shown."""
    parts = {"layout.html", "macros.html", "organise_macros.html", "standings_content.html"}
    return sorted({*TEMPLATES.list_templates()} - seen - parts)


@contextmanager
def templates_shown() -> Iterator[set[str]]:
    """The names of the templates that are shown within the block, in which no page loads itself
    again while it is looked at."""
    seen, get = set[str](), TEMPLATES.get_template
    living = [(vars(module), module.LIVING) for module in (account, author, live)]
    again = dict(people.LOADED_AGAIN)
    for module, _ in living:
        module["LIVING"] = LATER
    people.LOADED_AGAIN.update(dict.fromkeys(again, LATER))

    def noted(name: str, *values: object) -> object:
        seen.add(name)
        return get(name, *values)  # type: ignore[arg-type]  # passed on

    TEMPLATES.get_template = noted  # type: ignore[method-assign, assignment]  # for the block
    try:
        yield seen
    finally:
        TEMPLATES.get_template = get  # type: ignore[method-assign]
        people.LOADED_AGAIN.update(again)
        for module, seconds in living:
            module["LIVING"] = seconds


def look_at_all(looker: Looker, name: str, wanted: Sequence[str] = ("",)) -> Iterator[str]:
    """What is wrong with the pages of a world whose paths contain one of `wanted`."""
    for path in paths():
        if any(one in path for one in wanted):
            yield from looker.look(path)
    for form in FORMS if name != "empty" else ():
        if any(one in form for one in wanted):
            yield from looker.send(form)


def main(words: list[str]) -> None:
    """Make the pictures, and print what is wrong."""
    every, wanted = "--all" in words, [""]
    if "--pages" in words:
        wanted = words.pop(words.index("--pages") + 1).split(",")
    folder, *names = [Path(word) for word in words if not word.startswith("--")]
    flags = ["--no-sandbox", "--disable-gpu"]
    with sync_playwright() as playwright, tiny_known(), templates_shown() as seen:
        chromium = playwright.chromium
        browser = chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        for name in [one.name for one in names] or LIGHTS:
            looks = [*product(WIDTHS, SCHEMES)] if every else LIGHTS[name]
            (folder / name).mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory() as place:
                world = make_world(name, Path(place))
                with looked_at(world, browser, folder / name, looks) as looker:
                    for wrong in look_at_all(looker, name, wanted):
                        print(f"{name}: {wrong}", flush=True)
            print(f"{name}: {looker.seen} pages were looked at", flush=True)
        browser.close()
    if wanted == [""] and (missing := templates_without_page(seen)):
        print("not looked at:", *missing)


if __name__ == "__main__":
    main(sys.argv[1:])
