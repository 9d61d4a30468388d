"""Descriptors that this process has open."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def open_descriptors() -> dict[int, str]:
    """Their numbers, and what each leads to."""
    folder, found = Path("/proc/self/fd" if sys.platform == "linux" else "/dev/fd"), {}
    for path in folder.iterdir():
        with suppress(OSError):  # of the listing itself
            found[int(path.name)] = os.readlink(path)
    return found


@contextmanager
def watched_descriptors() -> Iterator[Callable[[], dict[int, str]]]:
    """A function that returns the descriptors which were opened inside and are still open.

    Inside, no garbage is collected: that could close what earlier tests left to it, and hide what
    was opened here and not closed."""
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        before = open_descriptors().items()
        yield lambda: dict(open_descriptors().items() - before)
    finally:
        if was_enabled:
            gc.enable()
