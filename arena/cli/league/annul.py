"""``arena league annul FILE MATCH``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import parameters
from arena.cli.parameters import WholeNumber
from arena.cli.status import DONE
from arena.cli.text.layout import say
from arena.league.league import League


@click.command(name="annul")
@parameters.league_argument
@click.argument("match", type=WholeNumber(1))
@parameters.reason_option("Why; the league keeps it, and arena league show tells it.")
def command(file: Path, match: int, reason: str) -> int:
    """Let the result of a MATCH no longer count, as after a fault of the organiser's. The next run
    plays the match again, with the same seed. The league keeps the result and its record beside the
    new ones.

    \b
    arena league annul cup.league 17 --reason "the disk was full"
    arena league run cup.league
    """
    with League(file) as open_league:
        open_league.annul(match, reason)
    say(f"match {match}: no longer counts; to play it again: arena league run {file}")
    return DONE
