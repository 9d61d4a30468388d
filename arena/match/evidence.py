"""What is seen of a bot in its input test."""

from __future__ import annotations

from msgspec import Struct

from arena.players.player import Stopped


class Evidence(Struct, frozen=True):
    """What was seen of a bot that did not play as it should. Times in seconds."""

    game: str
    command: str = ""
    """What its author typed."""
    request: str = ""
    """The last request: the one without an answer, if there is such a one."""
    answers: int = 0
    """How many it gave."""
    accepted: int = 0
    """How many of them gave orders that the rules did not refuse."""
    refused: int = 0
    """How many of them the rules refused."""
    first_answer: str = ""
    inner_answer: str = ""
    """The end of its first answer that would have been right by itself."""
    missed: bool = False
    """Whether an answer was due and did not come."""
    late: float | None = None
    """After how long it came, if it came soon after its time."""
    bank: float = 0.0
    """How long it had."""
    cpu: float = 0.0
    """CPU time that it used meanwhile."""
    held_back: str = ""
    """The answer that came when a twin's input was closed."""
    comes_when_full: bool = False
    """Whether a twin that was asked again and again let its answers go, or was busy with them."""
    unasked: str = ""
    """A line on stdout that answers nothing."""
    unfinished: str = ""
    """A line on stdout without its newline."""
    on_stderr: str = ""
    """A line on stderr that would have been a right answer."""
    other_game: str = ""
    """The game in which it does answer."""
    stopped: Stopped | None = None
    stopped_detail: str = ""
    stderr: str = ""
