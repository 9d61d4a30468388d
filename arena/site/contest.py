"""One league on a site: its file, used by one thread at a time, and what is derived from it.

Everything that reads or changes the file goes through `Contest.ask`, which runs a function of the
league in a worker thread: waiting for the disk, or for a change of the judge's process, never stops
the loop that serves pages. The table takes seconds for a large league, so it has a connection of
its own, and is kept until there are further results.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self, TypeVar

import trio

from arena.errors import UsageError
from arena.league.league import League
from arena.league.table import LeagueTable, league_table

T = TypeVar("T")
REST = 1.0
"""Minimum seconds between two computations of the table."""
SHARE = 5
"""The table is computed at most a fifth of the time, however long that takes."""

RECENT = 2.0
MANY = 100
"""Answers of `Contest.recent` that are kept."""


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
            self._reader = stack.enter_context(League(path, any_thread=True))
            self._open = stack.pop_all()
        self.terms = self._league.terms
        self.folder = self._league.folder
        self._one = trio.CapacityLimiter(1)
        self._recent: dict[tuple[Any, ...], tuple[float, Any]] = {}
        self._table = _KeptTable(self._reader)

    @property
    def title(self) -> str:
        """What it is called on pages."""
        return self.path.stem.replace("_", " ").replace("-", " ")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    async def ask(self, work: Callable[..., T], *values: Any) -> T:
        """Call ``work(league, *values)`` in a thread. Raises what it raises."""
        return await trio.to_thread.run_sync(work, self._league, *values, limiter=self._one)

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

    async def table(self) -> LeagueTable:
        """The table, at most some seconds old."""
        return await self._table.get()

    async def derived(self, work: Callable[[League, LeagueTable], T]) -> T:
        """What `work`, a function of a module, makes of the league and its table. It is made once
        for each table."""
        return await self._table.derived(work)


class _KeptTable:
    def __init__(self, league: League) -> None:
        self._league = league
        self._found: LeagueTable | None = None
        self._state: tuple[Any, ...] = ()
        self._until = 0.0
        self._one = trio.Lock()
        self._derived: dict[Callable[..., Any], Any] = {}

    async def get(self) -> LeagueTable:
        """The kept table, or a new one. Who comes while a new one is made gets the kept one."""
        if self._found is not None and (time.monotonic() < self._until or self._one.locked()):
            return self._found
        async with self._one:
            if self._found is None or time.monotonic() >= self._until:
                await trio.to_thread.run_sync(self._renew)
            assert self._found is not None
            return self._found

    async def derived(self, work: Callable[[League, LeagueTable], T]) -> T:
        """What was made of the kept table, or is made of it now."""
        table = await self.get()
        made = self._derived
        if work not in made:
            async with self._one:
                if work not in made:
                    made[work] = await trio.to_thread.run_sync(work, self._league, table)
        found: T = made[work]
        return found

    def _renew(self) -> None:
        began = time.monotonic()
        state = self._league.store.one(_STATE) or ()
        if state != self._state or self._found is None:
            self._found, self._state = league_table(self._league), state
            self._derived = {}
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


def slug_of(path: Path) -> str:
    """The part of an address that names a league: letters, digits and hyphens."""
    plain = "".join(one if one.isascii() and one.isalnum() else "-" for one in path.stem.lower())
    return "-".join(part for part in plain.split("-") if part) or "league"


def require_different(paths: list[Path]) -> None:
    """Raises UsageError when two leagues would have one address."""
    slugs: dict[str, Path] = {}
    for path in paths:
        other = slugs.setdefault(slug_of(path), path)
        if other is not path:
            raise UsageError(
                f"{other} and {path} would both be at /{slug_of(path)}/: rename one of the files "
                f"and its folder (FILE.d)"
            )
