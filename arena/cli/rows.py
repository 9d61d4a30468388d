"""The command ``arena rows REPLAY… -o FILE``."""

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
from arena.text import counted


@click.command(name="rows")
@click.argument("replays", nargs=-1, type=FilePath(), shell_complete=completion.replays)
@click.option(
    "-o", "--output", type=FilePath(), required=True, help="The file: .parquet, .jsonl, .jsonl.gz."
)
@overwrite("-o")
def command(replays: tuple[Path, ...], output: Path, overwrite: bool) -> int:
    """Write recorded matches as rows to learn from, one for each request: what the seat was told,
    what it could choose, what it answered, and how the match ended for it.

    \b
    arena rows games/*.jsonl.gz -o games.parquet
    arena rows lost.jsonl.gz -o lost.jsonl
    """
    from arena.api.data import ROW_ENDINGS, write_rows

    if not replays:
        raise UsageError("name a replay: arena rows lost.jsonl.gz -o lost.parquet")
    check_output("file", output, "-o", overwrite, *ROW_ENDINGS)
    require_replays(replays)
    count = write_rows(replays, output, overwrite=overwrite)
    tell(f"{counted(count, 'row')} of {counted(len(replays), 'match', 'matches')}: {output}")
    return DONE
