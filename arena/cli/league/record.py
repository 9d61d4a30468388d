"""``arena league record FILE MATCH``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import parameters
from arena.cli.parameters import FilePath, WholeNumber, overwrite, refuse_to_replace, require_ending
from arena.cli.status import DONE
from arena.cli.text.layout import say
from arena.errors import UsageError
from arena.league.league import League
from arena.text import quote


@click.command(name="record")
@parameters.league_argument
@click.argument("match", type=WholeNumber(1))
@click.option(
    "-o",
    "--output",
    type=FilePath(),
    required=True,
    help="The record to write (.jsonl[.gz]).",
)
@overwrite("--output")
@click.option("--for", "owner", metavar="NAME", help="Leave in what the bots of NAME wrote.")
def command(file: Path, match: int, output: Path, overwrite: bool, owner: str | None) -> int:
    """Copy the record of a MATCH for others: without what bots wrote to stderr and drew.

    The copy has the same digests, and a seal of its own.

    \b
    arena league record cup.league 17 -o 17.jsonl.gz
    arena league record cup.league 17 --for nina -o nina-17.jsonl.gz
    arena view nina-17.jsonl.gz
    """
    from arena.record.reader import LARGEST, Match, save, shared

    require_ending(output, "--output", ".jsonl", ".jsonl.gz")
    if not overwrite:
        refuse_to_replace("record", output, "--output")
    with League(file) as open_league:
        fixture = open_league.fixture(match)
        if open_league.result(match) is None:
            raise UsageError(f"match {match} has no record yet: it was not played")
        names = [open_league.copy_of(bot)[0] for bot in fixture.seats]
        if owner is not None and owner not in names:
            played = " and ".join(map(quote, names))
            raise UsageError(f"{quote(owner)} did not play match {match}: {played} did")
        record = open_league.record(match)
    own = [seat for seat, name in enumerate(names) if name == owner]
    save(shared(Match.read(record, largest=LARGEST), own), output)
    say(f"{output}")
    return DONE
