"""One league on a site: its file, used by one thread at a time, and what is derived from it.

Everything that reads or changes the file goes through `Contest.ask` or `Contest.ask_for`, which run
a function of the league in a worker thread: waiting for the disk, or for a change of the judge's
process, never stops the loop that serves pages. The table takes seconds for a large league with
further results, so it has a connection of its own, and is kept until there are some.

Pages use `ask_for`: while the table is frozen, what it gives a function for others than organisers
is a league without the later results, so that no query can let one slip.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self, TypeVar

import anyio
from anyio.lowlevel import RunVar

from arena.errors import UsageError
from arena.league.league import League
from arena.league.table import LeagueTable, table_in_columns
from arena.site.accounts import Participant
from arena.site.moments import visible_until
from arena.site.shares import Shares
from arena.site.uploads import Receiving
from arena.tournament.standings import Crosstable
from arena.web.desk import Notifier
from arena.web.match_process import MatchProcess

T = TypeVar("T")
REST = 1.0
"""Minimum seconds between two computations of the table."""
SHARE = 5
"""The table is computed at most a fifth of the time, however long that takes."""

RECENT = 2.0
MANY = 100
"""Answers of `Contest.recent` that are kept."""
MANY_DERIVED = 2000
"""What is kept of a table by `Contest.derived`: for 1,000 bots what their pages need."""


class Threads:
    """At most `limit` threads at a time, in each event loop."""

    def __init__(self, name: str, limit: int) -> None:
        self._limiter = RunVar[anyio.CapacityLimiter](name)
        self._limit = limit

    async def run(self, work: Callable[..., T], *values: Any) -> T:
        """Call ``work(*values)`` in a thread. Raises what it raises."""
        limiter = self._limiter.get(None)
        if limiter is None:
            limiter = anyio.CapacityLimiter(self._limit)
            self._limiter.set(limiter)
        return await anyio.to_thread.run_sync(work, *values, limiter=limiter)


class Contest:
    """An open league with the tables of a site. Use it as a context manager."""

    def __init__(self, path: Path) -> None:
        """Adds the tables of a site if there are none. Raises UsageError when the file is not a
        league."""
        self.path = path
        self.slug = slug_of(path)
        """What it is called in addresses."""
        with ExitStack() as stack:
            self._league = stack.enter_context(League(path, any_thread=True))
            self._league.store.add_site()
            self._reader = stack.enter_context(League(path, any_thread=True, checked=False))
            self._open = stack.pop_all()
        self._past: League | None = None
        self.terms = self._league.terms
        self.folder = self._league.folder
        self.doing: dict[str, str] = {}
        """What the processes of the site do for this contest now, for organisers."""
        self.shares = Shares()
        self.guests: dict[int, str] = {}
        """The matches that guests have begun, with their addresses."""
        self.begins_guest = anyio.Lock()
        self.receiving = Receiving()
        """The uploads whose bodies are read now."""
        self.comparing = anyio.Lock()
        """Held while sources are compared."""
        self.people = Notifier()
        """Told when a match of people has all its people."""
        self.hosted: dict[int, MatchProcess] = {}
        """The matches of people that are played now, by number."""
        self._one = anyio.CapacityLimiter(1)
        self._recent: dict[tuple[Any, ...], tuple[float, Any]] = {}
        reading = anyio.CapacityLimiter(1)
        self._whole, self._frozen = (_KeptTable(self._reader, reading) for _ in range(2))

    @property
    def title(self) -> str:
        """What it is called on pages."""
        return self.path.stem.replace("_", " ").replace("-", " ")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._past is not None:
            self._past.store.close()
        self._open.close()

    async def ask(self, work: Callable[..., T], *values: Any) -> T:
        """Call ``work(league, *values)`` in a thread. Raises what it raises."""
        return await anyio.to_thread.run_sync(work, self._league, *values, limiter=self._one)

    async def ask_for(self, viewer: Participant | None, work: Callable[..., T], *values: Any) -> T:
        """`ask` for what a viewer sees: while the table is frozen, the function gets a league
        without the results that came later, unless the viewer is an organiser."""
        return await anyio.to_thread.run_sync(
            self._ask_for, viewer, work, *values, limiter=self._one
        )

    def _ask_for(self, viewer: Participant | None, work: Callable[..., T], *values: Any) -> T:
        until = visible_until(self._league, viewer)
        if until is None:
            return work(self._league, *values)
        if self._past is None:
            self._past = League(self.path, any_thread=True, checked=False)
        self._past.store.show_before(until)
        return work(self._past, *values)

    async def recent(self, work: Callable[..., T], *values: Any) -> T:
        """As `ask`, but up to `RECENT` seconds old: for what many look at, again and again."""
        key = (work, *values)
        until, found = self._recent.get(key, (0.0, None))
        if time.monotonic() >= until:
            found = await self.ask(work, *values)
            if len(self._recent) >= MANY:
                self._recent.clear()
            self._recent[key] = (time.monotonic() + RECENT, found)
        kept: T = found
        return kept

    async def table(self, *, whole: bool = False) -> LeagueTable:
        """The table, at most some seconds old: that of the freeze while there is one. The `whole`
        table is for organisers alone."""
        return (await self.crossed(whole=whole))[0]

    async def crossed(self, *, whole: bool = False) -> tuple[LeagueTable, Crosstable]:
        """The `table`, which has no crosstable, and this as columns."""
        kept, until = await self._kept(whole)
        return await kept.get(until)

    async def derived(self, work: Callable[..., T], *values: Hashable, whole: bool = False) -> T:
        """What ``work(league, table, *values)`` makes of the league and its `table`. It is made
        once for each table and `values`; `work` is a function of a module."""
        kept, until = await self._kept(whole)
        return await kept.derived(work, values, until)

    async def _kept(self, whole: bool) -> tuple[_KeptTable, str | None]:
        until = None if whole else await self.ask(visible_until)
        return (self._whole if until is None else self._frozen), until


class _KeptTable:
    def __init__(self, league: League, reading: anyio.CapacityLimiter) -> None:
        """`reading` lets one thread at a time use the league."""
        self._league, self._reading = league, reading
        self._moment: str | None = None
        self._found: tuple[LeagueTable, Crosstable] | None = None
        self._state: tuple[Any, ...] = ()
        self._until = 0.0
        self._one = anyio.Lock()
        self._derived: dict[tuple[Any, ...], Any] = {}

    async def get(self, until: str | None) -> tuple[LeagueTable, Crosstable]:
        """The kept table, or a new one, as it was just before `until`. Who comes while a new one is
        made gets the kept one, unless that is of another moment."""
        kept = self._found if self._moment == until else None
        if kept is not None and (time.monotonic() < self._until or self._one.locked()):
            return kept
        async with self._one:
            if self._found is None or self._moment != until or time.monotonic() >= self._until:
                await anyio.to_thread.run_sync(self._renew, until, limiter=self._reading)
            assert self._found is not None
            return self._found

    async def derived(
        self, work: Callable[..., T], values: tuple[Hashable, ...], until: str | None
    ) -> T:
        """What was made of the kept table, or is made of it now."""
        table, _ = await self.get(until)
        made, key = self._derived, (work, *values)
        if key not in made:
            async with self._one:
                if key not in made:
                    if len(made) >= MANY_DERIVED:
                        made.clear()
                    made[key] = await anyio.to_thread.run_sync(
                        self._derive, work, table, values, until, limiter=self._reading
                    )
        kept: T = made[key]
        return kept

    def _derive(
        self,
        work: Callable[..., T],
        table: LeagueTable,
        values: tuple[Hashable, ...],
        until: str | None,
    ) -> T:
        self._league.store.show_before(until)
        return work(self._league, table, *values)

    def _renew(self, until: str | None) -> None:
        began = time.monotonic()
        self._league.store.show_before(until)
        state = (until, *(self._league.store.one(_STATE if until is None else _RANKED) or ()))
        if state != self._state or self._found is None:
            self._found, self._state = table_in_columns(self._league, until), state
            self._moment, self._derived = until, {}
        now = time.monotonic()
        self._until = now + max(REST, SHARE * (now - began))


_STATE = (
    "SELECT (SELECT max(number) FROM result), (SELECT max(number) FROM fixture), "
    "(SELECT max(number) FROM submission), (SELECT count(*) FROM annulment), "
    "(SELECT count(*) FROM admission), (SELECT count(*) FROM withdrawal), "
    "(SELECT max(number) FROM void), (SELECT max(number) FROM role), "
    "(SELECT max(number) FROM member), (SELECT max(number) FROM owner), "
    "strftime('%Y-%m-%d %H', 'now')"
)
"""All that the table depends on; tables only grow. The hour is for changes within a day."""
_RANKED = (
    "SELECT (SELECT max(number) FROM role), (SELECT max(number) FROM member), "
    "(SELECT max(number) FROM owner)"
)
"""All that the table of a moment depends on: testers are never ranked."""


def slug_of(path: Path) -> str:
    """The part of an address that names a league: letters, digits and hyphens."""
    plain = "".join(one if one.isascii() and one.isalnum() else "-" for one in path.stem.lower())
    return "-".join(part for part in plain.split("-") if part) or "league"


def require_different(paths: list[Path]) -> None:
    """Raises UsageError when two leagues would have one address, or two names are of one league."""
    slugs: dict[str, Path] = {}
    files: dict[Path, Path] = {}
    for path in paths:
        twin = files.setdefault(path.resolve(), path)
        if twin is not path:
            raise UsageError(f"{twin} and {path} are the same league: name it once")
        other = slugs.setdefault(slug_of(path), path)
        if other is not path:
            raise UsageError(
                f"{other} and {path} would both be at /{slug_of(path)}/: rename one of the files "
                f"and its folder (FILE.d)"
            )
