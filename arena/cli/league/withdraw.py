"""``arena league withdraw FILE NAME``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import parameters
from arena.cli.status import DONE
from arena.cli.text.layout import say
from arena.errors import UsageError, did_you_mean
from arena.league.league import League
from arena.text import safe


@click.command(name="withdraw")
@parameters.league_argument
@click.argument("name")
@click.option("--reason", default="", help="Why; the league keeps it.")
def command(file: Path, name: str, reason: str) -> int:
    """Let the present version of the bot NAME play no more, from the next round on. The version
    before it plays again, if there is one; withdraw that too, to end them all. The matches that it
    played stay in the league, and leave the table."""
    with League(file) as open_league:
        player = open_league.player(name)
        if player is None:
            names = [one.name for one in open_league.players()]
            raise UsageError(f"no bot plays as {name!r}: {did_you_mean(name, names)}")
        open_league.withdraw(player, reason)
        is_back = open_league.player(name) is not None
    say(f"{safe(name)}: {'the version before plays again' if is_back else 'plays no more'}")
    return DONE
