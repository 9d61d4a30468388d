"""Entrants of each kind, in whole matches where they need no process."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.program import BotProgram
from arena.core.replies import Answer
from arena.errors import UsageError
from arena.match.play import play_match
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import Entrant, ProgramEntrant, PythonEntrant, RecordedEntrant, programs
from arena.players.terms import PlayerTerms, Terms
from arena.record.reader import Match
from arena.record.verify import verify
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.session import trio_run
from tests.tiny import TinySettings

GHOST = BotProgram("ghost", ("/no/such/program",), None, None, "./ghost")
TIMID = PythonEntrant("timid", lambda lines: "0")


def all_in(lines: list[str]) -> str:
    """Bids the whole purse, which stands in the line before the request."""
    return lines[-2].split()[1]


BOLD = PythonEntrant("bold", all_in)


def play(*entrants: Entrant, **settings: int) -> tuple[MatchReport, Match]:
    """A match without a keeper; its report and its record."""
    report, data = play_bytes(*entrants, **settings)
    return report, Match.parse(data)


def play_bytes(*entrants: Entrant, **settings: int) -> tuple[MatchReport, bytes]:
    """The same, the record as it is written."""
    terms = Terms(sandbox=SandboxMode.STRICT)
    spec = MatchSpec("tiny", entrants, "1", TinySettings(**settings), terms)
    file = io.BytesIO()

    async def main() -> MatchReport:
        return await play_match(spec, record=file)

    return trio_run(main), file.getvalue()


def test_functions_play_without_a_keeper_and_without_walls(tmp_path: Path) -> None:
    report, data = play_bytes(BOLD, TIMID)
    assert report.sandbox is Level.OFF
    assert [player.rank for player in report.players] == [1, 2]
    assert [(player.name, player.command) for player in report.players] == [
        ("bold", "bold"),
        ("timid", "timid"),
    ]
    assert [player.exit for player in report.players] == [None, None]
    assert report.digest == Match.parse(data).digest
    path = tmp_path / "r.jsonl"
    path.write_bytes(data)
    assert verify(path).problem == ""


def test_an_exception_out_of_a_function_ends_the_match() -> None:
    def broken(lines: list[str]) -> str:
        raise LookupError("my bug")

    with pytest.raises(LookupError, match="my bug"):
        play(PythonEntrant("broken", broken), TIMID)


def test_a_record_plays_again_to_the_same_digest() -> None:
    report, match = play(BOLD, TIMID)
    again, _ = play(RecordedEntrant(match, 0), RecordedEntrant(match, 1))
    assert again.digest == report.digest
    assert [player.name for player in again.players] == ["bold", "timid"]
    assert [player.faults for player in again.players] == [{}, {}]


def test_a_recorded_seat_plays_against_others_until_its_record_ends() -> None:
    _, match = play(BOLD, TIMID, max_rounds=2)
    report, longer = play(RecordedEntrant(match, 0), BOLD)
    assert [given.reply for given in longer.replies(0)][:2] == [Answer("20"), Answer("0")]
    assert report.players[0].stopped == "exited"
    assert report.players[0].faults == {"exited": 1}


def test_programs_need_a_keeper() -> None:
    with pytest.raises(UsageError, match="needs a keeper"):
        play(TIMID, ProgramEntrant(GHOST))


async def test_a_program_is_not_opened_without_a_keeper() -> None:
    with pytest.raises(ValueError, match="ghost is a program"):
        async with ProgramEntrant(GHOST).open(PlayerTerms(), None):
            pass


def test_an_entrant_of_a_program_has_its_names() -> None:
    (entrant,) = programs([GHOST])
    assert (entrant.name, entrant.command, entrant.is_program) == ("ghost", "./ghost", True)


def test_only_webassembly_and_records_of_it_can_be_counted() -> None:
    _, match = play(BOLD, TIMID)
    for entrant, why in (
        (TIMID, "timid cannot be counted: it is a function"),
        (RecordedEntrant(match, 0), "bold cannot be counted: its record has none"),
        (ProgramEntrant(GHOST), "ghost cannot be counted"),
    ):
        with pytest.raises(UsageError, match=why):
            entrant.require_countable()


def test_a_spec_is_made_without_trio() -> None:
    code = "import sys, arena.match.spec, arena.match.report; print('trio' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
