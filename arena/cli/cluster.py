"""The command ``arena cluster COMMAND …``."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.main import NamedGroup
from arena.cli.parameters import FilePath
from arena.cli.status import DONE
from arena.cli.text.layout import say
from arena.errors import UsageError

COMMANDS = {"keys": "Make the keys of a new cluster."}


@click.group(name="cluster", cls=NamedGroup, members=COMMANDS)
def command() -> None:
    """Play leagues on many machines.

    \b
    arena cluster keys keys/
    arena league run my.league --cluster 127.0.0.1:8786 --key keys/judge.pem
    arena worker 127.0.0.1:8786 --key keys/worker.pem --jobs 2
    """


@command.command(name="keys")
@click.argument("folder", metavar="DIR", type=FilePath())
def keys(folder: Path) -> int:
    """Make the keys of a new cluster in the folder DIR: judge.pem for the machine that judges, and
    worker.pem, of which each machine with workers gets a copy."""
    from arena.cluster.keys import make_keys

    try:
        judge, worker = make_keys(folder)
    except ImportError:
        raise UsageError(
            "keys are made with the library cryptography: pip install '.[cluster]' in a clone"
        ) from None
    say(f"{judge}: for arena league run --cluster HOST:PORT --key {judge}")
    say(
        f"{worker}: for arena worker HOST:PORT --key worker.pem; copy it to those machines (scp -p)"
    )
    return DONE
