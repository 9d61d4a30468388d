"""The argument FILE of the commands on a league."""

from __future__ import annotations

from pathlib import Path

import click

argument = click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
