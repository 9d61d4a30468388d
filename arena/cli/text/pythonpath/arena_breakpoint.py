"""What `breakpoint()` of a bot calls under ``--debug``. The bot's stdin and stdout belong to the
match, so the debugger talks to the terminal of the arena.

It runs in the bot's Python, 3.7 or newer, which need not have the arena.
"""

from __future__ import annotations

import os
import pdb
import sys
from functools import cache


def stop(*, header: str | None = None) -> None:
    """Stop the bot where it called `breakpoint()`, and ask at the terminal how to go on."""
    debugger = _debugger()
    if header is not None:
        debugger.message(header)
    debugger.set_trace(sys._getframe(1))


@cache  # one keeps what is set in it
def _debugger() -> pdb.Pdb:
    terminal = os.environ["ARENA_TERMINAL"]
    return pdb.Pdb(stdin=open(terminal), stdout=open(terminal, "w"))
