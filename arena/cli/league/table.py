"""``arena league table FILE``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import league
from arena.cli.status import DONE, print_json
from arena.cli.text.layout import say
from arena.cli.text.league import league_text
from arena.league.league import League
from arena.league.table import league_table


@click.command(name="table")
@league.argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(file: Path, as_json: bool) -> int:
    """Print the table of the league in FILE: all matches between the bots that play now. A league
    may be played meanwhile."""
    with League(file) as open_league:
        found = league_table(open_league)
    print_json(found) if as_json else say(league_text(found))
    return DONE
