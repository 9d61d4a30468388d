"""The golden playthroughs of our games, kept compressed: they are 5 MiB of text.

After a change that is meant (raise the game's `rules_version`), write them anew and read the
difference::

    python -m tests.playthroughs
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena import testing
from arena.core.game import AnyGame
from arena.core.registry import find_game, game_names
from arena.core.settings import parse

FOLDER = Path(__file__).parent
SHORT: dict[str, dict[str, Any]] = {
    "hextrategic": {"max_rounds": 40},
    "tncc": {"max_cycles": 40},
    "toroid": {"normal_game_turn_per_player": 8},
    "codecharacter": {"num_turns": 80},
}
"""Settings that keep the playthrough of a long game short."""


def of(game: AnyGame) -> list[testing.Playthrough]:
    """The playthroughs of a game."""
    settings = parse(game.settings, SHORT.get(game.name, {}))
    return testing.playthroughs(game, FOLDER, settings, ending=".txt.gz")


ALL = [one for name in game_names() for one in of(find_game(name))]
