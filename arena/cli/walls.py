"""The option ``--sandbox`` of the commands that start bots."""

from __future__ import annotations

import click

from arena.sandbox.levels import WISHES

option = click.option(
    "--sandbox",
    type=click.Choice(list(WISHES)),
    default="off",
    help="Walls around each bot: auto takes the strongest of this machine, strict refuses to play "
    "without the promised ones.  [default: off]",
)
