"""Programs of a cluster, forked from one process that has imported dask: that takes most of their
CPU time."""

from __future__ import annotations

import gc
import runpy
import socket
import sys
from collections.abc import Mapping, Sequence

from tests.forks import (
    CAN_FORK,
    ArenaProcess,
    ForkServer,
    folders_in_front,
    for_the_interpreter,
    fork_server,
    serve,
)


class ClusterProcess(ArenaProcess):
    """``python -m MODULE`` or ``python -c CODE``."""

    @staticmethod
    def forked_by(
        args: Sequence[str], env: Mapping[str, str] | None
    ) -> tuple[ForkServer, Sequence[str]] | None:
        """That process, unless Python is to be another."""
        usual = for_the_interpreter(env) == for_the_interpreter() and folders_in_front(env) == []
        return (fork_server(__file__), args[1:]) if CAN_FORK and usual else None


def main() -> None:
    """Serve on the socket with the number on the command line."""

    from arena.core.registry import find_game

    find_game("warlight")
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
    option, program, *words = sys.argv[1:]
    sys.argv[:] = [option, *words]
    if option == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    main()
