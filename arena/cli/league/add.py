"""``arena league add FILE BOT…``: ``arena submit`` under the name that an organiser looks for."""

from __future__ import annotations

import click

from arena.cli import submit

command = click.Command(
    "add",
    callback=submit.command.callback,
    params=submit.command.params,
    help="Add bots to a league: source files, executables, archives, or folders with a bot.toml. "
    "The league keeps a copy of each. A bot is tested first, under the conditions of the league, "
    "and plays only if it passes. Exit status 1 when one does not.",
)
