"""``arena league show FILE [MATCH]``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import parameters
from arena.cli.parameters import WholeNumber
from arena.cli.status import DONE, print_json
from arena.cli.text.layout import say
from arena.cli.text.league import account_text, match_text, repeat_command
from arena.league.league import League


@click.command(name="show")
@parameters.league_argument
@click.argument("match", required=False, type=WholeNumber(1))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(file: Path, match: int | None, as_json: bool) -> int:
    """List the bots of the league in FILE with all their versions. With the number of a MATCH: what
    became of it, where its record lies, and the command that plays it again."""
    with League(file) as open_league:
        if match is None:
            found = open_league.account()
            print_json(found) if as_json else say(account_text(found))
        else:
            again = repeat_command(open_league, open_league.fixture(match))
            again = f"{again} --replay {match}-again.jsonl.gz"
            one = open_league.match_account(match, again)
            print_json(one) if as_json else say(match_text(one))
    return DONE
