"""The option ``--meter`` of the commands that play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click

from arena import wasm
from arena.errors import UsageError
from arena.game import Game
from arena.settings import Settings, parse

if TYPE_CHECKING:
    from arena.bots import BotProgram

option = click.option(
    "--meter",
    type=click.Choice(["time", "instructions"]),
    default="time",
    help="What an answer is limited by; instructions: of .wasm bots, in codecharacter.",
)


def settings_for(game: Game, changes: Mapping[str, str], meter: str) -> Settings:
    """The settings of the game. Raises UsageError when they do not suit what is counted."""
    counted, keys = meter == "instructions", ", ".join(game.metered)
    if counted and not game.metered:
        raise UsageError(f"{game.name} counts time only: leave out --meter instructions")
    if counted and wasm.library() is None:
        raise UsageError(f"--meter instructions needs the library wasmtime: {wasm.INSTALL}")
    settings = parse(game.settings, {**game.metered, **changes} if counted else changes)
    is_counted = game.budget(settings) is not None
    if counted and not is_counted:
        raise UsageError(
            f"--meter instructions wants a number of instructions as {keys}: give another, or none"
        )
    if is_counted and not counted:
        raise UsageError(f"{keys} is given in instructions: add --meter instructions")
    return settings


def require_countable(meter: str, bots: Iterable[BotProgram]) -> None:
    """Raise UsageError unless what is to be counted of the bots can be."""
    if meter == "instructions":
        wasm.require_countable(bots)
