"""Chances of winning, turning points, and what another bot makes of a moment."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.cli.text.analysis import analysis_text, what_if_text
from arena.core.registry import GAMES, find_game
from arena.core.steps import Show
from arena.errors import ReplayError, UsageError
from arena.record.format import ProtocolFault, Record
from arena.record.reader import Match, save
from arena.view.chances import (
    TERMS,
    Balance,
    ChanceModel,
    find_model,
    look,
    parse_model,
    softmax,
    won,
)
from arena.workbench.analysis import Analysis, analyse, game_with_view, what_if
from arena.workbench.fitting import Lesson, calibration, fit, held_out, lesson, solve
from tests.cli.conftest import Arena, arena
from tests.support.past import GAMES as PLAYED
from tests.support.past import played
from tests.workbench.blunders import General, planted

__all__ = ["arena"]


def seen(share: float, forces: float | None = None, played: float = 0.25) -> Balance:
    """What a frame of two seats shows."""
    own = share if forces is None else forces
    return Balance((share, 1 - share), (own, 1 - own), 2, played)


MODEL = ChanceModel("warlight", 1, 9, {"standing*left": 4.0, "forces*left": 2.0})


def test_chances_come_to_one_and_grow_with_what_a_seat_has() -> None:
    chances = [MODEL.chances(seen(share / 10)) for share in range(11)]
    assert all(sum(row) == pytest.approx(1) for row in chances)
    assert all(one[0] < other[0] for one, other in pairwise(chances))
    assert chances[5] == (0.5, 0.5)
    assert MODEL.chances(seen(0.5, forces=0.6))[0] > 0.5
    assert MODEL.chances(seen(0.9, played=1.0)) == (0.5, 0.5)  # nothing weighs at the end
    assert softmax([1000.0, -1000.0]) == (1.0, 0.0)


def test_a_frame_without_anything_is_shared_equally() -> None:
    _game, view = game_with_view("warlight")
    frame = {"round": 3, "rounds": 0, "owner": [-1, -1], "armies": [2, 2], "moves": []}
    assert look(view, frame) == Balance((0.5, 0.5), (0.5, 0.5), 2, 1.0)
    frame |= {"owner": [0, -1], "rounds": 6}
    assert look(view, frame) == Balance((1.0, 0.0), (1.0, 0.0), 1, 0.5)


def test_winners_that_tie_share() -> None:
    assert won((1, 2)) == (1.0, 0.0)
    assert won((1, 3, 1)) == (0.5, 0.0, 0.5)


def test_equations() -> None:
    assert solve([[2.0, 1.0], [1.0, 3.0]], [4.0, 7.0]) == pytest.approx([1.0, 2.0])


def test_a_fit_finds_the_weights_that_made_the_results() -> None:
    """Results in the very shares that a model says."""
    shares = [seen(share / 20, forces / 4) for share in range(21) for forces in range(5)]
    lessons = [Lesson((one,), MODEL.chances(one)) for one in shares] * 9
    found = fit(find_game("warlight"), lessons)
    assert found.matches == len(lessons)
    assert found.weights["standing*left"] + found.weights["standing*played"] / 3 == pytest.approx(
        4.0, abs=0.2
    )
    assert calibration(found, lessons).ece < 0.01
    assert calibration(found, lessons).brier < calibration(found, lessons).brier_standing


def test_more_is_never_worse() -> None:
    """Records in which more armies lose give them no weight, and none below 0."""
    shares = [seen(0.5, forces / 10) for forces in range(11)]
    lessons = [Lesson((one,), (1 - one.forces[0], one.forces[0])) for one in shares]
    weights = fit(find_game("warlight"), lessons).weights
    assert weights["forces*left"] == weights["forces*played"] == 0
    with pytest.raises(UsageError, match="no record of warlight can be learnt from"):
        fit(find_game("warlight"), [])


def test_calibration_of_chances_that_are_wrong() -> None:
    lessons = [Lesson((seen(0.9),), (0.0, 1.0))] * 3
    kept = calibration(MODEL, lessons)
    chance = MODEL.chances(seen(0.9))[0]
    assert kept.ece == pytest.approx(chance)
    assert kept.brier == pytest.approx(chance**2)
    assert kept.brier_standing == pytest.approx(0.81)
    assert [one.weight for one in kept.bins] == pytest.approx([0.5, 0.5])


def test_no_match_is_judged_by_a_model_that_was_fitted_to_it() -> None:
    """Each part has seeds whose results are the opposite of what the others teach."""
    bad, good = ((0.0, 1.0), (1.0, 0.0)) if seen(0.9).standing[0] > 0.5 else ((1.0, 0.0),) * 2
    lessons = [(seed, Lesson((seen(0.9),), bad if seed % 4 == 0 else good)) for seed in range(16)]
    kept = held_out(find_game("warlight"), lessons)
    assert kept is not None
    assert kept.matches == 16
    chance = fit(find_game("warlight"), [one for _, one in lessons]).chances(seen(0.9))[0]
    assert kept.ece > abs(chance - 0.75) + 0.05
    assert held_out(find_game("warlight"), lessons[:3]) is None


def test_broken_models_are_refused() -> None:
    for data, words in (
        (b"{}", "m is no model of chances"),
        (b"[" * 100_000, "m is no model of chances"),
        (
            b'{"game":"x","rules_version":1,"matches":1,"weights":{"hope":1}}',
            "unknown weights: hope",
        ),
    ):
        with pytest.raises(UsageError, match=words):
            parse_model(data, "m")


@pytest.mark.parametrize("name", sorted(GAMES.keys() - {"tiny"}))
def test_each_game_has_a_model_of_its_rules(name: str) -> None:
    model = find_model(find_game(name))
    assert model is not None
    assert (model.game, set(model.weights)) == (name, set(TERMS))
    assert model.weights["standing*left"] > 0


@pytest.mark.parametrize("name", PLAYED)
def test_any_record_can_be_analysed_and_learnt_from(name: str) -> None:
    match = played(name)
    found = analyse(match, "r.jsonl", least=-9)
    assert [one.round for one in found.rounds] == [frame["round"] for frame in match.frames]
    assert all(sum(one.chances) == pytest.approx(1, abs=0.001) for one in found.rounds)
    assert all(one.exchanges for one in found.turning_points)
    lessons = [lesson(match, *game_with_view(name))] * 2
    assert all(lessons)


@pytest.mark.dear
def test_planted_blunders_are_turning_points() -> None:
    """Those that cost chance: ``python -m tests.experiments.workbench blunders`` measures of how
    many."""
    every = [one for one in map(planted, range(8)) if one is not None and one.cost_chance]
    assert len(every) >= 4
    assert all(one.is_found for one in every)
    first = every[0]
    (point,) = [one for one in first.points if one.round == first.round]
    where = f"r.jsonl --player {first.seat + 1} --round {first.round}"
    assert (point.rerun, point.cut) == (f"arena rerun {where} BOT", f"arena cut {where} -o POS")
    assert "attack/transfer" in str(point.exchanges[-1][1])
    assert first.match.replies(first.seat)[point.request - 1].round == first.round


def test_what_another_bot_makes_of_it() -> None:
    match = played("warlight")
    again = [General().answer for _ in range(2)]
    found = what_if(match, 3, again[0], seat=1, against=[again[1]], games=2)
    assert (found.round, found.seat, found.games) == (3, 1, 2)
    assert 0 <= found.won <= 2
    assert found.distinct == 1
    assert "All 2 matches are the same one" in what_if_text(found)
    assert "are the same" not in what_if_text(replace(found, distinct=2))
    assert "Only 2 of them differ" in what_if_text(replace(found, games=3, distinct=2))
    assert found.chance is not None
    for wrong, words in (
        ({"seat": 2}, "there is no player3"),
        ({"seat": 0, "against": again}, "1 other seats, and --against names 2 bots"),
    ):
        with pytest.raises(UsageError, match=words):
            what_if(match, 3, again[0], **wrong)


def toroid_analysis() -> Analysis:
    """Of a short match, by a model that no fit changes."""
    game = find_game("toroid")
    weights = {"standing*left": 2.0, "forces*left": 6.0, "standing*played": 3.0}
    return analyse(
        played("toroid"), "r.jsonl", ChanceModel("toroid", game.rules_version, 9, weights)
    )


def test_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    golden = Path(__file__).with_name("analysis.txt").read_text("utf-8")
    assert analysis_text(toroid_analysis()) + "\n" == golden


def ended(*records: Record, game: str = "warlight") -> Match:
    """A short match that goes on with these records."""
    match = played(game)
    rounds = [i for i, one in enumerate(match.records) if isinstance(one, Show)]
    return Match(match.header, (*match.records[: rounds[3] + 1], *records))


def test_the_end_of_a_program_is_said_before_all_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    late = ProtocolFault(0, "late", "an answer to 'go' after 20 ms", 2, True)
    crashed = ProtocolFault(1, "crashed", "left with exit code 3", 1, True)
    text = analysis_text(analyse(ended(late, crashed), "r.jsonl"))
    lines = text.splitlines()
    assert lines[:3] == [
        "r.jsonl: warlight, ann against bob",
        "The record ends before the match does.",
        "player2 (bob) was stopped in round 4: crashed, left with exit code 3",
    ]
    assert re.match(
        r"player1 \(ann\) made faults: .*, 2 × late, .*; the first in round 0: '", lines[3]
    )
    text = analysis_text(analyse(ended(late, crashed), "r.jsonl"), player=1)
    assert "(bob)" not in text
    found = analyse(ended(crashed), "r.jsonl")
    assert [(one.seat, one.code, one.stopped) for one in found.faults][:2] == [
        (1, "crashed", True),
        (0, "syntax", False),
    ]


def test_how_the_match_ended_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    match = played("warlight")
    assert match.outcome is not None
    assert analysis_text(analyse(match, "r")).splitlines()[1] == match.outcome.sentence


def test_a_match_that_ended_before_its_first_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    match = played("warlight")
    first = next(i for i, one in enumerate(match.records) if isinstance(one, Show))
    text = analysis_text(analyse(Match(match.header, match.records[: first + 1]), "r"))
    assert text.endswith("No turning point: no round was played to its end.")


def test_a_game_without_a_model_has_its_faults_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("arena.workbench.analysis.find_model", lambda game: None)
    crashed = ProtocolFault(1, "crashed", "left with exit code 3", 1, True)
    found = analyse(ended(crashed), "r.jsonl")
    assert (found.rounds, found.turning_points, found.matches) == ([], [], 0)
    text = analysis_text(found)
    assert "player2 (bob) was stopped in round 4" in text
    assert "warlight has no model of chances, so no round can be named" in text


def test_records_that_do_not_tell_who_is_ahead_make_no_model() -> None:
    same = Lesson((seen(0.5),), (1.0, 0.0))
    with pytest.raises(UsageError, match="no points before the end of a match that tell who is"):
        fit(find_game("warlight"), [same] * 9)
    assert fit(find_game("warlight"), [same, Lesson((seen(0.6),), (1.0, 0.0))]).matches == 2


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the record of a match."""
    save(played("warlight"), tmp_path / "r.jsonl")
    return tmp_path


def test_wrong_records(place: Path) -> None:
    match = Match.read(place / "r.jsonl")
    with pytest.raises(UsageError, match="the model is one of toroid, and r one of warlight"):
        analyse(match, "r", find_model(find_game("toroid")))
    with pytest.raises(ReplayError, match="ends before the first round"):
        analyse(Match(match.header, ()), "r")
    with pytest.raises(ReplayError, match="the model is of version 9 of the rules"):
        analyse(match, "r", ChanceModel("warlight", 9, 1, {}))


def test_the_command(arena: Arena, place: Path) -> None:
    ran = arena("analyse", place / "r.jsonl")
    assert ran.status == 0
    assert "round  player1  player2\n0         50 %     50 %\n" in ran.out
    assert "No turning point: no player's answers cost it 15 percentage points" in ran.out
    model, records = place / "m.json", [place / f"{seed}.jsonl" for seed in range(1, 5)]
    for seed, path in enumerate(records, 1):
        save(played("toroid", seed), path)
    ran = arena("analyse", "--fit", *records, records[0], "-o", model)
    assert "toroid, fitted to 5 matches" in ran.out
    assert "by models of other seeds of them: expected calibration error" in ran.out
    assert "Too few seeds to tell its calibration" in arena("analyse", "--fit", *records[:2]).out
    assert arena("analyse", records[0], "--model", model, "--json").status == 0
    assert "exists already" in arena("analyse", "--fit", place / "r.jsonl", "-o", model).err


def test_a_broken_record_loses_nothing_of_those_before_it(arena: Arena, place: Path) -> None:
    broken = place / "broken.jsonl"
    broken.write_text("hello\n")
    ran = arena("analyse", place / "r.jsonl", place / "r.jsonl", broken)
    assert ran.status != 0
    assert ran.out.count("r.jsonl: warlight") == 2
    assert "\n\n" + str(place / "r.jsonl") in ran.out
    assert "broken.jsonl, line 1: not a line of a replay" in ran.err


def test_records_that_were_cut_off(arena: Arena, place: Path) -> None:
    cut_off = place / "cut.jsonl"
    lines = (place / "r.jsonl").read_bytes().splitlines(keepends=True)
    cut_off.write_bytes(b"".join(lines[: len(lines) // 2]) + lines[len(lines) // 2][:20])
    ran = arena("analyse", cut_off)
    assert (ran.status, ran.err) == (0, "")
    assert "The record ends before the match does." in ran.out
    ran = arena("analyse", cut_off, "--what-if", 2, "true")
    assert "the record does not tell who came in last: name a player with --player" in ran.err
    ran = arena("analyse", "--fit", cut_off)
    assert "1 of 1 records left out: each needs the end of its match" in ran.err


def test_wrong_arguments(arena: Arena, place: Path) -> None:
    replay = place / "r.jsonl"
    for words, said in (
        ((), "name a replay: arena analyse lost.jsonl.gz"),
        ((place / "none",), "there is no file"),
        ((replay, "--player", 3), "has no player3: give 1 to 2"),
        ((replay, "--games", 3), "--games is for --what-if ROUND BOT"),
        ((replay, "--jobs", 2), "--jobs is for --what-if ROUND BOT"),
        ((replay, "--sandbox", "strict"), "--sandbox is for --what-if ROUND BOT"),
        (("--fit", replay, "--jobs", 2), "--jobs is for --what-if ROUND BOT"),
        ((replay, "-o", "x.json"), "add --fit, or leave out -o"),
        (("--fit", replay, "--player", 1), "leave out --what-if, --player, --model"),
        (("--fit", replay, "-o", "x"), "name a file that ends in .json"),
        ((replay, replay, "--what-if", 3, "bot.py"), "name one replay"),
        ((replay, "--what-if", "bot.py", 3), "name a round and a bot"),
        ((replay, "--what-if", 3, "human"), "only bots play here"),
        ((replay, "--what-if", 99, "true", "--player", 1), "does not ask player1 from round 99 on"),
        ((replay, "--model", place), "cannot read"),
        ((replay, "--model", replay), "is no model of chances"),
    ):
        ran = arena("analyse", *words)
        assert ran.status != 0, words
        assert said in ran.err, (words, ran.err)
