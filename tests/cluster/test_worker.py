"""A process that is no worker. (What a worker does is in `test_pool`.)"""

from __future__ import annotations

import subprocess
import sys

from tests.cluster.imported import ClusterProcess

ASKED = """
from arena.cluster.work import Work
from arena.cluster.worker import play, promised

print(promised(), play(Work("token", None, ())).error)
"""


def test_a_process_that_is_no_worker_promises_and_plays_nothing() -> None:
    """What a plain dask worker of the same cluster would answer. (In a process of its own, since
    the library changes how all exceptions of its process are pickled.)"""
    asked = ClusterProcess(
        [sys.executable, "-c", ASKED], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    said, _ = asked.communicate()
    assert asked.returncode == 0
    assert said.startswith("None this dask worker is none of the arena")
