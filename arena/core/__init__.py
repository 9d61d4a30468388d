"""The contract between games and the arena: pure, with no process, clock or file.

A game imports everything it needs from here. `arena.games.kit` has what games share beyond that,
and `arena.testing` what tests them. These three are public and stable.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.core.arrays import ArrayEncoder as ArrayEncoder
    from arena.core.arrays import ArrayLayout as ArrayLayout
    from arena.core.arrays import GameArrays as GameArrays
    from arena.core.arrays import zeros as zeros
    from arena.core.budget import Budget as Budget
    from arena.core.draft import Choice as Choice
    from arena.core.draft import Draft as Draft
    from arena.core.faults import attribute_errors_to as attribute_errors_to
    from arena.core.game import AnyGame as AnyGame
    from arena.core.game import Game as Game
    from arena.core.game import Setup as Setup
    from arena.core.game import World as World
    from arena.core.offers import Number as Number
    from arena.core.offers import Offer as Offer
    from arena.core.offers import Picks as Picks
    from arena.core.offers import Word as Word
    from arena.core.registry import BrokenGame as BrokenGame
    from arena.core.registry import find_game as find_game
    from arena.core.registry import game_names as game_names
    from arena.core.registry import list_games as list_games
    from arena.core.registry import load_game as load_game
    from arena.core.replies import Answer as Answer
    from arena.core.replies import Reply as Reply
    from arena.core.replies import Silence as Silence
    from arena.core.replies import Why as Why
    from arena.core.rng import Stream as Stream
    from arena.core.settings import Settings as Settings
    from arena.core.settings import decimal_range as decimal_range
    from arena.core.steps import Ask as Ask
    from arena.core.steps import Asks as Asks
    from arena.core.steps import Fate as Fate
    from arena.core.steps import Frame as Frame
    from arena.core.steps import Note as Note
    from arena.core.steps import Outcome as Outcome
    from arena.core.steps import Part as Part
    from arena.core.steps import Scene as Scene
    from arena.core.steps import Script as Script
    from arena.core.steps import Show as Show
    from arena.core.steps import Step as Step
    from arena.core.steps import Stop as Stop
    from arena.core.steps import Tell as Tell
    from arena.core.steps import ask as ask
    from arena.core.steps import ask_all as ask_all
    from arena.core.table import Table as Table
    from arena.core.view import Event as Event
    from arena.core.view import GameView as GameView
    from arena.core.view import Sign as Sign
    from arena.errors import MapError as MapError
    from arena.errors import SettingError as SettingError
    from arena.errors import UsageError as UsageError

_HOMES = {
    "arena.core.arrays": "ArrayEncoder ArrayLayout GameArrays zeros",
    "arena.core.budget": "Budget",
    "arena.core.draft": "Choice Draft",
    "arena.core.faults": "attribute_errors_to",
    "arena.core.game": "AnyGame Game Setup World",
    "arena.core.offers": "Number Offer Picks Word",
    "arena.core.registry": "BrokenGame find_game game_names list_games load_game",
    "arena.core.replies": "Answer Reply Silence Why",
    "arena.core.rng": "Stream",
    "arena.core.settings": "Settings decimal_range",
    "arena.core.steps": (
        "Ask Asks Fate Frame Note Outcome Part Scene Script Show Step Stop Tell ask ask_all"
    ),
    "arena.core.table": "Table",
    "arena.core.view": "Event GameView Sign",
    "arena.errors": "MapError SettingError UsageError",
}
"""The public names of each module; the imports above tell type checkers the same."""

__all__ = sorted(" ".join(_HOMES.values()).split())


def __getattr__(name: str) -> object:
    """Import a public name on first use, so that an invalid command line imports none."""
    for home, names in _HOMES.items():
        if name in names.split():
            found: object = getattr(importlib.import_module(home), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'arena.core' has no attribute {name!r}")
