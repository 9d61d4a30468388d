"""What travels between a judge and its workers: plain values."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Self, TypeAlias

import msgspec
from msgspec import Meta, Struct

from arena import __version__
from arena.cluster.parcels import LARGEST, Address
from arena.core.clock import Clock
from arena.core.game import Game
from arena.core.limits import Limits
from arena.core.registry import find_game, list_games
from arena.core.settings import parse
from arena.errors import BotError, MachineError
from arena.match.spec import MatchSpec
from arena.players.entrant import Entrant
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.probe import CANDIDATES

_MODES = rf"\A({'|'.join(map(re.escape, [*SandboxMode, *Level]))})\Z"
SAID = 1000
"""Characters of an error that travel."""
PRINTED = 64 << 10
"""Characters of what a compiler has printed that travel: the last."""
Name: TypeAlias = Annotated[str, Meta(max_length=100)]
Size: TypeAlias = Annotated[int, Meta(ge=0, le=2**40)]


class Message(Struct, frozen=True, forbid_unknown_fields=True, tag=True):
    """The base of all."""


Decode: TypeAlias = Callable[[bytes], Message]
"""What makes messages of bytes. It raises MsgspecError, UnicodeDecodeError or RecursionError."""


class Beat(Message, frozen=True):
    """A sign of life."""


class Chunk(Message, frozen=True):
    """A part of a bot or a record."""

    data: bytes


# -- from a worker -------------------------------------------------------------------------


class Hello(Message, frozen=True):
    """What a worker says of itself before it gets a match."""

    release: Name
    rules: Annotated[dict[Name, int], Meta(max_length=1000)]
    """The version of the rules of each game that it has."""
    level: Level
    """The strongest walls that it has proved."""
    least: Level
    """The weakest with which it plays."""


class Need(Message, frozen=True):
    """The worker does not have that bot of its match."""

    bot: Address


class Done(Message, frozen=True):
    """A match that a worker played. The file of its record follows."""

    report: bytes
    """A `MatchReport`, still packed: that takes a tenth of the memory until it is proved."""
    size: Size
    """Bytes of the record."""


class Failed(Message, frozen=True):
    """A match that was void, or whose bot could not be started."""

    error: Annotated[str, Meta(max_length=SAID)]
    output: Annotated[str, Meta(max_length=PRINTED)] = ""
    """What a bot or its compiler said."""
    is_void: bool = True
    """The machine failed, and not a bot."""

    @classmethod
    def of(cls, error: MachineError | BotError) -> Self:
        """The value for an error, which fits into a frame."""
        text = str(error)[:SAID]
        if isinstance(error, BotError):
            return cls(text, error.output[-PRINTED:], is_void=False)
        return cls(text)

    def as_error(self) -> MachineError | BotError:
        """The error for the value."""
        return MachineError(self.error) if self.is_void else BotError(self.error, self.output)


# -- from the judge ------------------------------------------------------------------------


class WorkerRefused(Message, frozen=True):
    """The worker gets no matches."""

    why: str


class Parcel(Message, frozen=True):
    """The bot that a worker needs. Its content follows."""

    size: Annotated[int, Meta(ge=0, le=LARGEST)]


class SeatAssignment(Struct, frozen=True, forbid_unknown_fields=True):
    """Who sits at a seat."""

    command: str
    """What the organiser calls the bot."""
    name: str
    """What records call it."""
    address: Address


class Task(Message, frozen=True):
    """One match for a worker: a `MatchSpec` whose bots are named by content."""

    game: str
    seats: tuple[SeatAssignment, ...]
    seed: str
    settings: dict[str, Any]
    map: Any
    limits: Limits
    sandbox: Annotated[str, Meta(pattern=_MODES)]
    sequential: bool
    clock: Clock
    pondering: bool
    start_up: int
    forfeit: bool

    @classmethod
    def of(cls, spec: MatchSpec, seats: tuple[SeatAssignment, ...]) -> Self:
        """A match between these bots."""
        return cls(
            game=spec.game,
            seats=seats,
            seed=spec.seed,
            settings=msgspec.to_builtins(spec.settings),
            map=msgspec.to_builtins(spec.map),
            limits=spec.limits,
            sandbox=str(spec.sandbox),
            sequential=spec.sequential,
            clock=spec.clock,
            pondering=spec.pondering,
            start_up=spec.start_up,
            forfeit=spec.forfeit,
        )

    @property
    def mode(self) -> Level | SandboxMode:
        """The walls around its bots."""
        modes = {str(mode): mode for mode in SandboxMode}
        return modes.get(self.sandbox) or Level(self.sandbox)

    def spec(self, entrants: tuple[Entrant, ...], record: Path) -> MatchSpec:
        """The match, once its bots are there. Raises UsageError for what cannot be played."""
        return MatchSpec(
            game=self.game,
            entrants=entrants,
            seed=self.seed,
            settings=parse(find_game(self.game).settings, self.settings),
            map=self.map,
            limits=self.limits,
            sandbox=self.mode,
            replay=record,
            sequential=self.sequential,
            clock=self.clock,
            pondering=self.pondering,
            start_up=self.start_up,
            forfeit=self.forfeit,
        )


FromWorker: TypeAlias = Beat | Chunk | Hello | Need | Done | Failed
FromJudge: TypeAlias = Beat | Chunk | WorkerRefused | Parcel | Task
encode_message = msgspec.msgpack.Encoder().encode
"""The bytes of a message."""
decode_from_worker: Decode = msgspec.msgpack.Decoder(FromWorker).decode
decode_from_judge: Decode = msgspec.msgpack.Decoder(FromJudge).decode

# -- who may play what ---------------------------------------------------------------------


def hello(level: Level, least: Level) -> Hello:
    """What this machine says of itself."""
    rules = {game.name: game.rules_version for game in list_games() if isinstance(game, Game)}
    return Hello(__version__, rules, level, least)


def why_unfit(worker: Hello, game: str, mode: Level | SandboxMode) -> str:
    """Why a worker must not play such a match, and what to do; empty when it may."""
    ours, theirs = find_game(game).rules_version, worker.rules.get(game)
    if worker.release != __version__:
        return (
            f"it has the release {worker.release}, and the judge {__version__}: "
            "install the same on both"
        )
    if theirs != ours:
        has = "not got" if theirs is None else f"version {theirs} of"
        return f"it has {has} the rules of {game}, and the judge version {ours}: install the same"
    if not keeps(worker.level, mode):
        return (
            f"its walls are {worker.level}, and the matches ask for {mode}: "
            "arena doctor says what is missing there"
        )
    if isinstance(mode, Level) and _rank(mode) < _rank(worker.least):
        return (
            f"it plays nothing below the walls {worker.least}, and the matches ask for {mode}: "
            f"if all bots are to be trusted, start it with --sandbox {mode}"
        )
    return ""


def keeps(level: Level, wanted: Level | SandboxMode) -> bool:
    """Whether a machine of that level keeps what is wanted."""
    enough = CANDIDATES[wanted] if isinstance(wanted, SandboxMode) else (wanted,)
    return _rank(level) >= min(map(_rank, enough))


def _rank(level: Level) -> int:
    return list(Level).index(level)
