"""How long an input test takes in real time: its user hears of it, and a bot that holds itself up
with many processes is given up. (Its time bank does not end that: waiting for a core is free.)"""

from __future__ import annotations

from collections.abc import Callable

import trio
from msgspec import Struct

from arena.match.evidence import Hog

LOOK = 1.0
"""Seconds between two looks."""
WORD = 10.0
"""Seconds between two words to the user."""
BEYOND = 30.0
"""Seconds of real time that a match may take beyond the time of the bot itself. Only one that uses
more than a whole core, or is a `CROWD`, is given up for it: the others wait for the machine."""
CROWD = 64
"""Processes and threads from which on they wait for each other: runtimes of languages have 10 to
40."""


class Overtime(Struct, frozen=True):
    """What is looked at in one match. Times in seconds."""

    usage: Callable[[], tuple[float, int]]
    """CPU time of the bot so far, and its processes and threads now."""
    charged: Callable[[], float]
    """What its answers were charged so far."""
    bank: float
    """What the request under way may take."""
    say: Callable[[float, float], None]
    """Hears the real time and the CPU time so far."""

    async def watch(self) -> Hog:
        """Look until it is to be given up."""
        start, words, most = trio.current_time(), 0, 0
        while True:
            await trio.sleep(LOOK)
            real, (cpu, tasks) = trio.current_time() - start, self.usage()
            most, is_busy = max(most, tasks), cpu > real or tasks > CROWD
            if is_busy and real - self.charged() > BEYOND + self.bank:
                return Hog(real, cpu, most)
            if real >= WORD * (words + 1):
                words += 1
                self.say(real, cpu)
