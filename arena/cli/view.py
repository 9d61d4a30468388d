"""The command ``arena view REPLAY…``."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from arena.cli import completion
from arena.cli.parameters import (
    FilePath,
    PlayerNumber,
    check_output,
    overwrite,
    require_replays,
)
from arena.cli.status import DONE
from arena.cli.text.browser import open_browser
from arena.cli.text.layout import say
from arena.errors import UsageError
from arena.record.output import write_whole


@click.command(name="view")
@click.argument(
    "replays",
    nargs=-1,
    required=True,
    metavar="REPLAY…",
    type=FilePath(),
    shell_complete=completion.replays,
)
@click.option(
    "-o",
    "--output",
    type=FilePath(),
    help="The page to write (.html).  [default: a temporary file, opened in the browser]",
)
@overwrite("--output")
@click.option(
    "--compare", is_flag=True, help="Show two replays side by side, and where they differ."
)
@click.option(
    "--for",
    "player",
    type=PlayerNumber(0),
    help="Keep the stderr and drawings of this player's bot only (0: of no bot).",
)
@click.option("--text", is_flag=True, help="Show one replay in the terminal instead.")
def command(
    replays: tuple[Path, ...],
    output: Path | None,
    overwrite: bool,
    compare: bool,
    player: int | None,
    text: bool,
) -> int:
    """Make a page of replays: the board round by round, and all that each bot read and wrote.

    The page is one file that needs nothing else. Several replays make one page with a list.

    \b
    arena view lost.jsonl.gz
    arena view *.jsonl.gz -o matches.html
    arena view before.jsonl.gz after.jsonl.gz --compare
    arena view final.jsonl.gz --for 0 -o for-all.html
    arena view --text lost.jsonl.gz
    """
    require_replays(replays)
    if text:
        return _in_terminal(replays, page=compare or output is not None or player is not None)
    check_output("page", output, "--output", overwrite, ".html", ".htm")
    from arena.view.page import view_page

    owners = None if player is None else [player - 1] if player else []
    page = view_page(replays, compare=compare, owners=owners)
    path = output or _temporary()
    write_whole(path, page)
    say(f"{path}")
    if output is None:
        open_browser(path.resolve().as_uri())
    return DONE


def _in_terminal(replays: tuple[Path, ...], *, page: bool) -> int:
    if page:
        raise UsageError("--text makes no page: leave out --output, --compare and --for")
    if len(replays) != 1:
        raise UsageError(f"{len(replays)} replays are named, but --text shows one: name one")
    from arena.cli.text.boards import view_text

    view_text(replays[0])
    return DONE


def _temporary() -> Path:
    number, path = tempfile.mkstemp(prefix="arena-", suffix=".html")
    os.close(number)
    return Path(path)
