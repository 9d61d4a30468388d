"""``arena league table FILE``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import parameters
from arena.cli.status import DONE, print_json
from arena.cli.text.layout import say
from arena.cli.text.league import league_text
from arena.errors import UsageError
from arena.league.export import table_csv
from arena.league.league import League
from arena.league.table import league_table


@click.command(name="table")
@parameters.league_argument
@click.option("--csv", "as_csv", is_flag=True, help="Print it for a spreadsheet, a line for a bot.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(file: Path, as_csv: bool, as_json: bool) -> int:
    """Print the table of the league in FILE: all matches between the bots that play now. A league
    may be played meanwhile."""
    if as_csv and as_json:
        raise UsageError("--csv and --json are asked for, and one is printed: choose one")
    with League(file) as open_league:
        found = league_table(open_league)
        if as_json:
            print_json(found)
        else:
            say(table_csv(found.table).rstrip("\n") if as_csv else league_text(found))
    return DONE
