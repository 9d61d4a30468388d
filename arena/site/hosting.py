"""The process of a match that people play: ``python -m arena.site.hosting PARENT FILE NUMBER FD``.

Why a process of its own: the rules, the help of a person (which tries answers by the rules) and
the story of a match take up to seconds of CPU time, in the loop and in threads that share its
lock; programs need a keeper; and a match may last hours and fail. None of that may stop the loop
that serves pages. When the process ends, so do its bots, and all its memory is given back.

The server passes pages on to it as `arena.web.passing` says.

Bots play on the league's terms, but never ponder: a bot that computes while a person thinks, for
hours, would take a core from everybody.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import trio
from msgspec.structs import replace

from arena.errors import ArenaError, UsageError
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

COMING = 600.0
"""Seconds, or one limit if that is longer, in which each person must have opened the board."""
WEEK = 7 * 24 * 3600.0
"""Seconds after which a match that is not over is broken off."""
LEAVING = 5.0
"""Seconds in which pages can hear of the end."""


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
    from arena.web.passing import take_pages

    record = BytesIO()
    live = LiveMatch(record)
    entrants = list(spec.entrants)
    for seat, one in enumerate(entrants):
        if isinstance(one, HumanEntrant):
            live.desks[seat] = desk = PageDesk(one.name, live.news, match.seconds)
            entrants[seat] = replace(one, desk=desk)
    seated = replace(spec, entrants=tuple(entrants))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(take_pages, control, live, nursery)
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
        await live.closed()


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
