"""A bot that waits on disk until a worker of a cluster plays it."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from arena.errors import UsageError
from arena.players.terms import Terms

if TYPE_CHECKING:
    from arena.players.player import Player
    from arena.sandbox.children import Children
    from arena.sandbox.launch import KeeperProcess


class StoredEntrant(Struct, frozen=True):
    """A bot by name and file or folder. It is not built here: each worker does that."""

    name: str
    source: Path
    is_program = True
    untimed = False

    @property
    def command(self) -> str:
        """Its name."""
        return self.name

    def require_countable(self) -> None:
        """Raise UsageError: a worker finds out what it is."""
        raise UsageError(f"the instructions of {self.name} cannot be counted on a cluster")

    def recipe(self, terms: Terms, keeper: KeeperProcess) -> None:
        """Nothing to prepare here."""

    def open(self, terms: Terms, children: Children | None) -> AbstractAsyncContextManager[Player]:
        """Raise UsageError: it is for a `ClusterPool`."""
        raise UsageError(f"{self.name} is for a cluster: play it with a ClusterPool")
