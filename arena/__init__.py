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
`rows` `write_rows`            recorded matches as rows to learn from; as files
`data_frame`                   recorded matches or a series as a data frame
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
    from arena.api.check import check as check
    from arena.api.check import check_async as check_async
    from arena.api.compare import Comparison as Comparison
    from arena.api.compare import ComparisonReport as ComparisonReport
    from arena.api.compare import compare as compare
    from arena.api.conditions import Bot as Bot
    from arena.api.conditions import Bots as Bots
    from arena.api.conditions import Conditions as Conditions
    from arena.api.conditions import python_bot as python_bot
    from arena.api.data import data_frame as data_frame
    from arena.api.data import rows as rows
    from arena.api.data import write_rows as write_rows
    from arena.api.play import PlayedMatch as PlayedMatch
    from arena.api.play import play as play
    from arena.api.play import play_async as play_async
    from arena.api.rerun import RerunReport as RerunReport
    from arena.api.rerun import rerun as rerun
    from arena.api.series import Series as Series
    from arena.api.series import SeriesReport as SeriesReport
    from arena.api.series import SeriesSummary as SeriesSummary
    from arena.api.series import series as series
    from arena.api.suite import Suite as Suite
    from arena.api.suite import SuiteItem as SuiteItem
    from arena.api.suite import SuiteReport as SuiteReport
    from arena.api.suite import suite as suite
    from arena.bots.find import find_bot as find_bot
    from arena.bots.program import BotProgram as BotProgram
    from arena.core.clock import Clock as Clock
    from arena.core.game import Game as Game
    from arena.core.game import Setup as Setup
    from arena.core.listener import Listener as Listener
    from arena.core.registry import find_game as find_game
    from arena.core.registry import game_names as game_names
    from arena.core.replies import Answer as Answer
    from arena.core.replies import Cost as Cost
    from arena.core.replies import Silence as Silence
    from arena.core.replies import TimedReply as TimedReply
    from arena.core.replies import Violation as Violation
    from arena.core.replies import Why as Why
    from arena.core.steps import Ask as Ask
    from arena.core.steps import Fate as Fate
    from arena.core.steps import Note as Note
    from arena.core.steps import Outcome as Outcome
    from arena.core.steps import Show as Show
    from arena.core.steps import Stop as Stop
    from arena.core.steps import Tell as Tell
    from arena.core.table import AnswerTrial as AnswerTrial
    from arena.core.table import Table as Table
    from arena.core.tally import Drawing as Drawing
    from arena.core.tally import FaultCount as FaultCount
    from arena.core.tally import SeatTotals as SeatTotals
    from arena.core.tally import Sum as Sum
    from arena.core.tally import Tally as Tally
    from arena.errors import ArenaError as ArenaError
    from arena.errors import ArenaFault as ArenaFault
    from arena.errors import BotError as BotError
    from arena.errors import ReplayError as ReplayError
    from arena.errors import UsageError as UsageError
    from arena.match.report import ExitReport as ExitReport
    from arena.match.report import FaultReport as FaultReport
    from arena.match.report import InstructionReport as InstructionReport
    from arena.match.report import MatchReport as MatchReport
    from arena.match.report import PlayerReport as PlayerReport
    from arena.match.report import Rerun as Rerun
    from arena.match.report import RerunEnd as RerunEnd
    from arena.match.report import StderrReport as StderrReport
    from arena.match.report import TimeReport as TimeReport
    from arena.match.spec import MatchSpec as MatchSpec
    from arena.players.entrant import Entrant as Entrant
    from arena.record.format import Answered as Answered
    from arena.record.format import Digest as Digest
    from arena.record.format import Drawn as Drawn
    from arena.record.format import Header as Header
    from arena.record.format import Origin as Origin
    from arena.record.format import PlayerTotals as PlayerTotals
    from arena.record.format import ProtocolFault as ProtocolFault
    from arena.record.format import RecordConditions as RecordConditions
    from arena.record.format import Seal as Seal
    from arena.record.format import Silent as Silent
    from arena.record.format import Stderr as Stderr
    from arena.record.position import Expectation as Expectation
    from arena.record.position import PastReply as PastReply
    from arena.record.position import Position as Position
    from arena.record.position import cut as cut
    from arena.record.position import read_positions as read_positions
    from arena.record.reader import Exchange as Exchange
    from arena.record.reader import GivenFault as GivenFault
    from arena.record.reader import GivenReply as GivenReply
    from arena.record.reader import HeardLine as HeardLine
    from arena.record.reader import Match as Match
    from arena.record.rows import ChoiceRow as ChoiceRow
    from arena.record.rows import Row as Row
    from arena.record.verify import Verdict as Verdict
    from arena.record.verify import verify as verify
    from arena.sandbox.enforcement import Enforcement as Enforcement
    from arena.sandbox.levels import Level as Level
    from arena.sandbox.levels import SandboxMode as SandboxMode
    from arena.sandbox.levels import SandboxWish as SandboxWish
    from arena.tournament.schedule import Fixture as Fixture
    from arena.tournament.sprt import Estimate as Estimate
    from arena.tournament.sprt import Sprt as Sprt
    from arena.tournament.sprt import SprtVerdict as SprtVerdict
    from arena.tournament.standings import Cell as Cell
    from arena.tournament.standings import ResultTable as ResultTable
    from arena.tournament.standings import Standing as Standing
    from arena.trial.diagnosis import Cause as Cause
    from arena.trial.report import Check as Check
    from arena.trial.report import CheckStep as CheckStep
    from arena.trial.report import Use as Use

__version__ = "0.1.0"


_HOMES = {
    "api.check": "check check_async",
    "api.compare": "Comparison ComparisonReport compare",
    "api.conditions": "Bot Bots Conditions python_bot",
    "api.data": "data_frame rows write_rows",
    "api.play": "PlayedMatch play play_async",
    "api.rerun": "RerunReport rerun",
    "api.series": "Series SeriesReport SeriesSummary series",
    "api.suite": "Suite SuiteItem SuiteReport suite",
    "bots.find": "find_bot",
    "bots.program": "BotProgram",
    "core.clock": "Clock",
    "core.game": "Game Setup",
    "core.listener": "Listener",
    "core.registry": "find_game game_names",
    "core.replies": "Answer Cost Silence TimedReply Violation Why",
    "core.steps": "Ask Fate Note Outcome Show Stop Tell",
    "core.table": "AnswerTrial Table",
    "core.tally": "Drawing FaultCount SeatTotals Sum Tally",
    "errors": "ArenaError ArenaFault BotError ReplayError UsageError",
    "match.report": (
        "ExitReport FaultReport InstructionReport MatchReport PlayerReport "
        "Rerun RerunEnd StderrReport TimeReport"
    ),
    "match.spec": "MatchSpec",
    "players.entrant": "Entrant",
    "record.format": (
        "Answered Digest Drawn Header Origin PlayerTotals "
        "ProtocolFault RecordConditions Seal Silent Stderr"
    ),
    "record.position": "Expectation PastReply Position cut read_positions",
    "record.reader": "Exchange GivenFault GivenReply HeardLine Match",
    "record.rows": "ChoiceRow Row",
    "record.verify": "Verdict verify",
    "sandbox.enforcement": "Enforcement",
    "sandbox.levels": "Level SandboxMode SandboxWish",
    "tournament.schedule": "Fixture",
    "tournament.sprt": "Estimate Sprt SprtVerdict",
    "tournament.standings": "Cell ResultTable Standing",
    "trial.report": "Check CheckStep Use",
    "trial.diagnosis": "Cause",
}
"""The public names of each module; the imports above tell type checkers the same."""

__all__ = sorted(" ".join(_HOMES.values()).split())


def __getattr__(name: str) -> object:
    """Import a public name on first use, and keep it."""
    import importlib  # the keeper needs neither

    for home, names in _HOMES.items():
        if name in names.split():
            found: object = getattr(importlib.import_module(f"arena.{home}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'arena' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
