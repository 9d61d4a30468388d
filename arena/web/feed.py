"""The feed of one open page: the story of the match goes out, the wishes of its person come in.

A page is a WebSocket of this process, or one that another process serves and passes on: whatever
`Page` says.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Protocol

import msgspec
import trio

from arena.web.desk import NOT_READ, read_wish

if TYPE_CHECKING:
    from arena.web.live import LiveMatch

REST = 0.02
"""Minimum seconds between answers to messages of a page: a flood of them took most of a core."""


class PageClosed(Exception):
    """The page was closed, or its connection broke."""


class Page(Protocol):
    """An open page. All three raise PageClosed."""

    async def hear(self) -> str:
        """The next message of the page."""

    async def say(self, text: str) -> None:
        """Send a message to the page."""

    async def close(self) -> None:
        """Close the connection to the page; it stays as it is."""


async def feed_spectator(live: LiveMatch, page: Page) -> None:
    """Show a match to a spectator, who may pause it, until it ends or the page is closed."""
    with live.shown_to_spectator():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_listen, live, page, nursery.cancel_scope)
            await _tell(page, live.messages())
            nursery.cancel_scope.cancel()


async def feed_person(live: LiveMatch, seat: int, page: Page) -> None:
    """Show a match to the person of a seat, and take the person's replies, until it ends or the
    page is closed."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer_all, live, seat, page, nursery.cancel_scope)
        await _tell(page, live.seat_messages(seat))
        nursery.cancel_scope.cancel()


async def _listen(live: LiveMatch, page: Page, scope: trio.CancelScope) -> None:
    """Handle the messages of a spectator page until it closes."""
    word = ""
    try:
        while True:
            word = await page.hear()
            if word == "pause":
                live.pause()
            elif word == "go on":
                live.go_on()
    except PageClosed:
        pass
    finally:
        if word == "pause":
            live.go_on()
        scope.cancel()


async def answer_all(live: LiveMatch, seat: int, page: Page, scope: trio.CancelScope) -> None:
    """Answer the messages of a person's page, at a pace, until it closes."""
    desk = live.desks[seat]
    try:
        while True:
            wish = read_wish(await page.hear())
            reply = NOT_READ if wish is None else await desk.hear(wish)
            await page.say(msgspec.json.encode(reply).decode())
            await trio.sleep(REST)
    except PageClosed:
        pass
    finally:
        scope.cancel()


async def _tell(page: Page, messages: AsyncGenerator[bytes]) -> None:
    with suppress(PageClosed):
        async with aclosing(messages):
            async for message in messages:
                await page.say(message.decode())
        await page.close()
