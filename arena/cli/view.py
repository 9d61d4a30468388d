"""``arena view REPLAY…``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.status import DONE
from arena.cli.text.layout import say


@click.command(name="view")
@click.argument("replays", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file to write.")
def command(replays: tuple[Path, ...], output: Path) -> int:
    """Make a page of replays."""
    from arena.view.make import view_page

    output.write_text(view_page(replays), "utf-8")
    say(str(output))
    return DONE
