"""Run bots against each other: programs that speak a line protocol on stdin and stdout.

This is the public and stable interface of the package::

    import arena

    match = arena.play("warlight", ["my_bot.py", "other.js"], seed=7)
    print(match.outcome.sentence)

=============================  ====================================================================
`play` `play_async`            one match: its record and its report, as a `Match`
`series`                       many matches with rotating seats: a `Series`, played while iterated
`compare`                      whether one bot is better than another: pairs until an `Sprt` knows
`check` `check_async`          the input test of one bot
`verify`                       proves a record
`rerun`                        one bot on the input that a seat of a recorded match got
`cut`                          a `Position` of a recorded match, from which `play` plays on
`suite`                        a bot on positions that say what to expect of it
`Match`                        a record as an object: rounds, frames, lines, answers, times, stderr
`Table`                        a match without any process, to drive by hand or to search in
`find_game` `game_names`       the games; a `Setup` holds everything a match depends on
`find_bot`                     a bot by its file, folder or command
`python_bot`                   a bot in Python that is made anew for each match and seat
`Listener`                     the base class of objects that follow a match while it is played
`Bot` `Conditions`             the types of players and of the conditions of a match
`ArenaError` and subclasses    everything that is raised on purpose (`arena.errors`)
=============================  ====================================================================

For annotations, the types of results and of listeners' arguments are here too, from `MatchReport`
to `SeatTotals`. (Treat `Entrant`, `BotProgram` and `MatchSpec` as opaque; their contents may
change.)

Authors of games import `arena.core`, `arena.games.kit` and `arena.testing`, which are public too.
Everything is imported on first use: ``import arena`` itself costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.api.check import check, check_async
    from arena.api.compare import Comparison, ComparisonReport, compare
    from arena.api.conditions import Bot, Bots, Conditions, python_bot
    from arena.api.play import PlayedMatch, play, play_async
    from arena.api.rerun import RerunReport, rerun
    from arena.api.series import Series, SeriesReport, SeriesSummary, series
    from arena.api.suite import Suite, SuiteItem, SuiteReport, suite
    from arena.bots.find import find_bot
    from arena.bots.program import BotProgram
    from arena.core.clock import Clock
    from arena.core.game import Game, Setup
    from arena.core.listener import Listener
    from arena.core.registry import find_game, game_names
    from arena.core.replies import Answer, Cost, Silence, TimedReply, Violation, Why
    from arena.core.steps import Ask, Fate, Note, Outcome, Show, Stop, Tell
    from arena.core.table import Table
    from arena.core.tally import Drawing, FaultCount, SeatTotals, Sum, Tally
    from arena.errors import ArenaError, ArenaFault, BotError, ReplayError, UsageError
    from arena.match.report import (
        ExitReport,
        FaultReport,
        InstructionReport,
        MatchReport,
        PlayerReport,
        Rerun,
        RerunEnd,
        StderrReport,
        TimeReport,
    )
    from arena.match.spec import MatchSpec
    from arena.players.entrant import Entrant
    from arena.record.format import (
        Answered,
        Digest,
        Drawn,
        Header,
        Origin,
        PlayerTotals,
        ProtocolFault,
        RecordConditions,
        Seal,
        Silent,
        Stderr,
    )
    from arena.record.position import Expectation, PastReply, Position, cut, read_positions
    from arena.record.reader import Exchange, GivenFault, GivenReply, HeardLine, Match
    from arena.record.verify import Verdict, verify
    from arena.sandbox.enforcement import Enforcement
    from arena.sandbox.levels import Level, SandboxMode, SandboxWish
    from arena.tournament.schedule import Fixture
    from arena.tournament.sprt import Estimate, Sprt, SprtVerdict
    from arena.tournament.standings import Cell, ResultTable, Standing
    from arena.trial.check import Check, CheckStep, Use
    from arena.trial.diagnosis import Cause

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Answered",
    "ArenaError",
    "ArenaFault",
    "Ask",
    "Bot",
    "BotError",
    "BotProgram",
    "Bots",
    "Cause",
    "Cell",
    "Check",
    "CheckStep",
    "Clock",
    "Comparison",
    "ComparisonReport",
    "Conditions",
    "Cost",
    "Digest",
    "Drawing",
    "Drawn",
    "Enforcement",
    "Entrant",
    "Estimate",
    "Exchange",
    "ExitReport",
    "Expectation",
    "Fate",
    "FaultCount",
    "FaultReport",
    "Fixture",
    "Game",
    "GivenFault",
    "GivenReply",
    "Header",
    "HeardLine",
    "InstructionReport",
    "Level",
    "Listener",
    "Match",
    "MatchReport",
    "MatchSpec",
    "Note",
    "Origin",
    "Outcome",
    "PastReply",
    "PlayedMatch",
    "PlayerReport",
    "PlayerTotals",
    "Position",
    "ProtocolFault",
    "RecordConditions",
    "ReplayError",
    "Rerun",
    "RerunEnd",
    "RerunReport",
    "ResultTable",
    "SandboxMode",
    "SandboxWish",
    "Seal",
    "SeatTotals",
    "Series",
    "SeriesReport",
    "SeriesSummary",
    "Setup",
    "Show",
    "Silence",
    "Silent",
    "Sprt",
    "SprtVerdict",
    "Standing",
    "Stderr",
    "StderrReport",
    "Stop",
    "Suite",
    "SuiteItem",
    "SuiteReport",
    "Sum",
    "Table",
    "Tally",
    "Tell",
    "TimeReport",
    "TimedReply",
    "UsageError",
    "Use",
    "Verdict",
    "Violation",
    "Why",
    "check",
    "check_async",
    "compare",
    "cut",
    "find_bot",
    "find_game",
    "game_names",
    "play",
    "play_async",
    "python_bot",
    "read_positions",
    "rerun",
    "series",
    "suite",
    "verify",
]

_HOMES = {
    "api.check": (
        "check",
        "check_async",
    ),
    "api.compare": (
        "Comparison",
        "ComparisonReport",
        "compare",
    ),
    "api.conditions": (
        "Bot",
        "Bots",
        "Conditions",
        "python_bot",
    ),
    "api.play": (
        "PlayedMatch",
        "play",
        "play_async",
    ),
    "api.rerun": (
        "RerunReport",
        "rerun",
    ),
    "api.series": (
        "Series",
        "SeriesReport",
        "SeriesSummary",
        "series",
    ),
    "api.suite": (
        "Suite",
        "SuiteItem",
        "SuiteReport",
        "suite",
    ),
    "bots.find": ("find_bot",),
    "bots.program": ("BotProgram",),
    "core.clock": ("Clock",),
    "core.game": (
        "Game",
        "Setup",
    ),
    "core.listener": ("Listener",),
    "core.registry": (
        "find_game",
        "game_names",
    ),
    "core.replies": (
        "Answer",
        "Cost",
        "Silence",
        "TimedReply",
        "Violation",
        "Why",
    ),
    "core.steps": (
        "Ask",
        "Fate",
        "Note",
        "Outcome",
        "Show",
        "Stop",
        "Tell",
    ),
    "core.table": ("Table",),
    "core.tally": (
        "Drawing",
        "FaultCount",
        "SeatTotals",
        "Sum",
        "Tally",
    ),
    "errors": (
        "ArenaError",
        "ArenaFault",
        "BotError",
        "ReplayError",
        "UsageError",
    ),
    "match.report": (
        "ExitReport",
        "FaultReport",
        "InstructionReport",
        "MatchReport",
        "PlayerReport",
        "Rerun",
        "RerunEnd",
        "StderrReport",
        "TimeReport",
    ),
    "match.spec": ("MatchSpec",),
    "players.entrant": ("Entrant",),
    "record.format": (
        "Answered",
        "Digest",
        "Drawn",
        "Header",
        "Origin",
        "PlayerTotals",
        "ProtocolFault",
        "RecordConditions",
        "Seal",
        "Silent",
        "Stderr",
    ),
    "record.position": (
        "Expectation",
        "PastReply",
        "Position",
        "cut",
        "read_positions",
    ),
    "record.reader": (
        "Exchange",
        "GivenFault",
        "GivenReply",
        "HeardLine",
        "Match",
    ),
    "record.verify": (
        "Verdict",
        "verify",
    ),
    "sandbox.enforcement": ("Enforcement",),
    "sandbox.levels": (
        "Level",
        "SandboxMode",
        "SandboxWish",
    ),
    "tournament.schedule": ("Fixture",),
    "tournament.sprt": (
        "Estimate",
        "Sprt",
        "SprtVerdict",
    ),
    "tournament.standings": (
        "Cell",
        "ResultTable",
        "Standing",
    ),
    "trial.check": (
        "Check",
        "CheckStep",
        "Use",
    ),
    "trial.diagnosis": ("Cause",),
}
"""The modules of the public names."""


def __getattr__(name: str) -> object:
    """Import a public name on first use, and keep it."""
    import importlib  # the keeper needs neither

    for home, names in _HOMES.items():
        if name in names:
            found: object = getattr(importlib.import_module(f"arena.{home}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'arena' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
