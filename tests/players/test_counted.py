"""Matches in which instructions are counted, with real WebAssembly bots in real processes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.bots.find import find_bot
from arena.bots.program import BotProgram, Runtime
from arena.bots.wasm.command import RUNNER
from arena.core.budget import Budget
from arena.core.limits import Limits
from arena.core.settings import parse
from arena.errors import UsageError
from arena.games.codecharacter.settings import CodecharacterSettings
from arena.match.play import play_match
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players import counted
from arena.players.entrant import programs
from arena.record.verify import verify
from arena.sandbox.session import run_with
from tests.bots.wasm.modules import ANSWER, FOR_EVER, at_request, bot, save, spin
from tests.support.fake import FakeChild, FakeMeter, close_fake
from tests.support.keepers import shared_keeper

LIMITS = {"turn_limit": 200_000, "game_limit": 600_000}
DEAR = spin(60_000)
"""Some 300,000 instructions: more than a turn, less than a game."""
Play = Callable[..., MatchReport]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what is made of modules: of the honest one it is made once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def play(tmp_path: Path, cache: Path, lent_keepers: None) -> Play:
    """Play five turns between a module and an honest one, recorded in r.jsonl and proved."""

    def run(module: bytes | BotProgram, replay: str = "r.jsonl", **settings: Any) -> MatchReport:
        bots = [
            one
            if isinstance(one, BotProgram)
            else find_bot(save(one, tmp_path / name), cache=cache)
            for one, name in ((module, "bot.wasm"), (bot(), "honest.wasm"))
        ]
        given = parse(CodecharacterSettings, {"num_turns": 5, **LIMITS, **settings})
        spec = MatchSpec("codecharacter", programs(bots), "1", given, replay=tmp_path / replay)
        with shared_keeper() as keeper:
            report = run_with(keeper, lambda children: play_match(spec, children))
        assert verify(tmp_path / replay).problem == ""
        return report

    return run


def replies(path: Path, seat: int = 0) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [
        line for line in lines if line["type"] in ("answer", "silence") and line["seat"] == seat
    ]


@pytest.mark.dear
def test_counts_stand_in_the_record_and_the_report(play: Play, tmp_path: Path) -> None:
    report = play(bot())
    counts = [reply["instructions"] for reply in replies(tmp_path / "r.jsonl")]
    assert len(counts) == 5
    player = report.players[0]
    assert player.instructions is not None
    assert (player.instructions.total, player.instructions.max) == (sum(counts), max(counts))
    assert (player.fate, player.stopped, player.faults) == ("survived", None, {})
    assert report.reason == "num_turns"


def test_the_same_match_twice_has_the_same_counts(play: Play, tmp_path: Path) -> None:
    """The digest goes over the counts too."""
    module = bot(DEAR + ANSWER)
    first, second = play(module), play(module, "s.jsonl")
    assert first.digest == second.digest
    assert first.players[0].instructions == second.players[0].instructions
    assert play(bot(spin(60_001) + ANSWER), "t.jsonl").digest != first.digest


@pytest.mark.dear
def test_beyond_the_turn_limit_only_the_turn_is_void(play: Play, tmp_path: Path) -> None:
    move = "{move 0 1275 225\n}"
    report = play(bot(at_request(2, DEAR) + move))
    assert report.rounds == 5
    found = replies(tmp_path / "r.jsonl")
    assert [reply["type"] for reply in found] == ["answer", "silence"] + ["answer"] * 3
    assert found[1]["why"] == "late"
    assert 200_000 < found[1]["instructions"] <= 600_000
    player = report.players[0]
    assert player.faults == {"timeout": 1}
    first = player.first_faults["timeout"]
    assert first.detail == f"the answer to 'go action' took {found[1]['instructions']} instructions"


def test_the_clock_voids_nothing_and_is_not_told(play: Play, tmp_path: Path) -> None:
    """One millisecond of bank, of which every start takes a hundred times as much."""
    report = play(bot(), timebank=1, time_per_move=0)
    assert report.players[0].faults == {}
    assert report.players[0].time_ms.max > 1
    assert {reply["bank"] for reply in replies(tmp_path / "r.jsonl")} == {1}


@pytest.mark.dear
@pytest.mark.parametrize(
    ("module", "turn"),
    [
        (bot(at_request(3, FOR_EVER) + ANSWER), 3),
        (bot(ANSWER + at_request(3, FOR_EVER)), 4),
        (bot(start=FOR_EVER), 1),
        (bot(at_request(3, DEAR * 3) + ANSWER), 3),
    ],
    ids=["within", "between", "start", "dear"],
)
def test_beyond_the_game_limit_the_match_is_lost(
    module: bytes, turn: int, play: Play, tmp_path: Path
) -> None:
    """T02: a module that never ends is ended by its instructions."""
    report = play(module)
    assert report.sentence == f"player2 won in turn {turn}: no answer of player1."
    assert (report.reason, report.rounds) == ("game_limit", turn - 1)
    last = replies(tmp_path / "r.jsonl")[-1]
    assert (last["why"], last["instructions"]) == ("absent", 600_001)
    assert report.players[0].faults == {"timeout": 1}
    assert "took more than 600000 instructions" in report.players[0].stderr[-1].text
    assert report.wall_ms < 30_000


@pytest.mark.dear
def test_a_trap_is_a_crash(play: Play, tmp_path: Path) -> None:
    report = play(bot(at_request(3, "unreachable") + ANSWER))
    player = report.players[0]
    assert (player.stopped, player.stopped_detail) == ("crashed", "left with exit code 101")
    assert "`unreachable` instruction executed" in player.stderr[-1].text
    assert replies(tmp_path / "r.jsonl")[-1]["why"] == "dead"
    assert report.reason == "game_limit"


def test_a_forged_count_is_an_answer_that_no_rule_understands(play: Play, tmp_path: Path) -> None:
    report = play(bot(DEAR + "{17 No moves\n}"), turn_limit=600_000)
    found = replies(tmp_path / "r.jsonl")
    assert {reply["text"] for reply in found} == {"17 No moves"}
    assert min(reply["instructions"] for reply in found) > 200_000
    assert report.players[0].faults == {"syntax": 5}


@pytest.mark.dear
def test_lines_that_were_not_asked_for_are_paid(play: Play, tmp_path: Path) -> None:
    """P09: work cannot be hidden before a line that is dropped."""
    report = play(bot(ANSWER + at_request(2, DEAR + "{excess\n}{5\n}")))
    assert report.players[0].faults == {"excess": 2, "timeout": 1}
    detail = report.players[0].first_faults["excess"].detail
    assert detail == "a line that was not asked for: excess"
    assert [reply["type"] for reply in replies(tmp_path / "r.jsonl")][2] == "silence"


@pytest.mark.dear
def test_what_is_not_text(play: Play, tmp_path: Path) -> None:
    """P16, P17: and the count survives it."""
    garbage = (
        "(i32.store (i32.const 2048) (i32.const 0x0aff0020)) (call $say (i32.const 2048)"
        " (i32.const 4))"
    )
    report = play(bot(garbage + at_request(3, garbage)))
    assert report.players[0].faults == {"garbled": 6, "excess": 1, "syntax": 5}
    assert all("instructions" in reply for reply in replies(tmp_path / "r.jsonl"))


@pytest.mark.dear
def test_a_line_that_is_too_long(play: Play) -> None:
    """P02"""
    report = play(
        bot(f"(loop $ever {{{'x' * 1000}}} (br $ever))"), turn_limit=10**8, game_limit=10**9
    )
    assert report.players[0].stopped == "output"


def test_a_runner_that_is_stuck_is_ended(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by a runner of ours: by a program that stands in its place."""
    monkeypatch.setattr(counted, "GUARD_NS", 300_000_000)
    monkeypatch.setattr(counted, "NS_PER_INSTRUCTION", 0)
    argv = (sys.executable, "-c", "import sys; sys.stdin.read()", RUNNER)
    # The honest one starts within the guard, or is stopped as well: the match ends either way.
    report = play(BotProgram("stuck", argv, None, None, "stuck", (), Runtime.WASM))
    assert report.players[0].stopped == "timeouts"
    assert report.players[0].stopped_detail == "no answer after 0 s of real time"
    assert report.reason == "game_limit"


def test_only_webassembly_can_be_counted(play: Play) -> None:
    argv = (sys.executable, "-c", "pass")
    with pytest.raises(UsageError, match=r"my\.py cannot be counted: .* needs WebAssembly"):
        play(BotProgram("my", argv, None, None, "my.py"))


def test_without_the_meter_the_clock_counts(play: Play, tmp_path: Path) -> None:
    report = play(bot(), turn_limit="bank", game_limit=3)
    assert report.players[0].faults == {}
    assert report.players[0].instructions is None
    assert "instructions" not in (tmp_path / "r.jsonl").read_text()


# -- what the record proves ----------------------------------------------------------------------


def change(path: Path, kind: str, **values: Any) -> str:
    """Change the last line of that kind, and say what the verifier finds."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    number = max(i for i, line in enumerate(lines) if line["type"] == kind)
    lines[number] |= values
    if values.get("instructions", 0) is None:
        del lines[number]["instructions"]
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return verify(path).problem


CHANGES: list[tuple[str, dict[str, Any], str]] = [
    ("answer", {"instructions": 7}, "the digest does not match the record"),
    ("answer", {"instructions": 200_001}, "recorded as in time"),
    ("answer", {"instructions": None}, "a count that is missing"),
    ("silence", {"instructions": 200_000}, "recorded as late"),
    ("silence", {"instructions": 600_001}, "recorded as late"),
    ("silence", {"why": "absent"}, "recorded as absent"),
    ("silence", {"why": "dead"}, "a count that is missing or too many"),
    ("player", {"instructions": 7}, "the instructions of player2 do not match"),
    ("player", {"max_instructions": 7}, "the instructions of player2 do not match"),
]


@pytest.mark.dear
def test_a_changed_count_is_found(play: Play, tmp_path: Path) -> None:
    play(bot(at_request(2, DEAR) + ANSWER))
    record = (tmp_path / "r.jsonl").read_bytes()
    for kind, values, problem in CHANGES:
        (tmp_path / "changed.jsonl").write_bytes(record)
        assert problem in change(tmp_path / "changed.jsonl", kind, **values)


# -- the guard -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game_limit", "guard"), [(10, 60 * 10**9), (60 * 10**6, 60 * 10**9), (10**9, 10**12)]
)
async def test_the_guard_allows_a_microsecond_for_each_instruction(
    game_limit: int, guard: int
) -> None:
    child = FakeChild()
    budget = Budget(1, game_limit)
    player = counted.CountedPlayer("c", child, Limits(), budget, meter=FakeMeter())
    player.post("go 5\n", 5)
    assert player.account.request.bank == guard
    close_fake(player, child)
