"""The command ``arena guide [NAME]``."""

from __future__ import annotations

import os
import sys

import click

from arena.cli import completion
from arena.cli.status import print_plain_json
from arena.cli.text.layout import say, table, width
from arena.errors import UsageError
from arena.guide.pages import find_guide, guide_names

WIDTH = 100
"""Maximum width of a guide on a terminal, in columns; longer lines are hard to read."""


@click.command(name="guide")
@click.argument("name", required=False, shell_complete=completion.guides)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of records and documents.")
def command(name: str | None, schema: bool) -> None:
    """List the guides, or read one: formatted on a terminal, otherwise as Markdown."""
    if schema:
        _print_schema(name)
        return
    if name is None:
        rows = [[guide.name, guide.about] for guide in map(find_guide, guide_names())]
        say(table(("guide", "about"), rows, left=2, columns=width(), title=1))
        return
    text = find_guide(name).text
    if sys.stdout.isatty():
        click.echo_via_pager(_laid_out(text))
    else:
        say(text.removesuffix("\n"))


def _print_schema(name: str | None) -> None:
    if name != "records":
        raise UsageError("--schema belongs to one guide: arena guide records --schema")
    from arena.guide.schema import json_schema  # imports everything that prints a document

    print_plain_json(json_schema())


def _laid_out(text: str) -> str:
    """Markdown laid out for a terminal."""
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(no_color="NO_COLOR" in os.environ)
    console.width = min(console.width, WIDTH)
    with console.capture() as capture:
        console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=False))
    return capture.get()
