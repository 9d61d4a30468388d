"""``arena league stop FILE``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import parameters
from arena.cli.status import BAD, DONE, tell
from arena.cli.text.layout import say
from arena.league.league import League
from arena.league.lock import ask_to_stop


@click.command(name="stop")
@parameters.league_argument
def command(file: Path) -> int:
    """Let the judge of the league in FILE begin no further match. Those under way are played to
    their end. Exit status 1 when nothing plays it."""
    with League(file) as open_league:
        judge = ask_to_stop(open_league.folder.path)
    if judge is None:
        tell(f"nothing plays {file}")
        return BAD
    say(f"process {judge} ends after the matches under way")
    return DONE
