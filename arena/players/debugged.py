"""A bot under a debugger: no time limits, and no input before its author is ready."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from arena.players.entrant import Entrant
from arena.players.terms import PlayerTerms

if TYPE_CHECKING:
    from arena.players.player import Player
    from arena.sandbox.children import Children
    from arena.sandbox.launch import KeeperProcess


class DebuggedEntrant(Struct, frozen=True):
    """Wraps an entrant: no clock and no CPU time limit; all other limits stay."""

    entrant: Entrant
    ready: Callable[[int | None], Awaitable[None]]
    """Called with the id of the running process; returns when the match may begin."""
    untimed = True

    @property
    def name(self) -> str:
        """The name of the wrapped entrant."""
        return self.entrant.name

    @property
    def command(self) -> str:
        """The command of the wrapped entrant."""
        return self.entrant.command

    @property
    def is_program(self) -> bool:
        """Whether the wrapped entrant is a program."""
        return self.entrant.is_program

    def require_countable(self) -> None:
        """Raise UsageError when the instructions of the wrapped entrant cannot be counted."""
        self.entrant.require_countable()

    def recipe(self, terms: PlayerTerms, keeper: KeeperProcess) -> None:
        """None: a debugged bot is never prestarted, because its author waits for it."""

    @asynccontextmanager
    async def open(self, terms: PlayerTerms, children: Children | None) -> AsyncIterator[Player]:
        """The player, once `ready` has returned."""
        free = replace(terms, grant=None, timing=replace(terms.timing, pondering=True))
        async with self.entrant.open(free, children) as player:
            await self.ready(player.pid)
            yield player
