"""The process of a match that people play: ``python -m arena.site.hosting PARENT FILE NUMBER FD``.

Why a process of its own: the rules, the help of a person (which tries answers by the rules) and
the story of a match take up to seconds of CPU time, in the loop and in threads that share its
lock; programs need a keeper; and a match may last hours and fail. None of that may stop the loop
that serves pages. When the process ends, so do its bots, and all its memory is given back.

The server and the process share a socket. For each page that a person opens, the server sends the
seat as a message, and with it a socket of that page alone, on which messages are lines. So a page
that reads slowly holds up nobody else, there is no address that a bot could find, and what the
match knows stays in its process: the server passes on what the seat may see.

Bots play on the league's terms, but never ponder: a bot that computes while a person thinks, for
hours, would take a core from everybody.
"""

from __future__ import annotations

import array
import os
import socket
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import trio
from msgspec.structs import replace

from arena.errors import ArenaError, UsageError, root_cause
from arena.league.league import League, sync
from arena.league.types import spec_of
from arena.site import boards
from arena.site.boards import PeopleMatch
from arena.text import counted

if TYPE_CHECKING:
    from arena.match.report import MatchReport
    from arena.match.spec import MatchSpec
    from arena.sandbox.children import Children
    from arena.web.live import LiveMatch

PAGES = 4
"""Pages of one seat that may be open at a time."""
COMING = 600.0
"""Seconds, or one limit if that is longer, in which each person must have opened the board."""
WEEK = 7 * 24 * 3600.0
"""Seconds after which a match that is not over is broken off."""
LEAVING = 5.0
"""Seconds in which pages can hear of the end."""
LARGEST_LINE = 1 << 20
"""Bytes of a message from a page. (The server has a lower bound.)"""
CHUNK = 1 << 16


# -- the server's side -----------------------------------------------------------------------------


class Hosted:
    """A match that another process plays, as the server has it."""

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours.setblocking(False)
        self._pages: Counter[int] = Counter()

    @property
    def handle(self) -> int:
        """The descriptor that the process is given."""
        return self._theirs.fileno()

    def close(self) -> None:
        """Close both ends."""
        self._ours.close()
        self._theirs.close()

    @contextmanager
    def page(self, seat: int) -> Iterator[trio.SocketStream | None]:
        """A connection for one more page of a seat; None when it has too many, or the process has
        ended."""
        self._pages[seat] += 1
        try:
            yield self._connect(seat) if self._pages[seat] <= PAGES else None
        finally:
            self._pages[seat] -= 1

    def _connect(self, seat: int) -> trio.SocketStream | None:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                handles = array.array("i", [theirs.fileno()])
                rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, handles)
                self._ours.sendmsg([f"{seat}".encode()], [rights])
            except OSError:
                ours.close()
                return None
        return trio.SocketStream(trio.socket.from_stdlib_socket(ours))


class Lines:
    """Lines of text on a stream, both ways."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._read = bytearray()

    async def receive(self, largest: int | None = None) -> str | None:
        """The next line; None at the end, and for one that is longer than `largest` bytes."""
        at = 0
        while (end := self._read.find(b"\n", at)) < 0:
            at = len(self._read)
            if largest is not None and at > largest:
                return None
            try:
                data = await self._stream.receive_some(CHUNK)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return None
            if not data:
                return None
            self._read += data
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        return line.decode("utf-8", "replace")

    async def send(self, text: str) -> bool:
        """Send a line. (A line break in JSON is space.) Returns whether anybody is there."""
        line = text.replace("\n", " ").encode("utf-8", "replace")
        try:
            await self._stream.send_all(line + b"\n")
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return False
        return True


# -- the match's side ------------------------------------------------------------------------------


def host(file: Path, number: int, control: socket.socket) -> None:
    """Play a match of people to its end, and keep its record."""
    from arena.api.inside import keeper_for
    from arena.sandbox.session import run_with

    with League(file) as league:
        match = boards.people_match(league, number, None)
        assert match is not None
        spec = spec_for(league, match)
    keep = partial(keep_record, file, number)
    try:
        with keeper_for(spec) as keeper:
            run_with(keeper, lambda children: play(spec, match, control, keep, children))
    except ArenaError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        break_off(file, number, f"{error}" if isinstance(error, BrokenOff) else boards.FAILED)


class BrokenOff(UsageError):
    """A match ended early, for a reason that its people are told."""


def keep_record(file: Path, number: int, report: MatchReport) -> None:
    """End a match in the league: move its record to its place, then add the row."""
    with League(file) as league:
        draft = boards.draft_of(league.folder, number)
        record = boards.record_of(league.folder, number)
        record.parent.mkdir(parents=True, exist_ok=True)
        sync(draft)
        draft.rename(record)
        sync(record.parent)
        boards.end(league, number, report.sentence)


def break_off(file: Path, number: int, problem: str) -> None:
    """End a match without a record."""
    with League(file) as league:
        boards.draft_of(league.folder, number).unlink(missing_ok=True)
        boards.end(league, number, problem=problem)


def spec_for(league: League, match: PeopleMatch) -> MatchSpec:
    """The match with its bots on the terms of the league; people have no desks yet.

    Raises UsageError and BotError.
    """
    from arena.league.bots import LeagueBots
    from arena.players.entrant import HumanEntrant

    boards.folder_of(league.folder).mkdir(exist_ok=True)
    bots, spec = LeagueBots(league), spec_of(league.terms)
    entrants = [
        HumanEntrant(chair.name) if chair.bot is None else bots.entrant(chair.bot)
        for chair in match.chairs
    ]
    timing = replace(spec.terms.timing, pondering=False)
    return replace(
        spec,
        entrants=tuple(entrants),
        seed=match.seed,
        terms=replace(spec.terms, timing=timing),
        replay=boards.draft_of(league.folder, match.number),
    )


async def play(
    spec: MatchSpec,
    match: PeopleMatch,
    control: socket.socket,
    keep: Callable[[MatchReport], None],
    children: Children | None,
) -> None:
    """Play on pages that come by `control`; `keep` is called before they hear of the end.

    Raises BrokenOff when somebody does not come or the match takes too long, and what `play_match`
    raises.
    """
    from arena.match.play import play_match
    from arena.players.entrant import HumanEntrant
    from arena.web.desk import PageDesk
    from arena.web.live import LiveMatch

    record = BytesIO()
    live = LiveMatch(record)
    entrants = list(spec.entrants)
    for seat, one in enumerate(entrants):
        if isinstance(one, HumanEntrant):
            live.desks[seat] = desk = PageDesk(one.name, live.news, match.seconds)
            entrants[seat] = replace(one, desk=desk)
    seated = replace(spec, entrants=tuple(entrants))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_take_pages, control, live, nursery)
        await _gather(live, match.seconds)
        with trio.move_on_after(WEEK) as span:
            report = await play_match(seated, children, [live], record=record)
        if span.cancelled_caught:
            raise BrokenOff("It was not over after a week.")
        keep(report)
        live.end()
        await _let_leave(live)
        nursery.cancel_scope.cancel()


async def _gather(live: LiveMatch, limit: int) -> None:
    """Wait until each person has opened the board."""
    seconds = max(COMING, limit)
    with trio.move_on_after(seconds):
        await live.gather()
        return
    absent = [desk.name for desk in live.desks.values() if not desk.here.is_set()]
    minutes = counted(round(seconds / 60), "minute")
    raise BrokenOff(f"{' and '.join(absent)} did not open the board within {minutes}.")


async def _let_leave(live: LiveMatch) -> None:
    with trio.move_on_after(LEAVING):
        while any(desk.pages for desk in live.desks.values()):
            await live.news.next.wait()


async def _take_pages(control: socket.socket, live: LiveMatch, nursery: trio.Nursery) -> None:
    """Serve each page whose socket the server sends."""
    control.setblocking(False)
    space = socket.CMSG_LEN(array.array("i").itemsize)
    with trio.socket.from_stdlib_socket(control) as listening:
        while True:
            data, rights, _, _ = await listening.recvmsg(16, space, socket.MSG_CMSG_CLOEXEC)
            if not data:  # the server has ended, and this process is about to
                return
            for page in _sockets(rights):
                nursery.start_soon(_serve, live, int(data), page)


def _sockets(rights: Sequence[tuple[int, int, bytes]]) -> Iterator[socket.socket]:
    for _, _, data in rights:
        handles = array.array("i")
        handles.frombytes(data[: len(data) - len(data) % handles.itemsize])
        yield from (socket.socket(fileno=handle) for handle in handles)


async def _serve(live: LiveMatch, seat: int, page: socket.socket) -> None:
    """Serve one page. What fails there ends only the page: a person can reload it."""
    from arena.web.feed import feed_person

    page.setblocking(False)
    stream = trio.SocketStream(trio.socket.from_stdlib_socket(page))
    async with stream:
        try:
            await feed_person(live, seat, LinePage(stream))
        except Exception as error:
            cause = root_cause(error) if isinstance(error, BaseExceptionGroup) else error
            print(f"a page failed: {type(cause).__name__}: {cause}", file=sys.stderr, flush=True)


class LinePage:
    """A page (`arena.web.feed.Page`) whose messages come as lines."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream, self._lines = stream, Lines(stream)

    async def hear(self) -> str:
        """See `Page`."""
        from arena.web.feed import PageClosed

        text = await self._lines.receive(LARGEST_LINE)
        if text is None:
            raise PageClosed
        return text

    async def say(self, text: str) -> None:
        """See `Page`."""
        from arena.web.feed import PageClosed

        if not await self._lines.send(text):
            raise PageClosed

    async def close(self) -> None:
        """See `Page`."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self._stream.send_eof()


def main(words: list[str]) -> None:
    """Run with the words of a command line: the process that started this, FILE, NUMBER and the
    descriptor of the server's socket."""
    from arena.runtime.worker import die_with
    from arena.sandbox.interrupts import interrupt_on_termination

    die_with(int(words[0]))
    interrupt_on_termination()
    handle = int(words[3])
    os.set_inheritable(handle, False)  # no bot gets it
    try:
        host(Path(words[1]), int(words[2]), socket.socket(fileno=handle))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main(sys.argv[1:])
