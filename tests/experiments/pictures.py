"""The pictures in README.md, one of a page for each game, and two of the site of a contest:
``python -m tests.experiments.pictures [GAME… | site]``.

The program plays a match between sample bots, opens its page at a round in Chromium, and writes
`.github/pictures/GAME.webp`. It needs Chromium and the languages of the bots.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from playwright.sync_api import Browser, Page, sync_playwright

from arena.league.bots import hand_in
from arena.league.judge import Judge
from arena.league.league import League
from arena.league.plan import Meetings
from arena.league.types import settle
from arena.site.results import bot_names
from arena.view.page import view_page
from tests.site.browsing import served

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github" / "pictures"
WIDTH, HEIGHT = 1120, 760
"""Of the window, in px."""
QUALITIES = (80, 70, 60, 50, 40, 30)
"""Of WebP: the best that fits is taken."""
LARGEST = 60_000
"""Bytes of a picture, at most."""


class Scene(Struct, frozen=True):
    """What a picture shows."""

    bots: tuple[str, ...]
    """Sample bots of the game."""
    round: int
    dark: bool = False


SCENES = {
    "warlight": Scene(("strong.py", "greedy.js"), 9),
    "toroid": Scene(("strong.js", "simple.py", "strong.js", "simple.py"), 16, dark=True),
    "hextrategic": Scene(("strong.cpp", "simple.py") * 3, 11),
    "tncc": Scene(("strong.js", "simple.py", "strong.js", "simple.py"), 16, dark=True),
    "codecharacter": Scene(("strong.cpp", "simple.py"), 400),
}


def main(names: list[str]) -> None:
    """Make the pictures of these games, or of all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in names or [*SCENES, SITE]:
            if name == SITE:
                site_pictures(browser, Path(folder))
                continue
            data = picture(browser, name, Path(folder))
            (FOLDER / f"{name}.webp").write_bytes(data)
            print(f"{name}: {len(data)} bytes")
        browser.close()


def picture(browser: Browser, name: str, folder: Path) -> bytes:
    """A picture of the page of a match."""
    scene, file = SCENES[name], folder / f"{name}.html"
    file.write_text(view_page([play(name, scene, folder)]), "utf-8")
    page = browser.new_page(
        viewport={"width": WIDTH, "height": HEIGHT},
        color_scheme="dark" if scene.dark else "light",
    )
    page.goto(f"{file.as_uri()}#round={scene.round}")
    page.wait_for_selector(".stage")
    page.wait_for_timeout(1000)  # what glides has come to rest
    return smallest_loss(page, QUALITIES)


SITE = "site"
CONTESTANTS = ("strong.py", "simple.py", "border.sh", "greedy.js", "raider.cpp")


def site_pictures(browser: Browser, folder: Path) -> None:
    """The standings of a contest between sample bots, and the page of one."""
    path, sources = folder / "spring cup.league", ROOT / "sample_bots" / "warlight"
    with League.begin(path, settle("warlight", None, {"seed": "7", "sandbox": "auto"})) as league:
        for name in CONTESTANTS:
            if (sources / name).exists():
                hand_in(league, sources / name)
        for _ in Judge(league, Meetings(4), jobs=2).run():
            pass
        number = next(iter(bot_names(league).values()))
    pages = (("standings", "standings", "light"), ("bot", f"bots/{number}", "dark"))
    with served(path) as url:
        for name, address, scheme in pages:
            page = browser.new_page(
                viewport={"width": WIDTH, "height": HEIGHT},
                color_scheme="dark" if scheme == "dark" else "light",
            )
            page.goto(f"{url}{address}")
            data = smallest_loss(page, QUALITIES)
            (FOLDER / f"site-{name}.webp").write_bytes(data)
            print(f"site-{name}: {len(data)} bytes")


def play(name: str, scene: Scene, folder: Path) -> Path:
    """The replay of a match. Its name stands on the page."""
    replay = folder / f"{name}.jsonl.gz"
    bots = [str(ROOT / "sample_bots" / name / bot) for bot in scene.bots]
    command = [sys.executable, "-m", "arena", "play", name, *bots, "--seed", "7"]
    subprocess.run([*command, "--replay", str(replay)], check=True, stdout=subprocess.DEVNULL)
    return replay


def shoot(page: Page, quality: int) -> bytes:
    """What the window shows. Playwright itself makes no WebP."""
    session = page.context.new_cdp_session(page)
    told = session.send("Page.captureScreenshot", {"format": "webp", "quality": quality})
    return base64.b64decode(told["data"])


def smallest_loss(page: Page, qualities: Sequence[int]) -> bytes:
    """The picture of the best quality that is small enough, or the smallest."""
    best, *lower = qualities
    data = shoot(page, best)
    return data if len(data) <= LARGEST or not lower else smallest_loss(page, lower)


if __name__ == "__main__":
    main(sys.argv[1:])
