"""``arena league admit FILE NAME``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import parameters
from arena.cli.status import DONE
from arena.cli.text.layout import say
from arena.league.league import League
from arena.text import safe


@click.command(name="admit")
@parameters.league_argument
@click.argument("name")
@parameters.reason_option("Why; the league keeps it, and arena league show tells it.")
def command(file: Path, name: str, reason: str) -> int:
    """Let the newest version of the bot NAME play, from the next round on, although it failed its
    test match: an organiser may know better, of a bot that crashes in one position and plays well
    in all others. A bot that could not be built cannot be admitted.

    \b
    arena league admit cup.league nina --reason "crashes on one map of a hundred"
    """
    with League(file) as open_league:
        open_league.admit(name, reason)
    say(f"{safe(name)}: admitted, plays from now on")
    return DONE
