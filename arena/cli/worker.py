"""``arena worker ADDRESS``"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import click

from arena.cli.options import cluster
from arena.cli.options.numbers import WholeNumber
from arena.cli.status import DONE, tell
from arena.doctor.capability import Status
from arena.doctor.examine import examine
from arena.errors import UsageError
from arena.sandbox.levels import SANDBOX_MODES


@click.command(name="worker")
@click.argument("address")
@click.option("--jobs", type=WholeNumber(1), default=1, help="Matches at a time.")
@click.option(
    "--sandbox",
    type=click.Choice(list(SANDBOX_MODES)),
    default="strict",
    help="The walls without which it does not start.  [default: strict]",
)
@cluster.tls_options
def command(address: str, jobs: int, sandbox: str, **tls: str | None) -> int:
    """Join this machine to the cluster whose scheduler is at ADDRESS (tcp://HOST:PORT or
    tls://HOST:PORT), and play matches for leagues that run there.

    \b
    dask scheduler --host 127.0.0.1 --port 8786
    arena worker tcp://127.0.0.1:8786 --jobs 2
    arena league run my.league --cluster tcp://127.0.0.1:8786
    """
    security = cluster.security(address, **tls)
    if jobs > 1:
        return _several(jobs)
    diagnosis = examine(SANDBOX_MODES[sandbox])
    findings = [one for one in diagnosis.capabilities if one.status is not Status.PASS]
    if not diagnosis.granted:
        raise UsageError(
            f"this machine does not keep --sandbox {sandbox}: arena doctor says what is missing"
        )
    from arena.cluster.work import promise

    try:
        from arena.cluster.worker import work_for
    except ImportError:
        raise UsageError(cluster.MISSING) from None

    found = tuple(f"{one.status}: {one.name}: {one.found}" for one in findings)
    work_for(address, promise(diagnosis.level, found), security=security, tell=tell)
    return DONE


def _several(jobs: int) -> int:
    """One process for each match at a time, all with the other words of this command line."""
    words: list[Any] = [*sys.argv[1:], "--jobs", "1"]  # of an option given twice the last counts
    workers = [subprocess.Popen([sys.executable, "-m", "arena", *words]) for _ in range(jobs)]
    try:
        return max(worker.wait() for worker in workers)
    finally:
        for worker in workers:
            worker.terminate()
