"""What is seen of a bot in its input test."""

from __future__ import annotations

from msgspec import Struct

from arena.players.player import Stopped


class Refused(Struct, frozen=True):
    """A kind of request to which the rules took not one answer."""

    request: str
    """The request without its time bank."""
    answers: int
    """How many they refused."""
    round: int
    """Of the first; 0 before the first round."""
    answer: str
    """The first."""
    example: str
    """An answer that they would have taken instead; empty when there is none."""


class Hog(Struct, frozen=True):
    """What a bot used that held itself up until its test was ended. Times in seconds."""

    real: float
    """Real time of the match."""
    cpu: float
    tasks: int
    """The most processes and threads at a time."""


class Evidence(Struct, frozen=True):
    """What was seen of a bot that did not play as it should. Times in seconds."""

    game: str
    command: str = ""
    """What its author typed."""
    source: str = ""
    """The name of its main source, if it is known."""
    request: str = ""
    """The last request: the one without an answer, if there is such a one."""
    round: int = 0
    """Of the last request; 0 before the first round."""
    answers: int = 0
    """How many it gave."""
    accepted: int = 0
    """How many of them gave orders that the rules did not refuse."""
    refused: int = 0
    """How many of them the rules refused."""
    refused_all: Refused | None = None
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
    instructions: int | None = None
    """How many it used, where they are counted: more than it may."""
    hog: Hog | None = None
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
