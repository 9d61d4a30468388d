"""A worker that has no scheduler. (What it does with one is in `test_pool`.)"""

from __future__ import annotations

import pytest

from arena.cluster.work import Work
from arena.cluster.worker import play, promised
from arena.errors import MachineError


def test_a_process_that_is_no_worker_promises_and_plays_nothing() -> None:
    """What a plain dask worker of the same cluster would answer."""
    assert promised() is None
    with pytest.raises(MachineError, match="arena worker"):
        play(Work("token", None, ()))  # type: ignore[arg-type]  # it does not look at it
