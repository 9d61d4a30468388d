"""The option ``--meter`` of the commands that play."""

from __future__ import annotations

import click

option = click.option(
    "--meter",
    type=click.Choice(["time", "instructions"]),
    default="time",
    help="Limit answers by time, or by instructions (.wasm bots in codecharacter).",
)
