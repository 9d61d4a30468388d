"""Private folders of bots, and what becomes of them (and of control groups) when their arena is
killed.

A folder carries the name of its owner (`arena.sandbox.owner`). The next arena to start sweeps
those whose owner is gone.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress

from arena.sandbox import ending
from arena.sandbox.owner import SHAPE, alive, owner

PREFIX = "arena-"


def private_folder() -> str:
    """A new and empty folder for one bot in one match, in the temporary folder."""
    return tempfile.mkdtemp(prefix=f"{PREFIX}{owner()}-")


def sweep(*, groups: bool) -> None:
    """Remove the folders of arenas that are dead, and with `groups` their control groups too. What
    cannot be removed stays."""
    if groups:
        with suppress(OSError):
            ending.sweep(alive)
    place = tempfile.gettempdir()
    with suppress(OSError):
        for name in os.listdir(place):
            if _abandoned(name):
                shutil.rmtree(os.path.join(place, name), ignore_errors=True)


def _abandoned(name: str) -> bool:
    maker = "-".join(name.removeprefix(PREFIX).split("-")[:2])
    return name.startswith(PREFIX) and bool(SHAPE.fullmatch(maker)) and not alive(maker)
