"""Entrants: values that name who takes part in a match, and from which a `Player` is opened.

An entrant is a program, a Python function, a person, a seat of a recorded match, or a stored bot
for a cluster. This module does not load Trio before a player is opened.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from arena.bots.program import BotProgram
from arena.bots.runtimes import require_countable
from arena.core.replies import TimedReply
from arena.errors import UsageError
from arena.players.terms import PlayerTerms

if TYPE_CHECKING:
    from arena.players.human import Desk
    from arena.players.inprocess import Answerer
    from arena.players.player import Player
    from arena.record.reader import Match
    from arena.sandbox.children import Children
    from arena.sandbox.launch import KeeperProcess
    from arena.sandbox.prestart import PrestartSpec


HUMAN = "human"
"""The word that names a person in place of a bot."""
LONGEST_NAME = 40


class Entrant(Protocol):
    """Who takes part in a match: a frozen value that can be sent to another process."""

    @property
    def name(self) -> str:
        """The printable display name. Never a path, since records contain it."""

    @property
    def command(self) -> str:
        """What the user typed to name the entrant."""

    @property
    def is_program(self) -> bool:
        """Whether it runs as a process of its own, behind walls; `open` then needs `children`."""

    @property
    def untimed(self) -> bool:
        """Whether there is no clock: answers are charged nothing and waited for indefinitely."""

    def require_countable(self) -> None:
        """Raise UsageError when the entrant's instructions cannot be counted."""

    def recipe(self, terms: PlayerTerms, keeper: KeeperProcess) -> PrestartSpec | None:
        """How to prestart the program before `open`; None when there is nothing to prestart."""

    def open(
        self, terms: PlayerTerms, children: Children | None
    ) -> AbstractAsyncContextManager[Player]:
        """Open the player for one match, the span of the ``async with``.

        Raises BotError when the player cannot be started.
        """


class ProgramEntrant(Struct, frozen=True):
    """A bot that is a program."""

    program: BotProgram
    is_program = True
    untimed = False

    @property
    def name(self) -> str:
        """The name of the bot."""
        return self.program.name

    @property
    def command(self) -> str:
        """The command of the bot."""
        return self.program.command

    def require_countable(self) -> None:
        """Raise UsageError unless the program is WebAssembly."""
        require_countable([self.program])

    def recipe(self, terms: PlayerTerms, keeper: KeeperProcess) -> PrestartSpec | None:
        """The recipe by which `open` starts the program."""
        from arena.players.open import recipe

        return recipe(keeper, self.program, terms)

    @asynccontextmanager
    async def open(self, terms: PlayerTerms, children: Children | None) -> AsyncIterator[Player]:
        """The running program."""
        from arena.players.open import open_program

        if children is None:
            raise ValueError(f"{self.name} is a program: it cannot be opened without a keeper")
        async with open_program(children, self.program, terms) as player:
            yield player


class PythonEntrant(Struct, frozen=True):
    """A Python function, called with the lines since its last request, the request last; or what
    makes one for each match and seat.

    The function runs in the arena's process, so it has no limits, and nothing can interrupt it. An
    exception that it raises ends the match.

    >>> PythonEntrant("passive", lambda lines: "No moves").name
    'passive'
    """

    name: str
    answer: Answerer | None
    make: Callable[[], Answerer] | None = None
    """Makes the function anew for each match and seat; None if `answer` plays all of them."""
    is_program = False
    untimed = False

    @property
    def command(self) -> str:
        """Its name."""
        return self.name

    def require_countable(self) -> None:
        """Raise UsageError: only programs can be counted."""
        raise UsageError(f"the instructions of {self.name} cannot be counted: it is a function")

    def recipe(self, terms: PlayerTerms, keeper: KeeperProcess) -> None:
        """Nothing to prepare."""

    @asynccontextmanager
    async def open(self, terms: PlayerTerms, children: Children | None) -> AsyncIterator[Player]:
        """A player that calls the function. Raises UsageError if `make` makes none."""
        from arena.players.inprocess import InProcessPlayer

        yield InProcessPlayer(self.name, self.answerer())

    def answerer(self) -> Answerer:
        """The function that plays a match. Raises UsageError if `make` makes none."""
        answer = self.make() if self.make is not None else self.answer
        if answer is None or not callable(answer):
            raise UsageError(
                f"{self.name} makes {answer!r}, which is no bot: make what can be called with lines"
            )
        return answer


class RecordedEntrant(Struct, frozen=True):
    """A seat of a recorded match, which repeats its answers.

    Against other players, or under other settings, the answers may make little sense.
    """

    match: Match
    seat: int
    is_program = False
    untimed = False

    @property
    def name(self) -> str:
        """The name of the seat in the record."""
        return self.match.players[self.seat]

    @property
    def command(self) -> str:
        """Its name."""
        return self.name

    def require_countable(self) -> None:
        """Raise UsageError when the record has no instruction counts."""
        if any(given.cost.instructions is None for given in self.match.answers(self.seat)):
            raise UsageError(
                f"the instructions of {self.name} cannot be counted: its record has none"
            )

    def recipe(self, terms: PlayerTerms, keeper: KeeperProcess) -> None:
        """Nothing to prepare."""

    @asynccontextmanager
    async def open(self, terms: PlayerTerms, children: Children | None) -> AsyncIterator[Player]:
        """A player that gives the recorded replies."""
        from arena.players.inprocess import RecordedPlayer

        replies = [TimedReply(given.reply, given.cost) for given in self.match.replies(self.seat)]
        yield RecordedPlayer(self.name, replies, terms.budget)


class HumanEntrant(Struct, frozen=True):
    """A person at a desk, without a clock unless `timed`."""

    name: str = HUMAN
    desk: Desk | None = None
    timed: bool = False
    is_program = False

    @property
    def untimed(self) -> bool:
        """True unless `timed`."""
        return not self.timed

    @property
    def command(self) -> str:
        """``human``, or ``human:Ann``."""
        return HUMAN if self.name == HUMAN else f"{HUMAN}:{self.name}"

    def require_countable(self) -> None:
        """Raise UsageError: only programs can be counted."""
        raise UsageError(f"the instructions of {self.name} cannot be counted: it is a person")

    def recipe(self, terms: PlayerTerms, keeper: KeeperProcess) -> None:
        """Nothing to prepare."""

    @asynccontextmanager
    async def open(self, terms: PlayerTerms, children: Children | None) -> AsyncIterator[Player]:
        """The player for the person. Raises UsageError without a desk."""
        from arena.players.human import HumanPlayer

        if self.desk is None:
            raise UsageError(f"{self.name} needs a terminal or a page: play with arena play")
        yield HumanPlayer(self.name, self.desk, timed=self.timed)


def named_human(word: str) -> str | None:
    """The name of the person in a command-line word: ``human``, ``human:Ann``.

    None when the word names a bot. Raises UsageError for an invalid name."""
    kind, colon, name = word.partition(":")
    if kind != HUMAN:
        return None
    if colon and (not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME):
        raise UsageError(
            f"{word!r} has no valid name: write human, or human:Ann (at most 40 characters)"
        )
    return name.strip() or HUMAN


def programs(bots: Iterable[BotProgram]) -> tuple[ProgramEntrant, ...]:
    """An entrant for each bot."""
    return tuple([ProgramEntrant(bot) for bot in bots])


# A bot stored on disk until a cluster worker plays it.


class StoredEntrant(Struct, frozen=True):
    """A bot by name and file or folder. Each worker builds it for itself."""

    name: str
    source: Path
    numbers: tuple[float, ...] = ()
    """Values for the numbers that its ``bot.toml`` declares; empty: those at the start."""
    is_program = True
    untimed = False

    @property
    def command(self) -> str:
        """Its name."""
        return self.name

    def require_countable(self) -> None:
        """Raise UsageError: only a worker finds out what kind of program the bot is."""
        raise UsageError(f"the instructions of {self.name} cannot be counted on a cluster")

    def recipe(self, terms: PlayerTerms, keeper: KeeperProcess) -> None:
        """Nothing to prepare here."""

    def open(
        self, terms: PlayerTerms, children: Children | None
    ) -> AbstractAsyncContextManager[Player]:
        """Raise UsageError: only a `ClusterPool` can play a stored bot."""
        raise UsageError(f"{self.name} is for a cluster: play it with a ClusterPool")
