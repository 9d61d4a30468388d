"""The option ``--sandbox`` of the commands that start bots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from arena.sandbox.levels import SANDBOX_MODES

F = TypeVar("F", bound=Callable[..., Any])


def option(default: str) -> Callable[[F], F]:
    """The option, with what holds without it."""
    return click.option(
        "--sandbox",
        type=click.Choice(list(SANDBOX_MODES)),
        default=default,
        help="Walls around each bot: auto takes the strongest of this machine, strict refuses to "
        f"play without the promised ones.  [default: {default}]",
    )
