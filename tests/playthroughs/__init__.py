"""Golden playthroughs: whole matches between fixed players, kept as text, one for each game and
number of seats. They tell when any rule, line or draw of a game changes, meant or not.

After a change that is meant (raise the game's `rules_version`), write them anew and read the
difference::

    python -m tests.playthroughs
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

from arena.game import Game, Setup
from arena.settings import parse
from arena.table import Table
from tests.conformance import at_random, play

FOLDER = Path(__file__).parent
SHORT: dict[str, dict[str, Any]] = {
    "hextrategic": {"max_rounds": 40},
    "tncc": {"max_cycles": 40},
    "toroid": {"normal_game_turn_per_player": 8},
    "codecharacter": {"num_turns": 80},
}
"""Settings that keep the playthrough of a long game short."""


def path(game: Game, seats: int) -> Path:
    """Where a playthrough is kept."""
    return FOLDER / f"{game.name}-{seats}.txt.gz"


def make(game: Game, seats: int) -> str:
    """The playthrough as it is today."""
    settings = parse(game.settings, SHORT.get(game.name, {}))
    table = Table(game, Setup("golden", seats, settings))
    return "\n".join([*play(table, at_random("golden"), 100_000), ""])


def read(game: Game, seats: int) -> str:
    """The playthrough as it was kept."""
    return gzip.decompress(path(game, seats).read_bytes()).decode()


def write(game: Game, seats: int) -> None:
    """Keep the playthrough as it is today. The file has no date in it."""
    path(game, seats).write_bytes(gzip.compress(make(game, seats).encode(), mtime=0))
