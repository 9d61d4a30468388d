"""Every game with real programs: sample bots in two languages, recorded and proved; and programs
that do not play by the rules."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.bots import BotProgram, find_bot
from arena.game import find_game, game_names
from arena.match import play_match
from arena.reports import MatchReport, MatchSpec
from arena.run import keeper_running, run_with
from arena.settings import parse
from arena.verify import verify
from tests.playthroughs import SHORT
from tests.tools import needs_tool

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
    spec = MatchSpec(game, bots, "3", settings, replay=replay)
    with keeper_running() as keeper:
        report = run_with(keeper, lambda children: play_match(spec, children))
    assert report.status == "completed"
    assert verify(replay).problem == ""
    return report


@pytest.mark.parametrize("game", game_names())
def test_two_languages_play_and_the_replay_verifies(game: str, tmp_path: Path) -> None:
    strong = "greedy" if game == "warlight" else "strong"
    bots = sample(game, "simple"), sample(game, strong)
    report = play(game, *bots, replay=tmp_path / "r.jsonl.gz")
    assert [player.faults for player in report.players] == [{}, {}]
    assert [player.exit for player in report.players] == [{"code": 0}, {"code": 0}]


@pytest.mark.parametrize(
    ("game", "seats"),
    [(name, seats) for name in game_names() for seats in find_game(name).seats if seats > 2],
)
def test_larger_tables(game: str, seats: int, tmp_path: Path) -> None:
    bots = [sample(game, "strong"), *[sample(game, "simple")] * (seats - 1)]
    report = play(game, *bots, replay=tmp_path / "r.jsonl.gz")
    assert len(report.players) == seats
    assert all(player.faults == {} for player in report.players)


@pytest.mark.parametrize("game", game_names())
def test_who_answers_rubbish_does_no_harm(game: str, tmp_path: Path) -> None:
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
def test_who_never_answers_does_no_harm(game: str, tmp_path: Path) -> None:
    bots = script("mute", MUTE), sample(game, "simple")
    report = play(game, *bots, replay=tmp_path / "r", **QUICK, **SHORTEST.get(game, {}))
    assert report.players[0].faults.get("timeout", 0) > 0
    assert report.players[0].rank >= report.players[1].rank
