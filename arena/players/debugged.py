"""A bot under a debugger: without limits of time, and told nothing before its author is ready."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from arena.players.entrant import Entrant
from arena.players.player import PlayerTerms

if TYPE_CHECKING:
    from arena.players.player import Player
    from arena.sandbox.children import Children
    from arena.sandbox.launch import KeeperProcess


class DebuggedEntrant(Struct, frozen=True):
    """Another entrant, which has no clock and may use any CPU time; its other limits stay."""

    entrant: Entrant
    ready: Callable[[int | None], Awaitable[None]]
    """Is given the id of its process, which runs by then, and returns when the match may begin."""
    untimed = True

    @property
    def name(self) -> str:
        """That of the other."""
        return self.entrant.name

    @property
    def command(self) -> str:
        """That of the other."""
        return self.entrant.command

    @property
    def is_program(self) -> bool:
        """As the other."""
        return self.entrant.is_program

    def require_countable(self) -> None:
        """As the other."""
        self.entrant.require_countable()

    def recipe(self, terms: PlayerTerms, keeper: KeeperProcess) -> None:
        """It is not started ahead: its author waits for it."""

    @asynccontextmanager
    async def open(self, terms: PlayerTerms, children: Children | None) -> AsyncIterator[Player]:
        """The player, once `ready` has returned."""
        free = replace(terms, timing=replace(terms.timing, timebank=None, pondering=True))
        async with self.entrant.open(free, children) as player:
            await self.ready(player.pid)
            yield player
