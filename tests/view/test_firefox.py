"""Pages in Firefox: they open, and keys, views and the inspector work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.core.registry import GAMES
from arena.view.page import view_page
from tests.support.firefox import END, HOME, RIGHT, Firefox
from tests.support.tools import needs_tool
from tests.view.records import record
from tests.view.test_browser import SEATS

pytestmark = [pytest.mark.dear, pytest.mark.tool, pytest.mark.xdist_group("firefox")]
FILLED = "return document.querySelectorAll('.entries .entry').length > 1"


@pytest.fixture(scope="module")
def firefox() -> Iterator[Firefox]:
    """One for all tests."""
    with Firefox(needs_tool("firefox-esr", "firefox-esr")) as firefox:
        yield firefox


def page_of(game: str, folder: Path) -> Path:
    """The page of a short match."""
    replay, page = folder / f"{game}.jsonl", folder / f"{game}.html"
    replay.write_bytes(record(game, SEATS.get(game, 2)))
    page.write_text(view_page([replay]), "utf-8")
    return page


@pytest.mark.parametrize("game", GAMES)
def test_a_page_works_in_firefox(game: str, firefox: Firefox, tmp_path: Path) -> None:
    firefox.open(page_of(game, tmp_path))
    firefox.press(RIGHT, RIGHT, "2")
    firefox.wait("return location.hash === '#round=2&view=player2'")
    firefox.press("0", "t", HOME, "e", END, HOME, RIGHT, "z")
    assert firefox.ask("return document.querySelector('.zoomed') !== null")
    firefox.press("r", "b", "b", "b")
    firefox.wait(FILLED)
    assert firefox.ask("return document.querySelectorAll('.problem:not([hidden])').length") == 0
    label = "return document.querySelector('.stage').getAttribute('aria-label').length > 9"
    assert firefox.ask(label)
    firefox.press("?")
    assert firefox.ask("return document.querySelector('dialog').open")
