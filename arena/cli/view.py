"""``arena view REPLAY``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import completion
from arena.errors import UsageError


@click.command(name="view")
@click.argument(
    "replays",
    nargs=-1,
    metavar="REPLAY",
    type=click.Path(path_type=Path),
    shell_complete=completion.replays,
)
@click.option("--text", is_flag=True, help="Show it in the terminal.")
def command(replays: tuple[Path, ...], text: bool) -> None:
    """Show a recorded match.

    \b
    arena view --text lost.jsonl.gz
    """
    if len(replays) != 1:
        raise UsageError(f"{len(replays)} replays are named: name one")
    if not text:
        raise UsageError("say how to show it: add --text")
    if not replays[0].is_file():
        raise UsageError(f"there is no file {replays[0]}: name a replay that is there")
    from arena.cli.text.viewer import view_text

    view_text(replays[0])
