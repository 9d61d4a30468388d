"""Processes that share all memory."""

from __future__ import annotations

import os
import threading

from arena.sandbox.usage.procfs import is_one
from tests.sandbox.programs import linux_only
from tests.sandbox.usage.trees import IDLE, running

pytestmark = linux_only


def test_a_thread_shares_memory_and_a_child_does_not() -> None:
    """The kernel has one notion for threads and for a child of ``vfork``."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()  # it has an id when this returns
    try:
        assert thread.native_id is not None
        assert is_one(os.getpid(), thread.native_id)
        with running(IDLE) as child:
            assert not is_one(os.getpid(), child.pid)
        assert not is_one(os.getpid(), child.pid)  # it is gone
    finally:
        done.set()
        thread.join()
