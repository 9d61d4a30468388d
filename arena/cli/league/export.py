"""``arena league export FILE``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import parameters
from arena.cli.status import DONE, print_json
from arena.cli.text.layout import say
from arena.errors import UsageError
from arena.league.export import csv_text, export, html_text, matches
from arena.league.league import League
from arena.text import joined


@click.command(name="export")
@parameters.league_argument
@click.option("--csv", is_flag=True, help="The matches, a line for each player.")
@click.option("--json", is_flag=True, help="All but the records, as one document.")
@click.option("--html", is_flag=True, help="The table, as a page of its own.")
def command(file: Path, **kinds: bool) -> int:
    """Print the league in FILE for other programs.

    \b
    arena league export cup.league --html > cup.html
    """
    asked = [kind for kind, is_asked in sorted(kinds.items()) if is_asked]
    if not asked:
        raise UsageError(f"say how: arena league export {file} --csv (or --json, --html)")
    if len(asked) > 1:
        both = joined([f"--{kind}" for kind in asked])
        raise UsageError(f"{both} are asked for, and one is printed: choose one")
    (kind,) = asked
    with League(file) as open_league:
        if kind == "json":
            print_json(export(open_league), matches=matches(open_league))
        elif kind == "html":
            say(html_text(open_league).rstrip())
        else:
            for line in csv_text(open_league):
                say(line.rstrip("\n"))
    return DONE
