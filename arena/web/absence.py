"""Notices when a person has closed the page that the match waits for."""

from __future__ import annotations

from collections.abc import Callable

import trio

from arena.web.desk import PageDesk
from arena.web.news import News

AWAY = 2.0
"""Seconds for which no page shows a desk before that is told: a page that is loaded again, or whose
connection broke, is back sooner."""


async def watch(desk: PageDesk, news: News, tell: Callable[[bool], None]) -> None:
    """Tell each time that a person has closed the page (False), and is back (True)."""
    await desk.here.wait()
    while True:
        await _until(lambda: desk.pages == 0, news)
        with trio.move_on_after(AWAY) as patience:
            await _until(lambda: desk.pages > 0, news)
        if patience.cancelled_caught:
            tell(False)
            await _until(lambda: desk.pages > 0, news)
            tell(True)


async def _until(holds: Callable[[], bool], news: News) -> None:
    while not holds():
        await news.next.wait()
