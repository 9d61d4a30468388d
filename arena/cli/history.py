"""The command ``arena history FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import completion, parameters
from arena.cli.parameters import FilePath, check_output
from arena.cli.status import DONE, print_json
from arena.cli.text.layout import say
from arena.record.output import write_whole


@click.command(name="history")
@click.argument("file", type=FilePath())
@click.option("--game", help="Of which game.", shell_complete=completion.games)
@click.option("--page", type=FilePath(), help="Write a page (.html) with the curve as well.")
@parameters.overwrite("--page")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(file: Path, game: str | None, page: Path | None, overwrite: bool, as_json: bool) -> int:
    """Draw the strength of a bot over its versions, from the FILE to which arena compare --history
    adds.

    \b
    arena compare warlight v1/ v2/ --pool rivals/ --history strength.jsonl
    arena history strength.jsonl --page strength.html
    """
    from arena.cli.text.workbench import history_text
    from arena.workbench.history import history, history_page, read_history

    check_output("page", page, "--page", overwrite, ".html")
    report = history(read_history(file), game)
    if page is not None:
        write_whole(page, history_page(report))
    print_json(report) if as_json else say(history_text(report))
    return DONE
