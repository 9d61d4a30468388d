"""The command ``arena worker HOST:PORT``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import click

from arena.cli import parameters
from arena.cli.parameters import JOBS
from arena.cli.status import tell
from arena.doctor.examine import examine
from arena.errors import UsageError
from arena.sandbox.levels import SANDBOX_MODES, Level


@click.command(name="worker")
@click.argument("address", metavar="HOST:PORT")
@parameters.key_option
@click.option("--jobs", type=JOBS, default=1, help="Matches at a time.")
@click.option(
    "--sandbox",
    type=click.Choice(list(SANDBOX_MODES)),
    default="strict",
    help="The least walls; with fewer the worker plays nothing.  [default: strict]",
)
def command(address: str, key: Path | None, jobs: int, sandbox: str) -> int:
    """Play matches for the judge that listens at HOST:PORT. The worker waits for a judge, and when
    that one has ended, for the next.

    \b
    arena cluster keys keys/
    arena league run my.league --cluster 127.0.0.1:8786 --key keys/judge.pem
    arena worker 127.0.0.1:8786 --key keys/worker.pem --jobs 2
    """
    host, port = parameters.host_and_port(address)
    if key is None:
        raise UsageError("a worker needs --key worker.pem: make it with arena cluster keys DIR")
    from arena.cluster.keys import Role, tls_context

    tls_context(key, Role.WORKER)  # before the walls are probed, which takes a while
    return _several(jobs) if jobs > 1 else _work(host, port, key, sandbox)


def _work(host: str, port: int, key: Path, sandbox: str) -> NoReturn:
    diagnosis = examine(SANDBOX_MODES[sandbox])
    if not diagnosis.granted:
        raise UsageError(
            f"this machine cannot provide --sandbox {sandbox}: arena doctor says what is missing"
        )
    from arena.cluster.work import hello
    from arena.cluster.worker import work_for

    least = {"off": Level.OFF, "auto": diagnosis.level, "strict": Level.SANDBOX}[sandbox]
    work_for(host, port, key, hello(diagnosis.level, least), tell)


ONE_OF_SEVERAL = """
import sys
from arena.runtime.worker import die_with
die_with(int(sys.argv.pop(1)))
from arena.__main__ import main
main()
"""
"""The program of one worker of several, which ends with the process that started it."""


def _several(jobs: int) -> int:
    """Run one process per concurrent match, each with the rest of this command line."""
    words = [*sys.argv[1:], "--jobs", "1"]  # the last of repeated options counts
    command = [sys.executable, "-c", ONE_OF_SEVERAL, str(os.getpid()), *words]
    workers = [subprocess.Popen(command) for _ in range(jobs)]
    try:
        return max(worker.wait() for worker in workers)
    finally:
        for worker in workers:
            worker.terminate()
