"""A cluster whose one worker is cut off: ``python -m tests.cluster.partitioned BOT BOT`` prints
which of two reports on the same match counts.

It is a program of its own: `distributed` changes how all exceptions of its process are pickled.
"""

from __future__ import annotations

import sys
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import distributed
from msgspec.structs import replace

from arena.api.conditions import Conditions, make_spec
from arena.cluster.pool import ClusterPool
from arena.cluster.work import Done, Work, promise
from arena.match.report import MatchReport
from arena.players.stored import StoredEntrant
from arena.sandbox.levels import Level


class Partitioned:
    """The client of a scheduler whose one worker cannot be reached after it got its match, and
    which another one joins. Both play it, and the lost one is heard first."""

    status = "running"

    def __init__(self) -> None:
        self.present = ["near"]
        self.sent: list[tuple[Work, Future[Done]]] = []

    def scheduler_info(self, n_workers: int) -> Any:
        return {"workers": dict.fromkeys(self.present)}

    def run(self, function: Any, workers: list[str], on_error: str) -> Any:
        return dict.fromkeys(workers, promise(Level.OFF))

    def register_plugin(self, plugin: Any) -> None:
        """All have the bot."""

    def submit(self, function: Any, work: Work, **how: Any) -> Future[Done]:
        self.sent.append((work, Future()))
        return self.sent[-1][1]

    def cancel(self, futures: list[Any]) -> None:
        """It cannot be told."""

    def as_current(self) -> Any:
        return nullcontext()

    def wait(self, *_: Any, **__: Any) -> None:
        """The lost worker and the other one report once both have the match."""
        self.present = ["far"]
        if len(self.sent) > 1:
            for rounds, (work, future) in enumerate(self.sent):
                report = cast(MatchReport, f"try {rounds + 1}")
                future.set_result(Done(work.token, report, None))


def main(bots: list[str]) -> None:
    """Play one match on such a cluster."""
    client, pool = Partitioned(), ClusterPool("tcp://nowhere")
    pool._client = client
    distributed.wait = client.wait
    spec = make_spec("warlight", bots, Conditions(sandbox="off"))
    stored = tuple(StoredEntrant(Path(bot).stem, Path(bot)) for bot in bots)
    ((key, played),) = pool.play([("match", replace(spec, entrants=stored))])
    tokens = {work.token for work, _ in client.sent}
    print(f"{key}: {played}, of {len(tokens)} tokens")


if __name__ == "__main__":
    main(sys.argv[1:])
