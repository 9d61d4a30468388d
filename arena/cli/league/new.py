"""``arena league new FILE --game GAME``"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.cli import completion, parameters
from arena.cli.parameters import WholeNumber
from arena.cli.status import DONE
from arena.cli.text.layout import say
from arena.core.registry import game_names
from arena.errors import UsageError
from arena.league.league import League
from arena.league.types import settle


@click.command(name="new")
@parameters.league_argument
@click.option("--game", help="What is played.", shell_complete=completion.games)
@click.option(
    "--seats",
    type=WholeNumber(2),
    metavar="K",
    help="Bots in each match.  [default: the fewest that the game is for]",
)
@parameters.terms
def command(file: Path, game: str | None, seats: int | None, **options: Any) -> int:
    """Begin a league in a new FILE. The conditions hold for all of its matches.

    \b
    arena league new cup.league --game warlight
    arena league new cup.league --game toroid --seats 4 --set normal_game_turn_per_player=10
    """
    if game is None:
        raise UsageError(
            f"name a game: --game {game_names()[0]} (games: {', '.join(game_names())})"
        )
    terms = settle(game, seats, parameters.conditions(options))
    with League.begin(file, terms):
        pass
    say(
        f"{file}: a league of {terms.game} for {terms.seats} bots a match, seed {terms.seed}, "
        f"sandbox {terms.sandbox}, clock {terms.clock}\n"
        f"add bots: arena league add {file} BOT…"
    )
    return DONE
