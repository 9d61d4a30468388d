"""A site in this process, and browsers that visit it: mostly without a network."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from arena.league.league import League
from arena.site import accounts, deeds
from arena.site.app import make_app
from arena.site.contest import Contest
from arena.site.pages import SiteAddress
from arena.site.run import BOUNDS, address_of, listen
from arena.web.http import serve
from tests.web.serving import running

HOST = "127.0.0.1:8000"
URL = f"http://{HOST}"
ADDRESS = SiteAddress("http", (HOST,))


class Browser(httpx.AsyncClient):
    """A browser that keeps cookies, and sends forms with where they come from."""

    def __init__(self, site: Site, address: str = "127.0.0.1") -> None:
        super().__init__(
            transport=httpx.ASGITransport(
                site.app, raise_app_exceptions=False, client=(address, 1)
            ),
            base_url=f"{URL}/{site.contest.slug}/",
            headers={"Origin": URL},
        )
        self.site = site

    async def send_form(self, path: str, *, files: Any = None, **fields: str) -> httpx.Response:
        """Send a form with the token of the page that it stands on, as a browser does."""
        page = await self.get("account" if "session" in self.cookies else "sign-in")
        found = re.search(r'name="form_token" value="(\w*)"', page.text)
        assert found is not None
        return await self.post(path, data={"form_token": found[1], **fields}, files=files)

    async def join(self, name: str, role: str = accounts.AUTHOR) -> str:
        """Accept an invitation. Returns the key."""
        invitation = deeds.invite(self.site.league, None, role)
        answer = await self.send_form("join", invitation=invitation.secret, name=name)
        assert answer.status_code == 200, answer.text
        found = re.search(r'class="secret"[^>]*>([\w-]+)<', answer.text)
        assert found is not None
        return found[1]

    async def upload(self, bot: str, name: str, content: bytes) -> httpx.Response:
        """Upload a bot by the form of the account."""
        return await self.send_form("upload", bot=bot, files={"file": (name, content)})


class Site:
    """A contest, its application, and the same league for the test itself."""

    def __init__(self, contest: Contest, league: League) -> None:
        self.contest, self.league = contest, league
        self.app = make_app({contest.slug: contest}, ADDRESS)

    def browser(self, address: str = "127.0.0.1") -> Browser:
        """A browser without cookies, at an address."""
        return Browser(self, address)


@asynccontextmanager
async def visited(path: Path) -> AsyncIterator[Site]:
    """The site of a league for the time of a ``with``."""
    with Contest(path) as contest, League(path, any_thread=True) as league:
        yield Site(contest, league)


@contextmanager
def served(path: Path) -> Iterator[str]:
    """The pages of a league at an address of this machine, without judge and examiner."""
    listening = listen("127.0.0.1", 0)
    address = address_of("127.0.0.1", listening.getsockname()[1], None)
    with listening, Contest(path) as contest:
        app = make_app({contest.slug: contest}, address)
        with running(partial(serve, app, listening, bounds=BOUNDS)):
            yield f"{address.url}/{contest.slug}/"
