"""Pages in a real browser: every feature for every game. No request leaves them, and the
console stays empty.

With ``ARENA_SCREENSHOTS=1`` pictures at three sizes are written to ``build/screenshots/``.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import (  # type: ignore[import-untyped]  # it has no types
    Axe,
)
from playwright.sync_api import Page, Route, expect

from arena.core.registry import GAMES
from arena.core.rng import Stream
from arena.games.tncc.rules import battle
from arena.games.tncc.settings import TnccSettings
from arena.view.page import view_page
from tests.structure import ROOT
from tests.support.tabs import Tabs, drawn, resize
from tests.support.tools import needs_open_spiel
from tests.view.records import HOSTILE, record

pytestmark = [pytest.mark.dear, pytest.mark.tool, pytest.mark.xdist_group("browser")]
SIZES = ((360, 740), (1280, 800), (2560, 1300))
SEATS = {"hextrategic": 3, "toroid": 3}


class Pages:
    """Opens pages of short matches. Each asks for nothing but itself."""

    def __init__(self, tabs: Tabs, folder: Path) -> None:
        self._tabs = tabs
        self._folder = folder

    def open(
        self, *matches: str | bytes, hostile: bool = False, compare: bool = False, address: str = ""
    ) -> Page:
        """A page of matches of these games, or with these records."""
        replays = []
        for number, match in enumerate(matches):
            name, data = ("changed", match) if isinstance(match, bytes) else (match, b"")
            path = self._folder / f"{number}-{name}.jsonl"
            path.write_bytes(data or record(name, SEATS.get(name, 2), hostile=hostile))
            replays.append(path)
        file = self._folder / "page.html"
        file.write_text(view_page(replays, compare=compare), "utf-8")
        tab = self._tabs.open()

        def refuse(route: Route) -> None:
            if route.request.url.partition("#")[0] == file.as_uri():
                route.continue_()
            else:
                tab.trouble.append(route.request.url)
                route.abort()

        tab.page.route("**/*", refuse)
        tab.page.goto(f"{file.as_uri()}{address}")
        expect(tab.page.locator(".viewer, .matches")).to_be_visible()
        drawn(tab.page)
        return tab.page


@pytest.fixture
def pages(tabs: Tabs, tmp_path: Path) -> Pages:
    """The pages of a test."""
    return Pages(tabs, tmp_path)


def frames_of(data: bytes) -> list[dict[str, Any]]:
    """The frames of a record."""
    return [json.loads(line)["frame"] for line in data.splitlines() if b'"show"' in line]


def ending(data: bytes, values: dict[str, Any]) -> bytes:
    """A record whose last frame has these values instead of its own."""
    last = [line for line in data.splitlines() if b'"show"' in line][-1]
    show = json.loads(last)
    show["frame"].update(values)
    return data.replace(last, json.dumps(show).encode())


def shown_round(page: Page) -> int:
    """The round that the page stands at."""
    return int(page.get_by_label("Go to round").input_value())


def stands_at(page: Page, address: str) -> None:
    """Wait until this is behind the # of the address: the browser tells of it a moment later."""
    expect(page).to_have_url(re.compile(f"#{re.escape(address)}$"))


@pytest.mark.parametrize("game", GAMES)
def test_a_match_can_be_followed_with_keys_alone(game: str, pages: Pages) -> None:
    page = pages.open(game)
    page.emulate_media(reduced_motion="no-preference")
    press = page.keyboard.press
    last = int(page.locator(".of").inner_text().split()[-1])
    assert (shown_round(page), last > 4) == (0, True)
    for key, number in (
        *(("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("Home", 0)),
        *(("Shift+ArrowRight", min(10, last)), ("PageUp", 0)),
    ):
        press(key)
        assert shown_round(page) == number, key
    press("ArrowRight")
    press("2")
    expect(page.get_by_role("button", name="player2", exact=True).first).to_have_attribute(
        "aria-pressed", "true"
    )
    stands_at(page, "round=1&view=player2")
    press("v")
    press("v")
    press("0")
    stands_at(page, "round=1")
    press("t")
    assert shown_round(page) in (1, 2)
    press("Home")
    press("e")
    first = shown_round(page)
    press("e")
    press("q")
    assert shown_round(page) == first
    press("+")
    expect(page.get_by_label("Speed")).to_have_text("2×")
    press("Home")
    for key in ("-", "-", "-", " "):  # so slowly that the end is far for a busy machine, too
        press(key)
    expect(page.get_by_label("Pause")).to_be_visible()
    expect(page.get_by_label("Go to round")).not_to_have_value("0")
    press("k")
    expect(page.get_by_label("Play", exact=True)).to_be_visible()


KNOB = """(frames) => new Promise((resolve) => {
    const knob = document.querySelector(".scrubber"), chart = document.querySelector(".chart-box");
    const line = document.querySelector(".playhead"), found = [];
    const look = () => {
        const at = (line.getBoundingClientRect().x - chart.getBoundingClientRect().x - 10)
            / (chart.clientWidth - 20);
        found.push([Number(knob.value), at * knob.max]);
        if (found.length < frames) requestAnimationFrame(look);
        else resolve(found);
    };
    look();
})"""
"""In so many frames: where the knob of the scrubber stands, and the line of the chart."""


def test_the_knob_moves_with_the_picture(pages: Pages) -> None:
    page = pages.open("warlight")
    page.emulate_media(reduced_motion="no-preference")
    for key in ("-", "-", " "):  # so slowly that the end is far for a busy machine, too
        page.keyboard.press(key)
    places = page.evaluate(KNOB, 20)
    assert len({knob for knob, _ in places if knob % 1}) > 5
    assert all(abs(knob - line) < 0.05 for knob, line in places)
    page.locator(".scrubber").focus()
    page.keyboard.press("k")
    for key, by in (("ArrowRight", 1), ("ArrowLeft", -1), ("ArrowUp", 1), ("ArrowDown", -1)):
        before = shown_round(page)
        page.keyboard.press(key)
        assert shown_round(page) == before + by, key
    page.keyboard.press(" ")
    page.wait_for_function("() => document.querySelector('.scrubber').value % 1 > 0.1")
    between = float(page.locator(".scrubber").input_value())
    page.keyboard.press("ArrowRight")
    assert shown_round(page) >= between + 1


@pytest.mark.parametrize("game", GAMES)
def test_a_board_is_drawn_in_every_view_and_size(game: str, pages: Pages) -> None:
    page = pages.open(game)
    _views(page, SEATS.get(game, 2))
    _drawings(page)
    _heard(page)
    _sizes(page)


def _views(page: Page, seats: int) -> None:
    """The board is drawn in every view, and told to screen readers."""
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    stage = page.locator(".stage")
    place = stage.bounding_box()
    for seat in range(seats + 1):
        page.keyboard.press(str(seat))
        assert stage.get_attribute("aria-label")
        assert stage.bounding_box() == place  # however long the headline is
        assert page.evaluate(SENSELESS) == []
        expect(page.locator(".problem:visible")).to_have_count(0)
    page.get_by_text("Board as a table").click()
    expect(page.locator(".table-box td").nth(3)).to_be_attached()
    page.get_by_text("Legend", exact=True).click()
    assert page.locator(".legend-box").inner_text().strip()


SENSELESS = """() => {
    const root = getComputedStyle(document.documentElement);
    const unknown = (text) => [...text.matchAll(/var\\((--[\\w-]+)\\)/g)]
        .some(([, name]) => !root.getPropertyValue(name));
    const wrong = (text) => /undefined|NaN|\\bnull\\b/.test(text) || unknown(text);
    return [...document.querySelectorAll("svg, svg *")]
        .flatMap((node) => [...node.attributes])
        .filter(({ name, value }) => name !== "aria-label" && wrong(value))
        .map(({ name, value, ownerElement }) => `${ownerElement.tagName} ${name} ${value}`);
}"""
"""What is drawn with a value or a colour that does not exist."""


def _drawings(page: Page) -> None:
    """What bots drew is over the board until it is switched off."""
    found = page.locator(".drawing")
    page.keyboard.press("Home")
    for _ in range(4):
        if found.count():
            break
        page.keyboard.press("ArrowRight")
    everything = found.count()
    assert everything >= 2
    assert "thinking" in page.locator(".drawing-notes").inner_text()
    page.keyboard.press("b")
    expect(found).to_have_count(0)
    page.keyboard.press("b")
    page.keyboard.press("b")
    expect(found).to_have_count(everything)


def _heard(page: Page) -> None:
    """Who sees nothing of the page hears each round with its events, each order, and whose view it
    is; of the pictures their labels alone."""
    heard, press = page.locator(".viewer > .off-screen"), page.keyboard.press
    press("0")
    press("Home")
    last = int(page.locator(".of").inner_text().split()[-1])
    while shown_round(page) < last:
        press("ArrowRight")
        if page.locator(".log .events li:not(.empty)").count():
            break
    events = page.locator(".log .events li:not(.empty) > span:last-child").all_inner_texts()
    for text in events[:5]:
        assert text.rstrip(".") in (heard.text_content() or "")
    press("Home")
    for _ in range(20):
        press("t")
        if page.locator(".log .now").count():
            break
    expect(heard).to_contain_text(page.locator(".log .now").inner_text())
    press("1")
    press("ArrowLeft")
    expect(heard).to_contain_text(f"round {shown_round(page)}, as player1 sees it.")
    snapshot = page.locator("body").aria_snapshot()
    assert not re.search(r"- img.*\b\d+ \d+ \d+\b", snapshot), snapshot
    press("0")


def _sizes(page: Page) -> None:
    """Nothing is cut off in small and large windows: the time line lies under the board."""
    for width, height in SIZES:
        resize(page, width, height)
        page.evaluate("() => scrollTo(0, 0)")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        boxes = [page.locator(name).bounding_box() for name in (".stage", ".timeline", ".controls")]
        stage, line, controls = [box for box in boxes if box]
        assert stage["y"] + stage["height"] <= line["y"] + 1, width
        assert controls["y"] + controls["height"] <= height, width
        assert stage["height"] >= 250


LOG = """() => {
    const log = document.querySelector(".log"), side = document.querySelector(".side");
    const room = log.closest(".tab-round").getBoundingClientRect();
    const [end, top] = [side.lastElementChild.getBoundingClientRect().bottom, side.offsetTop];
    const free = side.clientHeight - (end - top) - 24;
    const last = log.lastElementChild.lastElementChild;
    last.scrollIntoView({ block: "end" });
    const below = last.getBoundingClientRect().bottom - log.getBoundingClientRect().bottom;
    return { tall: room.height, free, below };
}"""
"""Pixels: the height of the round's panel, what is free below the panels, and how far the last
order stands below its panel."""


@pytest.mark.parametrize(
    ("width", "height", "least"),
    [(360, 740, 400), (1280, 720, 290), (1920, 1080, 290), (2560, 1440, 415)],
)
def test_the_panel_of_a_round_has_the_height_there_is(
    width: int, height: int, least: int, pages: Pages
) -> None:
    busy = ending(drawing("mark 1", "mark 1"), {"moves": [["place", 0, 1, 9]] * 90})
    page = pages.open(busy, address="#round=999")
    resize(page, width, height)
    found = page.evaluate(LOG)
    assert found["tall"] >= least
    assert found["below"] <= 1
    if width < 900:
        return
    assert found["free"] <= 1
    page.keyboard.press("l")
    found = page.evaluate(LOG)
    assert found["tall"] >= height - 475
    assert max(found["free"], found["below"]) <= 1


@pytest.mark.parametrize("width", [360, 1280])
def test_before_the_first_war_of_tncc_the_countries_stand_in_its_place(
    width: int, pages: Pages
) -> None:
    data = record("tncc", 7)
    wars = [b'["war",' in line for line in data.splitlines() if b'"show"' in line]
    page = pages.open(data, address=f"#round={wars.index(True) - 1}")
    resize(page, width, 740)
    panel = page.locator(".war.none")
    expect(panel.locator(".title")).to_contain_text("No war so far")
    assert panel.locator(".count").all_text_contents() == standing(
        data, wars.index(True) - 1, width
    )
    edge = panel.locator(".back").bounding_box()
    for text in panel.locator("text").all():
        box = text.bounding_box()
        assert edge
        assert box
        assert box["x"] + box["width"] <= edge["x"] + edge["width"]
    page.keyboard.press("ArrowRight")
    expect(panel).to_be_hidden()


def at_war(seed: str) -> bytes:
    """The record of a match of TNCC of seven in which each cycle has other wars, with up to 99,999
    soldiers a flank."""
    stream = Stream(seed, "wars")
    lines = record("tncc", 7).splitlines(keepends=True)
    for number, line in enumerate(lines):
        if b'"show"' in line and b'"round":0,' not in line:
            show = json.loads(line)
            show["frame"]["moves"] = [war(stream) for _ in range(stream.between(1, 5))]
            lines[number] = json.dumps(show).encode() + b"\n"
    return b"".join(lines)


def war(stream: Stream) -> list[Any]:
    """Between two of seven; as likely of large armies as of small ones."""
    seat, by = stream.below(7), stream.between(1, 6)
    attack, defence = flanks(stream), flanks(stream)
    ending = battle(TnccSettings(), attack, defence)
    return ["war", seat, (seat + by) % 7, attack, defence, *ending]


def flanks(stream: Stream) -> tuple[int, int, int]:
    left, middle, right = [stream.below(10 ** stream.between(0, 5)) for _ in range(3)]
    return left, middle, right


CLASHES = """() => [...document.querySelectorAll("g.war:not(.none)")]
    .filter((panel) => panel.getAttribute("display") !== "none").flatMap((panel) => {
        const edge = panel.querySelector(".back").getBoundingClientRect();
        const texts = [...panel.querySelectorAll("text")].filter((node) => node.textContent)
            .map((node) => [node.textContent, node.getBoundingClientRect()]);
        const over = (one, other) =>
            Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
            && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
        const out = texts.filter(([, box]) => box.left < edge.left || box.right > edge.right);
        const pairs = texts.flatMap((one, i) => texts.slice(i + 1).map((other) => [one, other]));
        return [...out.map(([text]) => `${text} is cut off`), ...pairs
            .filter(([[, one], [, other]]) => over(one, other))
            .map(([[text], [other]]) => `${text} lies on ${other}`)];
    })"""
"""On a board of TNCC: the texts of wars that lie on each other or reach out of their panel."""


@pytest.mark.parametrize("compare", [False, True])
def test_texts_of_a_war_keep_apart(compare: bool, pages: Pages) -> None:
    matches = [at_war("1"), at_war("2")] if compare else [at_war("3")]
    page = pages.open(*matches, compare=compare)
    found = []
    for width in (360, 600, 899, 1280, 1920, 2560):
        resize(page, width, 740 if width < 900 else width * 9 // 16)
        page.keyboard.press("Home")
        for number in range(1, 8):
            page.keyboard.press("ArrowRight")
            assert page.locator("g.war:not(.none) .count").first.text_content()
            found += [(width, number, clash) for clash in page.evaluate(CLASHES)]
    assert found == []


def standing(data: bytes, index: int, width: int) -> list[str]:
    """What the panel says of each country of TNCC in a frame."""
    frame = frames_of(data)[index]
    both = zip(frame["population"], frame["military"], strict=True)
    words = "{} · {}" if width < 500 else "{:_} people, {:_} soldiers"
    said = [words.format(citizens + soldiers, soldiers) for citizens, soldiers in both]
    return [text.replace("_", "\u2009") for text in said]


OPAQUE = """() => {
    const [canvas, ...others] = document.querySelectorAll(".square canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const drawn = data.filter((value, i) => i % 4 === 3 && value > 0);
    return [others.length, (4 * drawn.length) / data.length];
}"""
"""Of Code Character: canvases but one, and the share of that one on which something is drawn."""


def test_the_board_of_code_character_is_one_canvas_with_the_land_on_it(pages: Pages) -> None:
    """A browser copies each that is shown with each frame."""
    assert pages.open("codecharacter").evaluate(OPAQUE) == [0, 1]


COVERED = """() => {
    const boxes = (name) => [...document.querySelectorAll(name)]
        .map((node) => node.getBoundingClientRect()).filter((box) => box.width > 0);
    const across = (one, other) =>
        Math.min(one.right, other.right) - Math.max(one.left, other.left) > 3
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3;
    const labels = [boxes(".cost"), boxes(".cost, .plus"), boxes(".bonus, .token")];
    const covers = (one) => labels[2].some((other) => across(one, other));
    return [labels[0].length, labels[1].filter(covers).length];
}"""
"""On a board of Warlight: the battles whose cost is shown, and the labels of moves that cover a
bonus or armies."""


def crowded() -> bytes:
    """The record of a match of Warlight in whose last round every fourth region is attacked."""
    near = frames_of(record("warlight"))[0]["board"]["neighbors"]
    moves = [
        move
        for i in range(0, len(near), 4)
        for move in (["place", 0, i + 1, 9], ["attack", 0, i + 1, near[i][0], 12, 3, 2, True])
    ]
    return ending(record("warlight"), {"moves": moves})


def test_labels_of_moves_cover_neither_bonuses_nor_armies(pages: Pages) -> None:
    page = pages.open(crowded(), address="#round=999")
    battles, covered = page.evaluate(COVERED)
    assert (battles > 12, covered) == (True, 0)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_region_of_warlight_is_named_by_its_id(width: int, height: int, pages: Pages) -> None:
    page = pages.open("warlight")
    resize(page, width, height)
    page.keyboard.press("End")
    ids = page.locator(".board-warlight :is(.id, .tip)").filter(visible=True)
    card, regions = page.locator(".card"), page.locator(".region")
    regions.nth(6).dispatch_event("pointerenter")
    expect(ids.filter(has_text=re.compile(r"^(region )?7$"))).to_have_count(1)
    regions.nth(6).dispatch_event("pointerleave")
    regions.nth(8).dispatch_event("click")
    expect(ids.filter(has_text=re.compile(r"^(region )?9$"))).to_have_count(1)
    expect(card).to_contain_text(re.compile(r"Region 9(, once a wasteland)?: \S+, \d+ arm"))
    expect(card).to_contain_text("Super region")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    regions.nth(8).dispatch_event("click")
    regions.nth(8).dispatch_event("click")
    expect(card).to_be_hidden()


def test_a_board_is_magnified_moved_and_shown_on_the_full_screen(pages: Pages) -> None:
    page = pages.open("warlight")
    press, zoom = page.keyboard.press, page.locator(".zoom")
    press("z")
    expect(zoom).to_have_class(re.compile("zoomed"))
    assert page.locator(".stage").evaluate("(node) => node.style.width") == "150%"
    before = zoom.evaluate("(node) => node.scrollLeft")
    press("d")
    assert zoom.evaluate("(node) => node.scrollLeft") > before > 0
    press("r")
    expect(zoom).not_to_have_class(re.compile("zoomed"))
    zoom.hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    expect(zoom).to_have_class(re.compile("zoomed"))
    press("f")
    page.wait_for_function("() => document.fullscreenElement !== null")
    press("f")
    page.wait_for_function("() => document.fullscreenElement === null")


def test_the_page_is_dark_and_still_where_the_system_asks_for_it(pages: Pages) -> None:
    page = pages.open("tncc")
    body, colours = page.locator("body"), []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours.append(body.evaluate("(node) => getComputedStyle(node).backgroundColor"))
    assert colours == ["rgb(251, 251, 249)", "rgb(27, 30, 35)"]
    moved = """() => new Promise((done) => {
        const seen = new Set(), head = document.querySelector(".playhead");
        const space = { key: " ", bubbles: true };
        document.body.dispatchEvent(new KeyboardEvent("keydown", space));  // it plays
        const look = () => {
            seen.add(head.style.transform);
            if (document.querySelector(".round-field").value < 2) requestAnimationFrame(look);
            else done(seen.size);
        };
        look();
    })"""
    places = []
    for motion in ("reduce", "no-preference"):
        page.emulate_media(reduced_motion=motion)
        page.keyboard.press("Home")
        places.append(page.evaluate(moved))
    assert places[0] <= 3 < places[1]


PAIR = {"population": [1, 1], "military": [0, 1], "alive": [True, True]}
CROSSED = """() => {
    const label = document.querySelector(".chart-text").getBoundingClientRect();
    return [...document.querySelectorAll(".curve")].map((one) => one.getBoundingClientRect().top)
        .filter((top) => top < label.bottom);
}"""
"""The curves of the chart that reach into its label."""
ONES = r"\b1 (?:\w+s|people|armies|countries)\b"
"""One of something in the plural."""


@pytest.mark.parametrize(
    ("game", "values", "texts"),
    [
        ("warlight", {}, ["1 region", "2 regions"]),
        ("hextrategic", {}, ["1 cell", "2 cells"]),
        ("toroid", {"countries": [1, 2]}, ["1 country", "2 countries"]),
        ("codecharacter", {"tiles": [1, 2]}, ["1 tile", "2 tiles"]),
        ("tncc", PAIR, ["1 person", "2 people"]),
    ],
)
def test_one_of_something_is_said_in_the_singular(
    game: str, values: dict[str, Any], texts: list[str], pages: Pages
) -> None:
    """By the cards of the players, and by the board in words; the chart goes up to many."""
    first = frames_of(record(game))[0]
    if "owner" in first:
        each = [1] * len(first["owner"])
        values |= {"owner": [0, 1, 1, *[-1] * (len(each) - 3)], "units": each, "armies": each}
    page = pages.open(ending(record(game), values), address="#round=999")
    assert page.locator(".standing").all_inner_texts() == texts
    assert page.evaluate(CROSSED) == []
    said = page.locator(".stage title, .stage .purse").all_text_contents()
    assert (
        re.findall(
            ONES, " ; ".join([*said, page.locator(".stage").get_attribute("aria-label") or ""])
        )
        == []
    )
    expect(page.locator(".chart-text")).to_have_text(re.compile(rf" {texts[1].split()[1]}$"))


def test_warnings_leave_the_board_its_room_on_a_phone(pages: Pages) -> None:
    page = pages.open(ending(record("warlight"), {"round": 12, "moves": []}))
    resize(page, 360, 740)
    boxes = [page.locator(name).first.bounding_box() for name in (".warning", ".stage", "h1")]
    warning, stage, title = [box for box in boxes if box]
    assert warning["y"] >= title["y"] + title["height"]
    assert warning["width"] >= 300
    assert stage["height"] >= 240


def test_a_view_tells_what_its_player_knows_alone(pages: Pages) -> None:
    page = pages.open("toroid", address="#round=3")
    log, headline = page.locator(".log"), page.locator(".headline")
    orders, public = log.inner_text(), headline.inner_text()
    page.keyboard.press("1")
    assert log.inner_text() != orders
    assert headline.inner_text() not in ("", public)
    chart, marks = page.locator(".chart"), page.locator(".chart g title")
    shown = [*marks.all_text_contents()]
    assert "as far as player1 sees" in (chart.get_attribute("aria-label") or "")
    assert {who for who in ("player1", "player2", "player3") if f"{who}:" in "".join(shown)} <= {
        "player1"
    }
    expect(page.locator(".seat .bank:not(:empty)")).to_have_count(1)
    page.keyboard.press("0")
    assert "".join(marks.all_text_contents()) != "".join(shown)
    assert "as far as" not in (chart.get_attribute("aria-label") or "")
    expect(page.locator(".seat .bank:not(:empty)")).to_have_count(3)
    expect(page.locator(".drawing-notes")).to_be_attached()


def drawing(*texts: str) -> bytes:
    """The record of a match in which these are the drawings of each seat."""
    lines = record("warlight").splitlines(keepends=True)
    for number, line in enumerate(lines):
        if b'"drawn"' in line[:20]:
            drawn = json.loads(line)
            drawn |= {"text": texts[drawn["seat"]], "left_out": 0}
            lines[number] = json.dumps(drawn).encode() + b"\n"
    return b"".join(lines)


def test_the_panel_of_drawings_is_there_when_it_has_something_to_list(pages: Pages) -> None:
    """And the button that hides what is drawn on the board, where something is."""
    page = pages.open(drawing("mark 1 good", "moment now"))
    panel, button = page.locator(".tab-drawings"), page.get_by_title("Drawings of bots (b)")
    expect(panel).to_be_hidden()
    expect(button).to_be_visible()
    page = pages.open(drawing("side thinking", "mark 1"))
    expect(panel := page.locator(".tab-drawings")).to_be_visible()
    page.keyboard.press("2")
    expect(panel).to_be_hidden()
    page.keyboard.press("1")
    expect(panel).to_be_visible()
    page = pages.open(drawing("value hope 3", "nonsense"))
    expect(page.locator(".tab-drawings")).to_contain_text("1 line of @viz not understood")
    expect(page.get_by_title("Drawings of bots (b)")).to_have_count(0)


@pytest.mark.parametrize("game", GAMES)
def test_rules_of_accessibility(game: str, pages: Pages) -> None:
    """As axe-core knows them: labels, roles, contrast, what can be reached with keys."""
    page, axe = pages.open(game, address="#round=3"), Axe()
    for box in page.locator("details").all():
        box.evaluate("(node) => { node.open = true; }")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = axe.run(page)
        assert found.violations_count == 0, found.generate_report()
    page.keyboard.press("?")
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()


def test_the_inspector_has_every_line_and_copies_the_command(pages: Pages) -> None:
    page = pages.open("warlight", address="#round=2&view=player1")
    some_way_on = re.compile(r"translateX\(\d{3}")  # pixels from the left
    expect(page.locator(".playhead")).to_have_attribute("style", some_way_on)
    entries = page.locator(".entries")
    expect(entries.locator(".request").first).to_be_visible()
    assert "bank 10.00 s" in entries.inner_text()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("() => { window.setTimeout = () => 0; }")  # "Copied" stays until it is seen
    rerun = page.get_by_title("The command that replays this round to a bot")
    rerun.click()
    expect(rerun).to_have_text("Copied")
    assert page.evaluate("() => navigator.clipboard.readText()") == (
        "arena rerun 0-warlight.jsonl --player 1 --round 2 BOT"
    )
    cut = page.get_by_title("The command that makes a position of this very round")
    cut.click()
    expect(cut).to_have_text("Copied")
    assert page.evaluate("() => navigator.clipboard.readText()") == (
        "arena cut 0-warlight.jsonl --player 1 --round 2 -o POS"
    )
    lines = page.get_by_title("All lines that its program read up to here")
    lines.click()
    expect(lines).to_have_text("Copied")
    page.keyboard.press("/")
    page.keyboard.type("settings your_bot")
    expect(page.locator(".count")).to_have_text("1 round")
    page.keyboard.press("Enter")
    assert shown_round(page) == 0
    expect(entries.locator(".found")).to_have_count(1)


def test_a_click_on_the_chart_goes_there(pages: Pages) -> None:
    page = pages.open("toroid")
    box = page.locator(".chart-box").bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] - 12, box["y"] + 30)
    assert shown_round(page) == int(page.locator(".of").inner_text().split()[-1])
    assert page.locator(".fault").count() >= 1


def test_keys_are_listed_and_do_nothing_in_fields(pages: Pages) -> None:
    page = pages.open("tncc")
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_contain_text("next or previous event")
    page.keyboard.press("ArrowRight")
    page.get_by_label("Letters are keys").click()
    page.keyboard.press("Escape")
    assert shown_round(page) == 0
    page.keyboard.press("v")
    stands_at(page, "round=0")
    page.get_by_label("Go to round").fill("3")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    assert shown_round(page) == 3


def test_several_matches_are_a_list(pages: Pages) -> None:
    page = pages.open("warlight", "toroid")
    page.get_by_role("button", name=re.compile("Toroid")).click()
    expect(page.locator("h1")).to_have_text("Toroid Wars")
    page.keyboard.press("ArrowRight")
    stands_at(page, "match=2&round=1")
    page.get_by_role("button", name="All matches").click()
    expect(page.locator("h1")).to_have_text("2 matches")
    expect(page.get_by_role("button", name=re.compile("Toroid"))).to_be_focused()
    page.evaluate("() => { location.hash = '#match=1&round=3'; }")
    expect(page.locator("h1")).to_have_text("Warlight AI Challenge 2")
    page.evaluate("() => { location.hash = '#match=2&round=4'; }")
    expect(page.locator("h1")).to_have_text("Toroid Wars")
    stands_at(page, "match=2&round=4")


def test_a_crash_is_told_where_one_looks(pages: Pages) -> None:
    page = pages.open(record("warlight", crashed=True))
    crash = re.compile(
        r"player2 crashed in round \d+: IndexError: list index out of range \(bot\.py, line 14\)"
    )
    expect(page.locator(".sub").first).to_have_text(crash)
    said = page.locator(".sub").first.inner_text()
    number = int(re.findall(r"in round (\d+)", said)[0])
    page.get_by_label("Go to round").fill(str(number))
    page.get_by_label("Go to round").press("Enter")
    expect(page.locator(".headline")).to_have_text(crash)
    expect(page.locator(".log .events")).to_contain_text(crash)
    page.keyboard.press("1")
    expect(page.locator(".log .events")).not_to_contain_text("crashed")  # no line tells a rival


def test_two_matches_stand_side_by_side(pages: Pages) -> None:
    """The page opens where they first differ, and their charts have the same axes."""
    past, shown, rest = record("warlight").partition(b'"round":3,')
    other = re.sub(rb'("seat":1,"text":")', rb"\1other ", rest).splitlines(keepends=True)
    changed = past + shown + b"".join(other[: len(other) // 2])
    page = pages.open("warlight", changed, compare=True)
    expect(page.locator(".stage")).to_have_count(2)
    assert shown_round(page) == 4
    page.keyboard.press("End")
    heads = page.locator(".playhead").evaluate_all("(all) => all.map((one) => one.style.transform)")
    assert heads[0] == heads[1]
    labels = page.locator(".chart-text").all_text_contents()
    assert labels[0] == labels[1]
    page.keyboard.press("n")
    assert shown_round(page) == 4
    titles = page.locator(".tab > summary").all_inner_texts()
    assert titles[:2] == ["Round 0-warlight.jsonl", "Round 1-changed.jsonl"]


@pytest.mark.parametrize("game", GAMES)
def test_hostile_bots_are_shown_as_text_and_hold_the_layout(game: str, pages: Pages) -> None:
    page = pages.open(game, hostile=True)
    resize(page, 360, 740)
    page.get_by_text("Inspector", exact=True).click()
    page.keyboard.press("End")
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "1"):
        page.keyboard.press(key)
        expect(page.locator(".entries .entry").first).to_be_attached()
        wide = page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= 360, key
    assert page.locator("main img, main script, main a").count() == 0
    name = page.locator(".seat .name").first.inner_text()
    assert name == HOSTILE.replace("\x1b", r"\x1b").replace("\u202e", r"\u202e").replace(
        "\u200f", r"\u200f"
    )


@pytest.mark.skipif(
    not os.environ.get("ARENA_SCREENSHOTS"), reason="pictures are for people: ARENA_SCREENSHOTS=1"
)
@pytest.mark.parametrize("game", GAMES)
def test_pictures(game: str, pages: Pages) -> None:
    folder = ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    page = pages.open(game, address="#round=3")
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            resize(page, width, height)
            page.screenshot(path=folder / f"{game}-{width}-{scheme}.png")


def test_turning_points_lead_to_their_round_by_keys(pages: Pages) -> None:
    """The toroid match has some. What a player sees tells no chances, which rest on the board."""
    page = pages.open("toroid")
    tab, head = page.locator(".turns"), page.locator(".tab-chances summary")
    head.focus()
    page.keyboard.press("Enter")
    expect(tab.locator(".turns-now")).to_contain_text("player1 33 %")
    first = tab.get_by_role("button").first
    number = int(first.inner_text().split()[1].rstrip(":"))
    first.focus()
    page.keyboard.press("Enter")
    assert shown_round(page) == number
    assert tab.get_by_role("button", name="Copy rerun").count() >= 1
    page.keyboard.press("Home")
    page.keyboard.press("1")
    expect(head).to_be_hidden()
    page.keyboard.press("0")
    expect(head).to_be_visible()


SPIEL_PIECES = {
    "tic_tac_toe": (9, {"×": 2, "○": 1}),
    "connect_four": (42, {"●": 3}),
    "chess": (64, {"♟": 16, "♚": 2}),
    "go": (361, {"●": 3}),
}
"""Squares, and signs after three moves, of the games of OpenSpiel that are drawn."""


@pytest.mark.parametrize("name", SPIEL_PIECES)
def test_a_board_of_openspiel_is_drawn(name: str, pages: Pages) -> None:
    needs_open_spiel()
    page = pages.open(record(f"openspiel:{name}", 2, 3))
    squares, signs = SPIEL_PIECES[name]
    expect(page.locator(".stage .square")).to_have_count(squares)
    pieces = page.locator(".stage .piece")
    if name != "chess":
        assert not "".join(pieces.all_text_contents())
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("round=3"))
    drawn = "".join(pieces.all_text_contents())
    assert {sign: drawn.count(sign) for sign in signs} == signs
    title = page.locator(".stage .square:has(text:text-matches('.')) title").first
    assert re.fullmatch(r"column \d+, row \d+: . of player[12]", title.text_content() or "")
    label = page.locator(".stage").get_attribute("aria-label") or ""
    assert label.startswith("Moves so far: 3.")


def test_other_games_of_openspiel_show_their_text(pages: Pages) -> None:
    """Also with more seats than there are colours."""
    needs_open_spiel()
    page = pages.open(record("openspiel:blotto", 10, 3))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".stage pre.picture")).to_contain_text("P9 action: [")
    expect(page.locator(".legend-openspiel li")).to_have_count(10)
    assert "J player10" in page.locator(".legend-openspiel").inner_html()
