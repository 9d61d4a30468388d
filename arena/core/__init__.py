"""The contract between games and the arena: pure, with no process, clock or file.

A game imports everything it needs from here. `arena.games.kit` has what games share beyond that,
and `arena.testing` what tests them. These three are public and stable.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.core.budget import Budget
    from arena.core.draft import Draft
    from arena.core.faults import attribute_errors_to
    from arena.core.game import AnyGame, Game, Setup, World
    from arena.core.offers import Number, Offer, Picks, Word
    from arena.core.registry import BrokenGame, find_game, game_names, list_games, load_game
    from arena.core.replies import Answer, Reply, Silence, Why
    from arena.core.rng import Stream
    from arena.core.settings import Settings, decimal_range
    from arena.core.steps import (
        Ask,
        Asks,
        Fate,
        Frame,
        Note,
        Outcome,
        Part,
        Scene,
        Script,
        Show,
        Step,
        Stop,
        Tell,
        ask,
        ask_all,
    )
    from arena.core.table import Table
    from arena.core.view import Event, GameView, Sign
    from arena.errors import MapError, SettingError, UsageError

__all__ = [
    "Answer",
    "AnyGame",
    "Ask",
    "Asks",
    "BrokenGame",
    "Budget",
    "Draft",
    "Event",
    "Fate",
    "Frame",
    "Game",
    "GameView",
    "MapError",
    "Note",
    "Number",
    "Offer",
    "Outcome",
    "Part",
    "Picks",
    "Reply",
    "Scene",
    "Script",
    "SettingError",
    "Settings",
    "Setup",
    "Show",
    "Sign",
    "Silence",
    "Step",
    "Stop",
    "Stream",
    "Table",
    "Tell",
    "UsageError",
    "Why",
    "Word",
    "World",
    "ask",
    "ask_all",
    "attribute_errors_to",
    "decimal_range",
    "find_game",
    "game_names",
    "list_games",
    "load_game",
]

_HOMES = {
    "arena.core.budget": ("Budget",),
    "arena.core.draft": ("Draft",),
    "arena.core.faults": ("attribute_errors_to",),
    "arena.core.game": (
        "AnyGame",
        "Game",
        "Setup",
        "World",
    ),
    "arena.core.offers": ("Number", "Offer", "Picks", "Word"),
    "arena.core.registry": (
        "BrokenGame",
        "find_game",
        "game_names",
        "list_games",
        "load_game",
    ),
    "arena.core.replies": (
        "Answer",
        "Reply",
        "Silence",
        "Why",
    ),
    "arena.core.rng": ("Stream",),
    "arena.core.settings": (
        "Settings",
        "decimal_range",
    ),
    "arena.core.steps": (
        "Ask",
        "Asks",
        "Fate",
        "Frame",
        "Note",
        "Outcome",
        "Part",
        "Scene",
        "Script",
        "Show",
        "Step",
        "Stop",
        "Tell",
        "ask",
        "ask_all",
    ),
    "arena.core.table": ("Table",),
    "arena.core.view": ("Event", "GameView", "Sign"),
    "arena.errors": (
        "MapError",
        "SettingError",
        "UsageError",
    ),
}
"""The module of each public name."""


def __getattr__(name: str) -> object:
    """Import a public name on first use, so that an invalid command line imports none."""
    for home, names in _HOMES.items():
        if name in names:
            found: object = getattr(importlib.import_module(home), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'arena.core' has no attribute {name!r}")
