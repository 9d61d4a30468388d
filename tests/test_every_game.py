"""Every game with real programs: sample bots in two languages, recorded and proved, and programs
that break the rules."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.core import Answer, Note, Setup
from arena.core.registry import find_game, game_names
from arena.core.settings import parse
from arena.core.table import Table
from arena.match.play import play_match
from arena.match.report import ExitReport, MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.record.verify import verify
from arena.sandbox.session import run_with
from tests.playthroughs import SHORT
from tests.support.keepers import shared_keeper
from tests.support.tools import needs_tool

PROTOCOL = Path(__file__).parents[1] / "protocol.md"
SAMPLES = Path(__file__).parents[1] / "sample_bots"
TOOLS = {".js": ("node", "nodejs"), ".cpp": ("g++", "g++")}
RUBBISH = (
    "import sys\n"
    "for line in sys.stdin:\n"
    "    if line.startswith(('go', 'pick')): print('tea 1, \\x1b[2J {[ -0 ' * 3, flush=True)\n"
)
MUTE = "import sys\nfor line in sys.stdin: pass\n"


QUICK = {"timebank": 1000, "time_per_move": 100}
SHORTEST = {
    "toroid": {"normal_game_turn_per_player": 1},
    "hextrategic": {"max_rounds": 6},
    "tncc": {"max_cycles": 6},
}
"""So few rounds that waiting for a mute program takes a second or two."""


def sample(game: str, stem: str) -> BotProgram:
    path = next(path for path in (SAMPLES / game).iterdir() if path.stem == stem)
    if path.suffix in TOOLS:
        needs_tool(*TOOLS[path.suffix])
    return find_bot(str(path))


def script(name: str, code: str) -> BotProgram:
    return BotProgram(name, (sys.executable, "-I", "-S", "-c", code), None, None, name)


def play(game: str, *bots: BotProgram, replay: Path, **values: object) -> MatchReport:
    """A short match, proved by its replay."""
    settings = parse(find_game(game).settings, {**SHORT.get(game, {}), **values})
    spec = MatchSpec(game, programs(bots), "3", settings, replay=replay)
    with shared_keeper() as keeper:
        report = run_with(keeper, lambda children: play_match(spec, children))
    assert report.status == "completed"
    assert verify(replay).problem == ""
    return report


@pytest.mark.dear_for("codecharacter")
@pytest.mark.parametrize("game", game_names())
def test_two_languages_play_and_the_replay_verifies(game: str, tmp_path: Path) -> None:
    strong = "greedy" if game == "warlight" else "strong"
    bots = sample(game, "simple"), sample(game, strong)
    report = play(game, *bots, replay=tmp_path / "r.jsonl.gz")
    assert [player.faults for player in report.players] == [{}, {}]
    assert [player.exit for player in report.players] == [ExitReport(code=0), ExitReport(code=0)]


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        (name, seats)
        for name in game_names()
        for seats in find_game(name).seats
        if seats in (3, find_game(name).seats[-1]) and seats > 2
    ],
)
def test_larger_tables(game: str, seats: int, tmp_path: Path) -> None:
    bots = [sample(game, "strong"), *[sample(game, "simple")] * (seats - 1)]
    report = play(game, *bots, replay=tmp_path / "r.jsonl.gz", **SHORTEST.get(game, {}))
    assert len(report.players) == seats
    assert all(player.faults == {} for player in report.players)


@pytest.mark.parametrize("game", game_names())
def test_a_bot_that_answers_rubbish_does_no_harm(game: str, tmp_path: Path) -> None:
    report = play(game, script("rubbish", RUBBISH), sample(game, "simple"), replay=tmp_path / "r")
    bad, good = report.players
    assert bad.stopped is None
    assert set(bad.faults) <= {"syntax", "more"}
    assert bad.faults["syntax"] > 0
    assert good.faults == {}
    assert good.rank == 1


@pytest.mark.parametrize("game", game_names())
def test_a_bot_of_another_game_does_no_harm(game: str, tmp_path: Path) -> None:
    other = "tncc" if game != "tncc" else "toroid"
    report = play(game, sample(other, "simple"), sample(game, "simple"), replay=tmp_path / "r")
    assert report.players[1].faults == {}
    assert report.players[1].rank == 1


@pytest.mark.parametrize("game", game_names())
def test_a_bot_that_never_answers_does_no_harm(game: str, tmp_path: Path) -> None:
    bots = script("mute", MUTE), sample(game, "simple")
    report = play(game, *bots, replay=tmp_path / "r", **QUICK, **SHORTEST.get(game, {}))
    assert report.players[0].faults.get("timeout", 0) > 0
    assert report.players[0].rank >= report.players[1].rank


@pytest.mark.parametrize("name", game_names())
def test_an_empty_line_says_what_no_moves_says(name: str) -> None:
    """And both are without fault, but for a pick: as protocol.md has it for each game."""
    told = [_said_throughout(name, text) for text in ("", "No moves")]
    assert told[0] == told[1]
    assert set(told[0][1]) == ({"pick"} if name == "warlight" else set())
    rows = PROTOCOL.read_text("utf-8").split("| request | `No moves`")[1].split("\n\n")[0]
    assert f"\n|{name}" in rows.lower().replace(" ", "")


def _said_throughout(name: str, text: str) -> tuple[str, list[str]]:
    """The outcome, and the codes of all faults, of a match in which each answer is this."""
    game = find_game(name)
    settings = parse(game.settings, SHORT.get(name, {}))
    table: Table[Any] = Table(game, Setup("1", game.seats[0], settings))
    faults = []
    while True:
        faults += [step.code for step in table.take() if isinstance(step, Note) and step.fault]
        if table.outcome is not None:
            return table.outcome.sentence, faults
        table.answer_all(tuple(Answer(text) for _ in table.asked))
