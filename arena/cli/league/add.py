"""``arena league add FILE BOT…``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import league
from arena.cli.submit import hand_in_all, pages_option


@click.command(name="add")
@league.argument
@click.argument("bots", nargs=-1, metavar="BOT…", type=click.Path(path_type=Path))
@click.option(
    "--name", help="The name of the player: a new one, or that of which this is a new version."
)
@pages_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    file: Path, bots: tuple[Path, ...], name: str | None, pages: Path | None, as_json: bool
) -> int:
    """Add bots to a league: source files, executables, or folders with a bot.toml. The league
    keeps a copy of each. A bot is tested first, under the conditions of the league, and plays only
    if it passes. Exit status 1 when one does not."""
    return hand_in_all(file, bots, name, pages, as_json)
