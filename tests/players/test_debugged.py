from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec import field

from arena.core.clock import Clock
from arena.core.limits import Limits
from arena.errors import UsageError
from arena.players.debugged import DebuggedEntrant
from arena.players.entrant import PythonEntrant
from arena.players.inprocess import silent
from arena.players.player import Player
from arena.players.terms import Grant, PlayerTerms, Timing
from arena.sandbox.children import Children

TERMS = PlayerTerms(
    Limits(memory=1 << 26), timing=Timing(Clock.FAIR, False), grant=Grant(1000, 100)
)


class Watched(PythonEntrant, frozen=True):
    """Notes on which terms it is opened, and that it runs."""

    seen: list[object] = field(default_factory=list)

    @asynccontextmanager
    async def open(self, terms: PlayerTerms, children: Children | None) -> AsyncIterator[Player]:
        self.seen.append(terms)
        player = silent(self.name)
        player.pid = 77
        yield player


async def test_it_runs_and_is_waited_for_before_the_match() -> None:
    """Without a limit of CPU time, and never frozen; its other limits stay."""
    inner = Watched("bot", lambda lines: "")

    async def ready(pid: int | None) -> None:
        inner.seen.append(pid)

    entrant = DebuggedEntrant(inner, ready)
    async with entrant.open(TERMS, None) as player:
        assert player.name == "bot"
    terms, pid = inner.seen
    assert isinstance(terms, PlayerTerms)
    assert (pid, terms.limits) == (77, TERMS.limits)
    assert (terms.grant, terms.timing.pondering) == (None, True)


async def test_it_is_the_other_but_for_its_clock() -> None:
    async def ready(pid: int | None) -> None: ...

    inner = PythonEntrant("bot", lambda lines: "")
    entrant = DebuggedEntrant(inner, ready)
    assert (entrant.name, entrant.command) == (inner.name, inner.command)
    assert (entrant.is_program, entrant.untimed, inner.untimed) == (False, True, False)
    with pytest.raises(UsageError):
        entrant.require_countable()
