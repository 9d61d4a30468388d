"""Find the files that a game provides for its pages: `view.py` and `board.js`."""

from __future__ import annotations

import importlib
import importlib.resources
from typing import Any

from arena.core.game import AnyGame
from arena.core.view import GameView


def find_view(game: AnyGame) -> GameView[Any] | None:
    """The `GameView` of a game; None when it has no `view.py`."""
    view: GameView[Any] | None = getattr(game.own_module("view"), "VIEW", None)
    return view


def board_script(game: AnyGame) -> str | None:
    """The script that draws the board of a game; None when it has no `board.js`."""
    module = importlib.import_module(game.script.__module__)
    if not module.__package__:
        return None
    file = importlib.resources.files(module.__package__) / "board.js"
    return file.read_text("utf-8") if file.is_file() else None
