"""Golden playthroughs: whole matches of random players, stored as text, one per number of seats.

They reveal any change to a rule, line or draw of a game, intended or not. After an intended change,
increment the game's `rules_version`, rewrite the playthroughs and read the difference.
"""

from __future__ import annotations

import difflib
import gzip
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from arena.core.game import AnyGame, Setup
from arena.core.settings import Settings
from arena.core.table import Table
from arena.testing.random_play import at_random, play

LONGEST = 100_000
"""Maximum exchanges of a playthrough."""
SHOWN_LINES, SHOWN_WIDTH = 40, 200
"""Lines and columns of a difference that are shown."""


class Playthrough(Struct, frozen=True):
    """One match of a game, and where its text is kept: compressed when the name ends in .gz."""

    game: AnyGame
    setup: Setup[Settings]
    path: Path

    def play(self) -> str:
        """The text as the game plays today."""
        return "\n".join([*play(Table(self.game, self.setup), at_random("golden"), LONGEST), ""])

    def read(self) -> str:
        """The text as it was kept; empty when there is none."""
        if not self.path.exists():
            return ""
        data = self.path.read_bytes()
        return (gzip.decompress(data) if self.path.suffix == ".gz" else data).decode()

    def write(self) -> None:
        """Keep the text as the game plays today. A compressed file has no date in it."""
        data = self.play().encode()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(gzip.compress(data, mtime=0) if self.path.suffix == ".gz" else data)

    def difference(self) -> str:
        """The first lines in which today's play differs from what was kept; empty when none."""
        kept, now = self.read(), self.play()
        if kept == now:
            return ""
        lines = difflib.unified_diff(
            kept.splitlines(), now.splitlines(), "kept", "now", "", "", 1, ""
        )
        first = [line[:SHOWN_WIDTH] for line, _ in zip(lines, range(SHOWN_LINES), strict=False)]
        return "\n".join(first)


def playthroughs(
    game: AnyGame,
    folder: Path,
    settings: Settings | None = None,
    ending: str = ".txt",
    *,
    variant: str = "",
) -> list[Playthrough]:
    """The playthroughs of a game, one for each number of seats: ``FOLDER/NAME-SEATS.txt``, or
    ``FOLDER/NAME-VARIANT-SEATS.txt`` for further settings of the game. `settings` that keep a long
    game short keep their texts short."""
    name = f"{game.name}-{variant}" if variant else game.name
    return [
        Playthrough(
            game,
            Setup("golden", seats, settings or game.settings()),
            folder / f"{name}-{seats}{ending}",
        )
        for seats in game.seats
    ]


def leftovers(folder: Path, wanted: Iterable[Playthrough]) -> set[Path]:
    """Files in the folder that look like playthroughs but are not in `wanted`."""
    found = {*folder.glob("*-*.txt"), *folder.glob("*-*.txt.gz")}
    return found - {playthrough.path for playthrough in wanted}
