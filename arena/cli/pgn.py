"""The command ``arena pgn REPLAY… -o FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import completion
from arena.cli.parameters import (
    FilePath,
    check_output,
    overwrite,
    require_replays,
)
from arena.cli.status import DONE, tell
from arena.errors import UsageError
from arena.record.output import write_whole
from arena.text import counted


@click.command(name="pgn")
@click.argument("replays", nargs=-1, type=FilePath(), shell_complete=completion.replays)
@click.option("-o", "--output", type=FilePath(), required=True, help="The file: .pgn.")
@overwrite("-o")
def command(replays: tuple[Path, ...], output: Path, overwrite: bool) -> int:
    """Write recorded matches of openspiel:chess as PGN, in the order of their replays, with what
    the clocks showed after each move and how the match ended.

    \b
    arena pgn games/*.jsonl.gz -o games.pgn
    """
    from arena.record.pgn import pgn_of
    from arena.record.reader import MAX_RECORD_SIZE, Match

    if not replays:
        raise UsageError("name a replay: arena pgn chess.jsonl.gz -o chess.pgn")
    check_output("file", output, "-o", overwrite, ".pgn")
    require_replays(replays)
    games = list[str]()
    for number, replay in enumerate(replays, 1):
        match = Match.read(replay, largest=MAX_RECORD_SIZE)
        try:
            games.append(pgn_of(match, number))
        except UsageError as error:
            raise UsageError(f"{replay}: {error}") from None
    write_whole(output, "\n".join(games))
    tell(f"{counted(len(games), 'match', 'matches')} of chess: {output}")
    return DONE
