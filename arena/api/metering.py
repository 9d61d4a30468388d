"""What an answer is limited by: time, or the instructions of WebAssembly bots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.bots.wasm import command as wasm
from arena.core.faults import blamed
from arena.core.game import AnyGame
from arena.core.settings import Settings, parse
from arena.errors import UsageError


def settings_for(game: AnyGame, changes: Mapping[str, Any], *, counted: bool) -> Settings:
    """The settings of the game; `counted`: instructions are, not time. Raises UsageError when the
    settings do not suit that."""
    keys = ", ".join(game.metered)
    if counted and not game.metered:
        raise UsageError(f"{game.name} counts time only: leave out --meter instructions")
    if counted and wasm.library() is None:
        raise UsageError(f"--meter instructions needs the library wasmtime: {wasm.INSTALL}")
    with blamed(game, "a setting"):
        settings: Settings = parse(
            game.settings, {**game.metered, **changes} if counted else changes
        )
    with blamed(game, "the budget"):
        is_counted = game.budget(settings) is not None
    if counted and not is_counted:
        raise UsageError(
            f"--meter instructions wants a number of instructions as {keys}: give another, or none"
        )
    if is_counted and not counted:
        raise UsageError(f"{keys} is given in instructions: add --meter instructions")
    return settings
