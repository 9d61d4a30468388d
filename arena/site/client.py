"""The other side of the JSON API: hands a bot in to a site, and follows its report.

With the standard library alone, so that authors need not install what a site needs.
"""

from __future__ import annotations

import http.client
import re
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from arena.errors import UsageError
from arena.site.openapi import ApiProblem
from arena.site.uploads import NewUpload, ReportState, ReportStep, Upload
from arena.text import printable

T = TypeVar("T")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
SECONDS = 60.0
"""Seconds to wait for a site that says nothing. (A stream says something every 15.)"""
ANSWER = 16 << 20
"""Maximum bytes of an answer or of an event."""
TRIES = 6
"""Times in a row that a report is asked for while the site cannot be reached."""
EVENTS = 10_000
"""Events and streams of one report: a site that tells more of an upload has something in mind."""
PAUSE = 2.0
"""Seconds between two of them."""


class Unreachable(UsageError):
    """A site that does not answer (any more)."""


class SiteClient:
    """A contest on a site, for one token."""

    def __init__(self, url: str, token: str) -> None:
        """`url` is the address of the contest, or that of a site with one contest.

        Raises UsageError when it is none, or when the token cannot be one."""
        try:
            parts = urlsplit(url)
            self.host, self._port = parts.hostname or "", parts.port
        except ValueError:
            parts, self.host, self._port = urlsplit(""), "", None
        if parts.scheme not in ("http", "https") or not self.host or "@" in parts.netloc:
            raise UsageError(
                f"{printable(url)} is no address of a contest: write https://HOST/CONTEST"
            )
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise UsageError("the token is empty or no token: make one on the page of your account")
        self.is_secret = parts.scheme == "https" or self.host in LOOPBACK
        """Whether nobody on the way reads the token."""
        self._scheme, self._token = parts.scheme, token
        self._url = f"{parts.scheme}://{parts.netloc}"
        self._contest = parts.path.strip("/").partition("/")[0] or self._only_contest()

    def _only_contest(self) -> str:
        """The contest to which the first page of a site sends browsers."""
        connection = self._connect()
        try:
            response = self._respond(connection, "GET", "/", {})
            place = response.headers.get("Location", "")
        finally:
            connection.close()
        found = re.fullmatch(r"/([a-z0-9-]+)/", place)
        if response.status != 302 or found is None:
            raise UsageError(f"name the contest too, as in {self._url}/CONTEST")
        return found[1]

    def game(self) -> str:
        """The game of the contest. Raises UsageError, also when the token does not hold."""
        return str(self._ask("GET", "me", dict[str, Any]).get("game", ""))

    def upload(self, bot: str, file: Path) -> NewUpload:
        """Hand in a file as a version of a bot. Raises UsageError."""
        try:
            with file.open("rb") as body:
                size = file.stat().st_size
                path = f"bots/{quote(bot, safe='')}/versions?file={quote(file.name)}"
                headers = {
                    "Content-Length": str(size),
                    "Content-Type": "application/octet-stream",
                }
                return self._ask("POST", path, NewUpload, body=body, headers=headers)
        except OSError as error:
            raise UsageError(f"cannot read {file}: {error.strerror}") from None

    def follow(self, number: int, tell: Callable[[str], None]) -> Upload:
        """Follow the report of an upload to its end. `tell` gets its steps. Raises UsageError."""
        told, tries, heard = 0, 0, 0
        while heard < EVENTS:
            before, heard = told, heard + 1
            try:
                for kind, data in self._events(f"uploads/{number}/events"):
                    heard += 1
                    if heard > EVENTS:
                        break
                    if kind == "report":
                        return _decoded(data, Upload)
                    if kind == "state":
                        _tell_state(_decoded(data, ReportState), tell)
                    elif kind == "step":
                        step = _decoded(data, ReportStep)
                        if step.number > told:
                            told = step.number
                            tell(step.step)
            except Unreachable as error:
                tries = 1 if told > before else tries + 1
                if tries >= TRIES:
                    raise UsageError(
                        f"{error}; the upload goes on there: {self._page(f'uploads/{number}')}"
                    ) from None
            time.sleep(PAUSE)
        raise UsageError(f"the site tells without end: look at {self._page(f'uploads/{number}')}")

    def _page(self, path: str) -> str:
        return f"{self._url}/{self._contest}/{path}"

    def _ask(self, method: str, path: str, kind: type[T], **more: Any) -> T:
        connection = self._connect()
        try:
            response = self._call(connection, method, path, **more)
            return _decoded(self._read(response.read), kind)
        finally:
            connection.close()

    def _events(self, path: str) -> Iterator[tuple[str, bytes]]:
        """The events of a stream: each a kind and its data."""
        connection = self._connect()
        try:
            response = self._call(connection, "GET", path)
            kind = ""
            while line := self._read(response.readline):
                name, _, value = line.rstrip(b"\r\n").partition(b": ")
                if name == b"event":
                    kind = value.decode("ascii", "replace")
                elif name == b"data":
                    yield kind, value
        finally:
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        if self._scheme == "http":
            return http.client.HTTPConnection(self.host, self._port, timeout=SECONDS)
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(self.host, self._port, timeout=SECONDS, context=context)

    def _call(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        *,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> http.client.HTTPResponse:
        """The response to a call that was done. Raises UsageError with what the site says else."""
        given = {"Authorization": f"Bearer {self._token}", **(headers or {})}
        response = self._respond(
            connection, method, f"/{self._contest}/api/{path}", given, body=body
        )
        if response.status < 300:
            return response
        if response.status < 400:  # the token is for this site, and for no other
            raise UsageError(f"{self._url} sends to another address: name that one")
        try:
            why = _decoded(self._read(response.read), ApiProblem).error
        except UsageError:
            why = f"{self._page('')} has no JSON API: name a contest, as in {self._url}/CONTEST"
        if response.status >= 500:
            raise Unreachable(f"{self._url}: {printable(why)}")
        raise UsageError(f"{self._url}: {printable(why).rstrip('.')}")

    def _respond(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        headers: dict[str, str],
        body: Any = None,
    ) -> http.client.HTTPResponse:
        with self._reaching():
            try:
                connection.request(method, path, body=body, headers=headers)
            except (BrokenPipeError, ConnectionResetError):
                if body is None:
                    raise
                # the site has answered before it had read everything: it says why
            return connection.getresponse()

    def _read(self, read: Callable[[int], bytes]) -> bytes:
        with self._reaching():
            return read(ANSWER)

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Raise Unreachable for what fails on the way to the site and back."""
        try:
            yield
        except (OSError, http.client.HTTPException) as error:
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise Unreachable(f"{self._url} does not answer: {printable(why)}") from None


def _decoded(data: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the site answers what this release does not know ({error}): install its release"
        ) from None


def _tell_state(state: ReportState, tell: Callable[[str], None]) -> None:
    if state.ahead:
        tell(f"{printable(state.state)}, {state.ahead} before it")
