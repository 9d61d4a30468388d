"""The messages between a judge and its workers."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Self, TypeAlias

import msgspec
from msgspec import Meta, Struct

from arena import __version__
from arena.bots.numbers import MOST_NUMBERS
from arena.cluster.parcels import MAX_PARCEL_SIZE, Address
from arena.core.clock import Clock
from arena.core.game import Game
from arena.core.registry import find_game, list_games
from arena.core.settings import parse
from arena.errors import BotError, MachineError
from arena.match.spec import MatchSpec
from arena.players.entrant import Entrant
from arena.players.terms import Terms
from arena.record.position import Position
from arena.runtime.capacity import usable_memory
from arena.sandbox.levels import Level, SandboxWish, decode_wish
from arena.sandbox.loop_delay import OWN_SCHEDSTAT
from arena.sandbox.probe import candidates
from arena.text import size_text

MAX_ERROR = 1000
"""Maximum length of an error message, in characters."""
MAX_OUTPUT = 64 << 10
"""Maximum length of compiler output, in characters; the end is kept."""
INTERPRETERS = ("python3", "node", "java", "ruby", "php", "perl")
"""Interpreters whose versions a worker tells."""
Name: TypeAlias = Annotated[str, Meta(max_length=100)]
Size: TypeAlias = Annotated[int, Meta(ge=0, le=2**40)]


class Message(Struct, frozen=True, forbid_unknown_fields=True, tag=True):
    """The base class of all messages."""


Decode: TypeAlias = Callable[[bytes], Message]
"""Decodes a message. Raises MsgspecError, UnicodeDecodeError or RecursionError."""


class Beat(Message, frozen=True):
    """Shows that the sender is alive."""


class Chunk(Message, frozen=True):
    """A part of a bot or a record."""

    data: bytes


# -- from a worker -------------------------------------------------------------------------


class Hello(Message, frozen=True):
    """A worker's description of itself, sent before it gets a match."""

    release: Name
    rules: Annotated[dict[Name, int], Meta(max_length=1000)]
    """The version of the rules of each installed game."""
    level: Level
    """The strongest level that passed its probe on the worker."""
    least: Level
    """The weakest level at which the worker plays."""
    memory: Annotated[int, Meta(ge=0, le=2**60)]
    """Bytes of memory that the worker's programs can have together."""
    counts_delay: bool
    """Whether its system counts how long programs wait for a core, on which the fair clock
    depends."""
    interpreters: Annotated[dict[Name, Name], Meta(max_length=20)] = {}
    """The versions of its interpreters: another one may answer differently."""


class Need(Message, frozen=True):
    """The worker lacks that bot of its match."""

    bot: Address


class Done(Message, frozen=True):
    """A match that a worker played. Its record file follows."""

    report: bytes
    """A `MatchReport`, kept packed until it is proved, which takes a tenth of the memory."""
    size: Size
    """Bytes of the record."""


class Failed(Message, frozen=True):
    """A match that was void or had a bot that could not be started."""

    error: Annotated[str, Meta(max_length=MAX_ERROR)]
    output: Annotated[str, Meta(max_length=MAX_OUTPUT)] = ""
    """Output of a bot or its compiler."""
    is_void: bool = True
    """Whether the machine failed, not a bot."""

    @classmethod
    def of(cls, error: MachineError | BotError) -> Self:
        """The message for an error, shortened to fit into a frame."""
        text = str(error)[:MAX_ERROR]
        if isinstance(error, BotError):
            return cls(text, error.output[-MAX_OUTPUT:], is_void=False)
        return cls(text)

    def as_error(self) -> MachineError | BotError:
        """The error for the message."""
        return MachineError(self.error) if self.is_void else BotError(self.error, self.output)


# -- from the judge ------------------------------------------------------------------------


class WorkerRefused(Message, frozen=True):
    """The worker gets no matches."""

    why: str


class Parcel(Message, frozen=True):
    """The bot that a worker needs. Its content follows."""

    size: Annotated[int, Meta(ge=0, le=MAX_PARCEL_SIZE)]


class SeatAssignment(Struct, frozen=True, forbid_unknown_fields=True):
    """The bot of one seat."""

    command: str
    """The organiser's name for the bot."""
    name: str
    """The bot's name in records."""
    address: Address
    numbers: Annotated[tuple[float, ...], Meta(max_length=MOST_NUMBERS)] = ()
    """Values for its declared numbers; empty: those at the start."""


class Task(Message, frozen=True):
    """One match for a worker: a `MatchSpec` whose bots are named by content."""

    game: str
    seats: tuple[SeatAssignment, ...]
    seed: str
    settings: dict[str, Any]
    map: Any
    terms: Terms
    position: Position | None = None

    @classmethod
    def of(cls, spec: MatchSpec, seats: tuple[SeatAssignment, ...]) -> Self:
        """A match between these bots."""
        return cls(
            game=spec.game,
            seats=seats,
            seed=spec.seed,
            settings=msgspec.to_builtins(spec.settings),
            map=msgspec.to_builtins(spec.map),
            terms=spec.terms,
            position=spec.position,
        )

    def spec(self, entrants: tuple[Entrant, ...], record: Path) -> MatchSpec:
        """The match, once its bots are present. Raises UsageError if it cannot be played."""
        return MatchSpec(
            game=self.game,
            entrants=entrants,
            seed=self.seed,
            settings=parse(find_game(self.game).settings, self.settings),
            map=self.map,
            terms=self.terms,
            replay=record,
            position=self.position,
        )


FromWorker: TypeAlias = Beat | Chunk | Hello | Need | Done | Failed
FromJudge: TypeAlias = Beat | Chunk | WorkerRefused | Parcel | Task
encode_message = msgspec.msgpack.Encoder().encode
"""Encodes a message."""
decode_from_worker: Decode = msgspec.msgpack.Decoder(FromWorker).decode
decode_from_judge: Decode = msgspec.msgpack.Decoder(FromJudge, dec_hook=decode_wish).decode

# -- which worker may play which match -----------------------------------------------------


def hello(level: Level, least: Level) -> Hello:
    """The hello of this machine."""
    rules = {game.name: game.rules_version for game in list_games() if isinstance(game, Game)}
    return Hello(
        release=__version__,
        rules=rules,
        level=level,
        least=least,
        memory=usable_memory(),
        counts_delay=os.path.exists(OWN_SCHEDSTAT),
        interpreters=_interpreters(),
    )


@cache
def _interpreters() -> dict[str, str]:
    """The interpreters that are installed here, and their versions."""
    found = {}
    for name in INTERPRETERS:
        with suppress(OSError, subprocess.SubprocessError):
            ran = subprocess.run([name, "--version"], capture_output=True, text=True, timeout=5)
            if version := re.search(r"\d+(\.\d+)+", ran.stdout + ran.stderr):
                found[name] = version[0]
    return found


def why_unfit(worker: Hello, game: str, terms: Terms, seats: int) -> str:
    """Why a worker must not play a match of so many seats under these terms, with advice; empty
    when it may."""
    mode = terms.sandbox
    ours, theirs = find_game(game).rules_version, worker.rules.get(game)
    if worker.release != __version__:
        return (
            f"it has the release {worker.release}, but the judge {__version__}: "
            "install the same on both"
        )
    if theirs != ours:
        has = "lacks" if theirs is None else f"has version {theirs} of"
        return f"it {has} the rules of {game}, and the judge has version {ours}: install the same"
    if not keeps(worker.level, mode):
        return (
            f"its level is {worker.level}, but the matches need {mode}: "
            "arena doctor says what is missing there"
        )
    if isinstance(mode, Level) and _rank(mode) < _rank(worker.least):
        return (
            f"it plays nothing below the level {worker.least}, but the matches need {mode}: "
            f"if you trust all bots, start it with --sandbox {mode}"
        )
    needed = seats * (terms.limits.memory or 0)
    if worker.memory < needed:
        return (
            f"it has {size_text(worker.memory)} of memory, but the {seats} bots of a match may use "
            f"{size_text(needed)}: give it more, or begin the league with a lower --memory"
        )
    if terms.timing.clock is Clock.FAIR and not worker.counts_delay:
        return (
            "it does not count how long a bot waits for a core, but the matches are timed by the "
            "fair clock: use Linux with schedstats there, or begin the league with --clock cpu"
        )
    return ""


def keeps(level: Level, wanted: SandboxWish) -> bool:
    """Whether a machine of that level satisfies the wanted one."""
    return _rank(level) >= min(map(_rank, candidates(wanted)))


def _rank(level: Level) -> int:
    return list(Level).index(level)
