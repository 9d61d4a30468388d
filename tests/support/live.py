"""Matches of the tiny game between real processes, with a check that nothing is left of them."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from arena.bots.program import BotProgram
from arena.core.clock import Clock
from arena.core.limits import Limits
from arena.match.play import play_match
from arena.match.report import MatchReport, PlayerReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.players.terms import Terms, Timing
from arena.record.verify import verify
from arena.sandbox.session import run_with
from tests.support.keepers import shared_keeper
from tests.support.leftovers import left_behind
from tests.support.tools import until_fair
from tests.tiny import TinySettings

HERE = Path(__file__).parents[1]


HONEST = "import sys\nfor line in sys.stdin:\n    if line.startswith('go'): print(1, flush=True)\n"


def program(*words: str, name: str = "bot") -> BotProgram:
    """A Python program with these words on its command line."""
    return BotProgram(name, (sys.executable, *words), None, None, " ".join(words))


def hostile(sin: str, *arguments: str) -> BotProgram:
    """The program that commits the given sin."""
    return program("-S", "-E", str(HERE / "hostile" / "bot.py"), sin, *arguments, name=sin)


def honest() -> BotProgram:
    """A program that bids 1 at once whenever asked."""
    return program("-I", "-S", "-c", HONEST, name="honest")


def slow() -> BotProgram:
    """A program that prolongs a match: it takes half a second for each answer."""
    return program("-I", "-S", "-c", HONEST.replace("print", "__import__('time').sleep(.5); print"))


def play(
    *bots: BotProgram,
    memory: int | None = None,
    limits: Limits | None = None,
    replay: Path | None = None,
    clock: Clock = Clock.WALL,
    pondering: bool = True,
    start_up: int = 0,
    **settings: Any,
) -> MatchReport:
    """Play a match of the tiny game, and check that no process is left and that its record
    verifies, whatever the programs did."""
    with tempfile.TemporaryDirectory() as folder, shared_keeper() as keeper:
        path = replay or Path(folder) / "r.jsonl"
        spec = MatchSpec(
            "tiny",
            programs(bots),
            "1",
            TinySettings(**settings),
            Terms(
                limits=limits or Limits(memory=memory),
                timing=Timing(clock, pondering=pondering, start_up=start_up),
            ),
            replay=path,
        )
        report = until_fair(lambda: run_with(keeper, lambda children: play_match(spec, children)))
        assert left_behind(keeper.process.pid) == []
        assert verify(path).problem == ""
    return report


def seats(report: MatchReport) -> tuple[PlayerReport, PlayerReport]:
    """Both seats of a complete match, in which the second was not harmed."""
    bad, good = report.players
    assert report.status == "completed"
    assert report.rounds == 5
    assert good.stopped is None
    assert good.faults == {}
    assert good.requests == 5
    return bad, good


def stderr(player: PlayerReport) -> str:
    """All of a bot's stderr in a report."""
    return "".join(turn.text for turn in player.stderr)


def first(report: MatchReport) -> PlayerReport:
    """The report of the first seat."""
    return report.players[0]


def bot(code: str) -> BotProgram:
    """A Python program with this code that starts as fast as possible."""
    return program("-I", "-S", "-c", code)
