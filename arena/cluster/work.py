"""What travels between a judge and its workers: plain values."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from msgspec import Struct

from arena import __version__
from arena.cluster.parcels import Address
from arena.core.game import Game
from arena.core.registry import find_game, list_games
from arena.errors import BotError, MachineError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.probe import CANDIDATES


def silence_dask() -> None:
    """Let dask log nothing but what ends it: what a user should know of a cluster the arena says in
    a sentence, and a scheduler that is lost is a page of tracebacks."""
    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


class Promise(Struct, frozen=True):
    """What a worker says of itself before it gets a match."""

    release: str
    rules: dict[str, int]
    """The version of the rules of each game that it has."""
    level: Level
    """The strongest walls that it has proved."""
    findings: tuple[str, ...] = ()
    """What the doctor has found that is less than it could be."""


def promise(level: Level, findings: tuple[str, ...] = ()) -> Promise:
    """What this machine can promise."""
    rules = {game.name: game.rules_version for game in list_games() if isinstance(game, Game)}
    return Promise(__version__, rules, level, findings)


def why_unfit(worker: Promise, spec: MatchSpec) -> str:
    """Why a worker must not play a match; empty when it may."""
    ours = find_game(spec.game).rules_version
    theirs = worker.rules.get(spec.game)
    if worker.release != __version__:
        return f"it has the release {worker.release}, and the judge {__version__}"
    if theirs != ours:
        return f"it has the rules version {theirs} of {spec.game}, and the judge {ours}"
    if not keeps(worker.level, spec.sandbox):
        return f"its walls are {worker.level}, and the matches ask for {spec.sandbox}"
    return ""


def keeps(level: Level, wanted: Level | SandboxMode) -> bool:
    """Whether a machine of that level keeps what is wanted."""
    order = list(Level)
    enough = CANDIDATES[wanted] if isinstance(wanted, SandboxMode) else (wanted,)
    return order.index(level) >= min(map(order.index, enough))


@dataclass(frozen=True, slots=True)
class Work:
    """One match for a worker."""

    token: str
    """Of this try: a result under another one comes too late, and is dropped."""
    spec: MatchSpec
    """Without its entrants, and with the mere name of its record."""
    bots: tuple[tuple[str, Address], ...]
    """By seat, what the organiser calls a bot, and its content. (A record has its own name.)"""


@dataclass(frozen=True, slots=True)
class Done:
    """A match that a worker played."""

    token: str
    report: MatchReport
    record: bytes | None
    """The file of its record, where one was asked for."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A match that was void, or whose bot could not be started. (As a value: the library for
    clusters changes how exceptions travel, and some do not arrive.)"""

    token: str
    error: str
    output: str = ""
    """What a bot or its compiler said."""
    is_void: bool = True
    """The machine failed, and not a bot."""

    @classmethod
    def of(cls, token: str, error: MachineError | BotError) -> Failed:
        """The value for an error."""
        if isinstance(error, BotError):
            return cls(token, str(error), error.output, is_void=False)
        return cls(token, str(error))

    def as_error(self) -> MachineError | BotError:
        """The error for the value."""
        return MachineError(self.error) if self.is_void else BotError(self.error, self.output)
