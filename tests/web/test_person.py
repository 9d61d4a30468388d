"""People who play on pages, in a real browser: whole rounds in each game, by clicks, keys, words.

With ``ARENA_SCREENSHOTS=1`` pictures at three sizes are written to ``build/screenshots/``.
"""

from __future__ import annotations

import http.client
import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
import trio
from playwright.sync_api import Page, WebSocketRoute, expect

from arena.api.live import host
from arena.core import find_game
from arena.core.settings import parse
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import Entrant, HumanEntrant
from arena.record.reader import Match
from arena.record.verify import verify
from tests.structure import ROOT
from tests.support.tabs import Tabs, resize
from tests.support.tools import needs_open_spiel
from tests.view.records import HOSTILE
from tests.web.people import RandomEntrant

pytestmark = [pytest.mark.dear, pytest.mark.tool, pytest.mark.xdist_group("browser")]
WAIT = 60_000
"""Milliseconds: a busy machine."""
SHORT: dict[str, dict[str, Any]] = {
    "warlight": {"max_rounds": 2, "min_picks": 4, "pick_drop": 1000},
    "toroid": {"normal_game_turn_per_player": 1, "countries_per_player": 2},
    "hextrategic": {"max_rounds": 2, "radius": 2},
    "tncc": {"max_cycles": 2, "start": "600,800,800,60,150", "gold_for_war": 100},
    "codecharacter": {
        "num_turns": 2, "map_size": 8, "base_tiles": "1,1,6,6", "num_soldiers": 3,
        "money_start": 2000,
    },
}  # fmt: skip
ASKED_OR_OVER = re.compile(r"Your turn|won|draw|after|hold")
ESCAPED = HOSTILE.encode("ascii", "backslashreplace").decode().replace("\x1b", "\\x1b")
SIZES = ((360, 740), (1280, 800), (2560, 1300))


class Hosted:
    """A match on pages, in a thread of its own."""

    def __init__(self, game: str, entrants: tuple[Entrant, ...], replay: Path) -> None:
        settings = parse(find_game(game).settings, SHORT.get(game, {}))
        self._spec = MatchSpec(game, entrants, "7", settings, replay=replay)
        self._addresses: Queue[str] = Queue()
        self._token: Any = None
        self._scope = trio.CancelScope()
        self.report: MatchReport | None = None
        self._thread = threading.Thread(target=trio.run, args=[self._run])
        self._thread.start()
        people = sum(isinstance(one, HumanEntrant) for one in entrants)
        self.addresses = [self._addresses.get(timeout=60) for _ in range(people)]

    async def _run(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        with self._scope:
            self.report = await host(self._spec, lambda seat, url: self._addresses.put(url))

    def wait(self) -> MatchReport:
        """The report, once the match is over."""
        self._thread.join(timeout=60)
        assert self.report
        return self.report

    def close(self) -> None:
        """Break it off, if it is not over."""
        if self._thread.is_alive():
            self._token.run_sync_soon(self._scope.cancel)
            self._thread.join(timeout=60)


class Room:
    """Hosts matches, and opens pages of them."""

    def __init__(self, tabs: Tabs, folder: Path) -> None:
        self.tabs = tabs
        self.replay = folder / "r.jsonl"
        self._hosted: list[Hosted] = []

    def play(
        self,
        game: str,
        *names: str,
        rivals: int = 1,
        hostile: bool = False,
        timed: bool = False,
    ) -> Hosted:
        """A match of these people, and so many others who answer at random, or worse."""
        people = [HumanEntrant(name, timed=timed) for name in names]
        worse = (HOSTILE, f"{HOSTILE} {'x' * 60_000}") if hostile else ()
        others = [RandomEntrant(1000, [], *worse) for _ in range(rivals)]
        hosted = Hosted(game, (*people, *others), self.replay)
        self._hosted.append(hosted)
        return hosted

    def open(self, address: str, connect: Callable[[WebSocketRoute], None] | None = None) -> Page:
        """A tab at that address; `connect` stands between it and the arena."""
        tab = self.tabs.open()
        page = tab.page
        if connect:
            page.route_web_socket(re.compile("feed$"), connect)
            tab.spent = True
        page.goto(address)
        return page

    def close(self) -> None:
        """No match goes on, and no page noticed an end before its own."""
        self.tabs.close()
        for hosted in self._hosted:
            hosted.close()


@pytest.fixture
def room(tabs: Tabs, tmp_path: Path) -> Iterator[Room]:
    """Where the people of a test play."""
    room = Room(tabs, tmp_path)
    yield room
    room.close()


def test_the_bonuses_of_warlight_have_names(room: Room) -> None:
    hosted = room.play("warlight", "Ann")
    page = room.open(hosted.addresses[0])
    is_asked(page)
    signs = page.locator(".bonus").count()
    held = re.compile(r"^super region \d+ \(\+\d+\), \d+ regions?: .*(neutral|unseen) \d+")
    assert signs > 3
    expect(page.get_by_role("img", name=held)).to_have_count(signs)
    page.get_by_text("Legend", exact=True).click()
    expect(page.get_by_role("button", name=re.compile(r"^Super region \d+: "))).to_have_count(signs)


FRAME = """node => {
    const wide = (one) => parseFloat(getComputedStyle(one).strokeWidth) * one.getScreenCTM().a;
    const accent = getComputedStyle(document.querySelector(".person.is-asked")).borderTopColor;
    const framed = [...node.querySelectorAll("*"), ...document.querySelectorAll(".stage .focus")]
        .filter((one) => getComputedStyle(one).stroke === accent);
    return [getComputedStyle(node).outlineStyle, Math.max(0, ...framed.map(wide))];
}"""
"""The style of the outline of a place, and the width in pixels of its frame in the colour of the
focus. (The lengths of an outline inside of a picture are not pixels, but units of that.)"""


@pytest.mark.parametrize("game", ["warlight", "hextrategic", "toroid", "tncc"])
def test_a_place_that_keys_have_reached_has_a_thin_frame(game: str, room: Room) -> None:
    page = room.open(room.play(game, "Ann").addresses[0])
    is_asked(page)
    place = page.locator(".stage svg [role=button]").first
    page.keyboard.press("Tab")  # from now on the focus is seen
    place.focus()
    outline, width = place.evaluate(FRAME)
    assert outline == "none"
    assert 1.5 < width < 12


def is_asked(page: Page, what: str = "") -> None:
    """Wait until the person is asked."""
    expect(page.locator(".person-state")).to_contain_text(f"Your turn: {what}", timeout=WAIT)
    expect(page.locator(".person-prompt")).not_to_be_empty()


def pick(page: Page, *places: str) -> None:
    """Click on places of the board, by their titles."""
    for place in places:
        target = page.locator(f'.stage [role=button]:has(title:text-matches("^{place}\\\\b"))')
        target.first.dispatch_event("click")


def give(page: Page) -> None:
    """Press the button for what is held, and wait until the answer is taken."""
    held = page.locator(".person-orders li")
    expect(held).not_to_have_count(0, timeout=WAIT)  # it comes from the arena
    page.locator(".person-give").click()
    expect(held).to_have_count(0, timeout=WAIT)


def held(page: Page, *orders: str) -> None:
    """These orders are held, and no others."""
    expect(page.locator(".person-orders li > span")).to_have_text([*orders], timeout=WAIT)


def wrong_order_is_explained(page: Page) -> None:
    """It gets a sentence, and costs nothing."""
    field = page.get_by_label("Your answer")
    field.fill("tea 1 2")
    field.press("Enter")
    expect(page.locator(".person-problems")).to_contain_text("'tea 1 2'", timeout=WAIT)
    expect(page.locator(".person-problems")).to_contain_text("Nothing was sent")
    field.fill("")
    expect(page.locator(".person-orders li")).to_have_count(0)


def number(page: Page, value: str = "") -> None:
    """Answer a question for a number: the one that is there, or this."""
    field = page.locator(".person-number input[type=number]")
    expect(field).to_be_focused(timeout=WAIT)
    question = field.get_attribute("aria-label") or ""
    if value:
        field.fill(value)
    field.press("Enter")
    expect(page.get_by_label(question, exact=True)).to_have_count(0, timeout=WAIT)


def word(page: Page, text: str) -> None:
    """Press a button that a game offers."""
    page.locator(".person-choice").get_by_role("button", name=text).click()


def ends(page: Page, hosted: Hosted, room: Room) -> list[str]:
    """The match is over, well recorded and without a fault of the person. Returns its answers."""
    report = hosted.wait()
    expect(page.locator(".person-state")).to_have_text(report.sentence, timeout=WAIT)
    expect(page.locator(".person-give")).to_be_hidden()
    assert not report.players[0].faults
    assert verify(room.replay).ok
    match = Match.read(room.replay)
    return [one.reply.text for one in match.answers(0)]  # type: ignore[union-attr]


def test_warlight(room: Room) -> None:
    hosted = room.play("warlight", "Ann")
    page = room.open(hosted.addresses[0])
    said: list[str] = []
    is_asked(page, "pick starting region")
    wrong_order_is_explained(page)
    while "pick" in page.locator(".person-state").inner_text():
        page.locator(".stage [role=button]").first.dispatch_event("click")
        expect(page.locator(".person-orders li")).to_have_count(1)
        said.append(page.locator(".person-orders li > span").inner_text())
        give(page)
        is_asked(page)
    for _ in range(2):
        is_asked(page, "place armies")
        own = page.locator(".stage [role=button]").first
        region = own.evaluate("node => node.querySelector('title').textContent").split()[1]
        own.dispatch_event("click")
        number(page, "2")
        held(page, f"player1 place_armies {region} 2")
        own.focus()
        page.keyboard.press("Enter")  # by keys alone
        number(page)
        held(page, f"player1 place_armies {region} 2", f"player1 place_armies {region} 3")
        expect(page.locator(".person-prompt")).to_contain_text("All 5 armies are placed")
        said.append(f"player1 place_armies {region} 2, player1 place_armies {region} 3")
        give(page)
        is_asked(page, "attack/transfer")
        said.append("No moves")
        page.locator(".person-give").click()
        expect(page.locator(".person-problems")).to_contain_text("You have no orders")
        page.locator(".person-give").click()
    assert ends(page, hosted, room) == said


def test_hextrategic(room: Room) -> None:
    hosted = room.play("hextrategic", "Ann")
    page = room.open(hosted.addresses[0])
    is_asked(page, "action")
    wrong_order_is_explained(page)
    home = page.locator(".stage [role=button]").first
    home.dispatch_event("click")
    near = page.locator(".stage [role=button]").first
    expect(page.locator(".person-prompt")).to_contain_text("pick a neighbour")
    near.dispatch_event("click")
    number(page, "4")
    expect(page.locator(".person-orders li")).to_have_count(1)
    [move] = page.locator(".person-orders li > span").all_inner_texts()
    _, source, target, _ = move.split()
    pick(page, f"cell {source}", f"cell {target}")
    word(page, "In every round")
    held(page, f"move {source} {target} 4", f"auto {source} {target}")
    page.keyboard.press("u")
    held(page, f"move {source} {target} 4")
    field = page.get_by_label("Your answer")
    field.press("End")
    field.press_sequentially(", au")
    expect(page.get_by_role("option")).to_have_text(["auto"], timeout=WAIT)
    field.press("Tab")
    field.press_sequentially(f"{source} {target}")
    held(page, f"move {source} {target} 4", f"auto {source} {target}")
    give(page)
    is_asked(page)
    field.fill(f"auto {source} {target}")
    held(page, f"auto {source} {target}")
    page.reload()  # a tab that was closed goes on with the same request
    is_asked(page)
    held(page, f"auto {source} {target}")
    expect(page.locator(".person-told")).to_contain_text("opponent_moves")
    page.get_by_role("button", name="Surrender").click()
    page.locator("dialog").get_by_role("button", name="Surrender").click()
    said = ends(page, hosted, room)
    assert said == [f"move {source} {target} 4, auto {source} {target}", "surrender"]


def test_the_clock_of_a_page_that_is_loaded_again(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It shows what is left of the whole time, not of what was left when the page was loaded."""
    hour = {"timebank": 3_600_000, "time_per_move": 3_600_000}
    monkeypatch.setitem(SHORT, "hextrategic", {**SHORT["hextrategic"], **hour})
    hosted = room.play("hextrategic", "Ann", timed=True)
    page = room.open(hosted.addresses[0])
    is_asked(page)
    while (before := page.evaluate(WIDTH)) >= 99.95:  # for two seconds
        page.wait_for_timeout(100)
    page.reload()
    is_asked(page)
    expect(page.locator(".person-clock")).to_be_visible(timeout=WAIT)
    assert page.evaluate(WIDTH) <= before


WIDTH = "parseFloat(document.querySelector('.person-clock span').style.width)"


def test_toroid(room: Room) -> None:
    hosted = room.play("toroid", "Ann")
    page = room.open(hosted.addresses[0])
    is_asked(page, "action")
    wrong_order_is_explained(page)
    page.get_by_role("button", name="Help with orders").click()
    example = page.locator(".examples button").first
    text = example.inner_text()
    example.click()
    held(page, text)
    page.get_by_role("button", name=f"Take back {text}").click()
    said: list[str] = []
    while True:
        state = page.locator(".person-state")
        expect(state).to_have_text(ASKED_OR_OVER, timeout=WAIT)
        if "Your turn" not in state.inner_text():
            break
        expect(page.locator(".person-prompt")).not_to_be_empty()
        word(page, ("Build a unit", "Do nothing")[len(said) % 2])
        expect(page.locator(".person-give")).to_be_focused()
        said.append(page.locator(".person-orders li > span").inner_text())
        page.keyboard.press("Enter")
        expect(page.locator(".person-orders li")).to_have_count(0, timeout=WAIT)
    assert ends(page, hosted, room) == said
    assert {*said} == {"build", "No moves"}


def test_tncc(room: Room) -> None:
    hosted = room.play("tncc", "Ann", "Bob", rivals=0)
    ann, bob = map(room.open, hosted.addresses)
    is_asked(ann, "action")
    expect(bob.locator(".person-give")).to_have_text("Waiting for player1", timeout=WAIT)
    wrong_order_is_explained(ann)
    ann.locator(".stage [role=button]").dispatch_event("click")
    word(ann, "Offer a trade")
    word(ann, "gold")
    number(ann, "100")
    word(ann, "food")
    number(ann, "50")
    held(ann, "trade player2 gold 100 food 50")
    give(ann)
    is_asked(bob, "trade")
    expect(bob.locator(".person-prompt")).to_have_text(
        "player1 gives you 100 gold and wants 50 food."
    )
    word(bob, "Agree")
    give(bob)
    is_asked(bob, "action")
    expect(ann.locator(".person-give")).to_have_text("Waiting for player2")
    word(bob, "Deal with player1")
    word(bob, "Attack")
    for soldiers in ("10", "20", "30"):
        number(bob, soldiers)
    give(bob)
    is_asked(ann, "war")
    expect(ann.locator(".person-prompt")).to_contain_text("player2 attacks with 60 soldiers")
    for soldiers in ("20", "20", "20"):
        number(ann, soldiers)
    give(ann)
    for page in (ann, bob):
        is_asked(page, "action")
        word(page, "Wait")
        give(page)
    said = ends(ann, hosted, room)
    assert said == ["trade player2 gold 100 food 50", "20 20 20", "wait"]


def test_codecharacter(room: Room) -> None:
    """The board is a canvas: a click on a tile, or the arrow keys and Enter."""
    hosted = room.play("codecharacter", "Ann")
    page = room.open(hosted.addresses[0])
    is_asked(page, "action")
    wrong_order_is_explained(page)
    square = page.locator(".square")
    square.focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    held(page, "build 2 2")
    box = square.bounding_box()
    assert box
    tile = box["width"] / 8
    word(page, "All 3 soldiers without orders")
    expect(page.locator(".person-prompt")).to_contain_text("Where to with 3 soldiers?")
    page.mouse.click(box["x"] + 2.5 * tile, box["y"] + 4.5 * tile)
    march = [f"move {soldier} 125 225" for soldier in range(3)]
    held(page, "build 2 2", *march)
    give(page)
    is_asked(page)
    page.keyboard.press("Shift+Enter")
    expect(page.locator(".person-problems")).to_contain_text("You have no orders")
    page.keyboard.press("Shift+Enter")
    assert ends(page, hosted, room) == [", ".join(["build 2 2", *march]), "No moves"]


def test_two_people_have_a_page_each_and_there_is_no_other(room: Room) -> None:
    """Neither shows what the other sees; the match begins when both are there."""
    hosted = room.play("warlight", "Ann", "Bob", rivals=0)
    assert len({*hosted.addresses}) == 2
    ann = room.open(hosted.addresses[0])
    expect(ann.locator(".problem")).to_have_text("Waiting for Bob.", timeout=WAIT)
    bob = room.open(hosted.addresses[1])
    for page, turns in ((ann, 1), (bob, 2), (ann, 1)):
        for _ in range(turns):
            is_asked(page, "pick")
            page.locator(".stage [role=button]").first.dispatch_event("click")
            expect(page.locator(".person-orders li")).to_have_count(1)
            give(page)
    for page in (ann, bob):
        expect(page.locator(".views")).to_have_count(0)
        assert page.get_by_text("Spectators").count() == 0
    port = int(hosted.addresses[0].split(":")[2].split("/")[0])
    for path, headers, status in (
        ("/", {}, 404),
        ("/" + "x" * 22 + "/", {}, 404),
        (f"/{hosted.addresses[0].split('/')[3]}/", {"Host": f"evil.example:{port}"}, 403),
        (f"/{hosted.addresses[0].split('/')[3]}/", {"Origin": "http://evil.example"}, 403),
    ):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", path, headers=headers)
        assert connection.getresponse().status == status, path
        connection.close()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", f"/{hosted.addresses[0].split('/')[3]}/", body="do=give")
    assert connection.getresponse().status == 405
    connection.close()


def test_a_page_whose_connection_breaks_comes_back_and_one_without_its_arena_says_so(
    room: Room,
) -> None:
    hosted, connected = room.play("tncc", "Ann"), list[WebSocketRoute]()

    def connect(route: WebSocketRoute) -> None:
        connected.append(route)
        route.connect_to_server()

    page = room.open(hosted.addresses[0], connect)
    is_asked(page)
    word(page, "Wait")
    held(page, "wait")
    connected[0].close(code=1001)
    while len(connected) < 3:  # one that broke, one that tries, one of the page anew
        page.wait_for_timeout(50)
    is_asked(page)
    held(page, "wait")
    hosted.close()
    expect(page.locator(".person-state")).to_contain_text("The arena has ended", timeout=WAIT)
    expect(page.get_by_label("Your answer")).to_be_disabled()
    room.tabs.forgive("ERR_CONNECTION_REFUSED")


@pytest.mark.parametrize("game", ["warlight", "tncc", "codecharacter"])
def test_hostile_names_and_answers_are_shown_as_text_and_hold_the_layout(
    game: str, room: Room
) -> None:
    """Boards of SVG, of HTML and on a canvas."""
    hosted = room.play(game, HOSTILE, HOSTILE * 3, rivals=0 if game != "tncc" else 1, hostile=True)
    page = room.open(hosted.addresses[0])
    resize(page, 360, 740)
    expect(page.locator(".problem")).to_have_text(f"Waiting for {ESCAPED * 3}.", timeout=WAIT)
    holds(page)
    other = room.open(hosted.addresses[1])
    is_asked(page)
    expect(page.locator(".seat .name").first).to_have_text(ESCAPED)
    field = page.get_by_label("Your answer")
    problems = page.locator(".person-problems")
    for text in (HOSTILE, f"{HOSTILE},{'tea ' * 15_000}", ",".join(["tea"] * 16_000)):
        field.fill(text)
        expect(problems).to_be_empty(timeout=WAIT)  # those of the text before are gone
        field.press("Enter")
        expect(problems).to_contain_text("Nothing was sent", timeout=WAIT)
        holds(page)
    field.evaluate("node => { node.value = String.fromCharCode(0xd83d); }")  # half a character
    field.press("Enter")
    expect(problems).to_contain_text("cannot read it", timeout=WAIT)
    field.fill("")
    page.get_by_text("Lines that you got").click()
    for box in page.locator("details").all():
        box.evaluate("node => { node.open = true; }")
    holds(page)
    other.goto("about:blank")
    if game == "tncc":
        word(page, "Wait")
        give(page)
        expect(page.locator(".person-state")).to_contain_text(f"No page is open for {ESCAPED * 3}.")
        holds(page)


def holds(page: Page) -> None:
    """Nothing runs, and nothing is wider than the window."""
    assert page.locator("main img, main script, main a").count() == 0
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360


@pytest.mark.skipif(
    not os.environ.get("ARENA_SCREENSHOTS"), reason="pictures are for people: ARENA_SCREENSHOTS=1"
)
@pytest.mark.parametrize("game", SHORT)
def test_pictures(game: str, room: Room) -> None:
    folder = ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    page = room.open(room.play(game, "Ann").addresses[0])
    is_asked(page)
    for _ in range(2):
        target = page.locator(".stage [role=button], .person-choice button").first
        target.dispatch_event("click")
        page.wait_for_timeout(500)
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            resize(page, width, height)
            page.screenshot(path=folder / f"person-{game}-{width}-{scheme}.png")


def test_the_legal_actions_of_openspiel_are_buttons(room: Room) -> None:
    needs_open_spiel()
    hosted = room.play("openspiel:python_kuhn_poker", "Ann")
    page = room.open(hosted.addresses[0])
    is_asked(page)
    expect(page.locator(".person-choice button")).to_have_text(["Pass", "Bet"], timeout=WAIT)
    word(page, "Bet")
    give(page)
    assert ends(page, hosted, room) == ["Bet"]


def test_a_click_on_the_board_of_openspiel_is_an_action(room: Room) -> None:
    needs_open_spiel()
    hosted = room.play("openspiel:tic_tac_toe", "Ann")
    page = room.open(hosted.addresses[0])
    for left in (9, 7, 5):
        is_asked(page)
        expect(page.locator(".stage .square.offered")).to_have_count(left, timeout=WAIT)
        page.locator(".stage .square.offered").first.click()
        expect(page.locator(".person-orders li > span")).to_have_text(
            re.compile(r"^x\(\d,\d\)$"), timeout=WAIT
        )
        give(page)
    said = ends(page, hosted, room)
    assert said[0] == "x(0,0)"
    assert len(set(said)) == len(said) == 3
