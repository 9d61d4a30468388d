"""A short wait for answers that come at once, without a way through the scheduler.

Waiting side by side in tasks costs 44 µs of CPU time an exchange, one poll over all pipes 4 to 8.
Nothing else on the loop runs meanwhile, so it is done only for players whose last answer was
prompt, and for a millisecond in all.
"""

from __future__ import annotations

import select
import time
from collections.abc import Sequence

from arena.core.replies import TimedReply
from arena.players.player import Player

GLANCE = 0.001
"""Seconds."""


def glance(players: Sequence[Player], replies: list[TimedReply | None]) -> None:
    """Put in the replies of those players that have none yet and answer within a millisecond."""
    waiting: dict[int, int] = {}
    for i, player in enumerate(players):
        if replies[i] is None and (pipe := player.waited_for) is not None:
            waiting[pipe] = i
    if not waiting:
        return
    pipes = select.poll()
    for pipe in waiting:
        pipes.register(pipe, select.POLLIN)
    until = time.monotonic() + GLANCE
    while waiting and time.monotonic() < until:
        for pipe, _ in pipes.poll(GLANCE * 1000):
            i = waiting.pop(pipe)
            pipes.unregister(pipe)
            replies[i] = players[i].poll()
