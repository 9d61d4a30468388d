"""Programs of a cluster, forked from one process that has imported dask: that takes most of their
CPU time."""

from __future__ import annotations

import gc
import socket
import sys
from importlib import import_module

from tests.forks import ArenaProcess, run, serve


class ClusterProcess(ArenaProcess):
    """A program of a cluster, or one that asks its own."""

    script = __file__
    modules = ("arena", "distributed.cli.dask_scheduler", "tests.cluster.partitioned")


def main() -> None:
    """Serve on the socket with the number on the command line."""
    from arena.core.registry import find_game

    find_game("warlight")
    import_module("arena.cluster.pool")
    gc.freeze()
    run(*serve(socket.socket(fileno=int(sys.argv[1]))))


if __name__ == "__main__":
    main()
