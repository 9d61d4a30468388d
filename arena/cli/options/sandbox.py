"""The option ``--sandbox`` of the commands that start bots."""

from __future__ import annotations

import click

from arena.sandbox.levels import SANDBOX_MODES

option = click.option(
    "--sandbox",
    type=click.Choice(list(SANDBOX_MODES)),
    default="off",
    help="Walls around each bot: auto takes the strongest of this machine, strict refuses to play "
    "without the promised ones.  [default: off]",
)
