"""The argument FILE of the commands on a league."""

from __future__ import annotations

import click

from arena.cli.options.files import FilePath

argument = click.argument("file", metavar="FILE", type=FilePath())
