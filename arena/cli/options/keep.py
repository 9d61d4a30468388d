"""The option ``--keep-files`` of the commands that start bots."""

from __future__ import annotations

from pathlib import Path

import click

option = click.option(
    "--keep-files",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Keep what each bot writes beside itself, in a new folder.",
)
