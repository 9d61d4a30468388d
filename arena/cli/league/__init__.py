"""``arena league COMMAND FILE …``"""

from __future__ import annotations

import click

from arena.cli.main import LazyGroup

COMMANDS = {
    "new": "Begin a league.",
    "add": "Add bots: each is tested, and plays if it passes.",
    "run": "Play what is planned; go on where it ended.",
    "table": "Print the table.",
    "show": "List the bots and what became of them; or explain one match.",
    "record": "Copy the record of a match, to be given to others.",
    "export": "Write the league as CSV, JSON or a page.",
    "admit": "Let a bot play that failed its test.",
    "annul": "Let the result of a match no longer count: it is played again.",
    "stop": "Let the judge in another terminal end after the matches under way.",
    "withdraw": "Let a bot play no more.",
}


@click.group(name="league", cls=LazyGroup, package="arena.cli.league", members=COMMANDS)
def command() -> None:
    """Run a contest: bots are tested and kept, matches are played and recorded once, and the table
    is derived from them. All stands in FILE and in the folder FILE.d beside it.

    \b
    arena league new cup.league --game warlight
    arena league add cup.league one.py other.js third/
    arena league run cup.league --rounds 10 --jobs 2
    arena league table cup.league
    """
