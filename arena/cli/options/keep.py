"""The option ``--keep-files`` of the commands that start bots."""

from __future__ import annotations

import click

from arena.cli.options.files import FilePath

option = click.option(
    "--keep-files",
    metavar="DIR",
    type=FilePath(),
    help="Keep what each bot writes beside itself, in a new folder.",
)
