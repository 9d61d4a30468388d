"""``arena cluster COMMAND …``"""

from __future__ import annotations

import click

from arena.cli.main import LazyGroup

COMMANDS = {"keys": "Make the keys of a new cluster."}


@click.group(name="cluster", cls=LazyGroup, package="arena.cli.cluster", members=COMMANDS)
def command() -> None:
    """Play leagues on many machines.

    \b
    arena cluster keys keys/
    arena league run my.league --cluster 127.0.0.1:8786 --key keys/judge.pem
    arena worker 127.0.0.1:8786 --key keys/worker.pem --jobs 2
    """
