"""Playing frames by keys: which one is shown, how fast, and what each key does. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Rounds a second."""
NORMAL = SPEEDS.index(4.0)
LEAP = 10
"""Rounds of a bigger step."""
KEYS = {
    **dict.fromkeys((" ", "k"), "pause"),
    **dict.fromkeys(("\x1b[C", "\x1bOC", "l"), "next"),
    **dict.fromkeys(("\x1b[D", "\x1bOD", "h"), "back"),
    **dict.fromkeys(("\x1b[6~",), "leap"),
    **dict.fromkeys(("\x1b[5~",), "leap back"),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~"), "first"),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~"), "last"),
    **dict.fromkeys(("+", "=", "\x1b[A", "\x1bOA"), "faster"),
    **dict.fromkeys(("-", "_", "\x1b[B", "\x1bOB"), "slower"),
    **dict.fromkeys(("q", "Q", "\x1b"), "quit"),
}
"""What the keys send, and what they mean."""
_KEY = re.compile("\x1b\\[[0-9;]*[A-Za-z~]|\x1bO.|.", re.DOTALL)


def meanings(sent: bytes) -> list[str]:
    """What was pressed, key by key; keys without a meaning are left out."""
    keys = _KEY.findall(sent.decode(errors="replace"))
    return [KEYS[key] for key in keys if key in KEYS]


@dataclass(slots=True)
class Playback:
    """Where a show stands. Frames count from 0."""

    last: int
    """The last frame that there is; a match that is still played has as many as were shown."""
    at: int = 0
    paused: bool = False
    pace: int = NORMAL
    """The place in `SPEEDS`."""
    over: bool = False

    @property
    def seconds(self) -> float:
        """For how long a frame is shown."""
        return 1 / SPEEDS[self.pace]

    def press(self, meaning: str) -> None:
        """A key. Steps pause."""
        match meaning:
            case "pause":
                self.paused = not self.paused
            case "next" | "back" | "leap" | "leap back" | "first" | "last":
                self.paused = True
                self.at = max(0, min(self.last, self._target(meaning)))
            case "faster" | "slower":
                step = 1 if meaning == "faster" else -1
                self.pace = max(0, min(len(SPEEDS) - 1, self.pace + step))
            case "quit":
                self.over = True

    def _target(self, meaning: str) -> int:
        steps = {"next": 1, "back": -1, "leap": LEAP, "leap back": -LEAP}
        if meaning in steps:
            return self.at + steps[meaning]
        return 0 if meaning == "first" else self.last

    def tick(self) -> None:
        """The frame was shown for its time: the next one. The last one stays."""
        if not self.paused:
            self.at = min(self.at + 1, self.last)
            self.paused = self.at == self.last

    @property
    def status(self) -> str:
        """How it is played, in words."""
        return "paused" if self.paused else f"{SPEEDS[self.pace]:g} rounds a second"
