"""P: what comes out of a program, and what never becomes an answer."""

from __future__ import annotations

import gc
import re
import time
from pathlib import Path

import pytest
import trio
import trio.testing

from arena.cli.text.layout import say
from arena.cli.text.match import match_text
from arena.core.game import AnyGame, Setup
from arena.core.registry import GAMES, find_game
from arena.core.replies import Answer
from arena.core.settings import parse
from arena.core.table import Table
from arena.match.play import header_for
from arena.match.referee import Referee
from arena.match.report import ExitReport
from arena.record.format import Answered, Silent
from arena.record.source import read_records
from arena.record.verify import verify
from arena.record.writer import Recorder
from arena.sandbox.levels import Level
from tests.hostile.arena_runs import MIB, Played, against_honest, honest, hostile, play
from tests.support.fake import Bot, fake_program, obedient
from tests.tiny import TINY, TinySettings

REAL_GAMES = [name for name in GAMES if name not in ("tiny", "loud")]


def assert_shut_down_for_output(played: Played) -> None:
    assert played.bad.stopped == "output"
    assert played.bad.faults == {"output": 1}
    assert played.answers == ["1"]
    assert played.seconds < 10


def test_P01_a_flood_without_a_newline(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "flood")
    assert_shut_down_for_output(played)
    assert "a line longer than 65536 bytes" in played.bad.stopped_detail


def test_P02_a_line_of_a_gigabyte_is_never_held(tmp_path: Path, level: Level) -> None:
    before = peak_memory()
    played = against_honest(tmp_path, level, "huge_line")
    assert_shut_down_for_output(played)
    assert peak_memory() - before < 30 * MIB


def peak_memory() -> int:
    """The most that this process ever held, in bytes, as far as the system tells."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    match = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(match[1]) << 10 if match else 0


def test_P03_a_partial_line_then_a_hang(tmp_path: Path, level: Level) -> None:
    settings = {"max_timeouts": 9, "timebank": 700, "time_per_move": 700}
    played = against_honest(tmp_path, level, "half_a_line", **settings)
    assert played.bad.faults == {"timeout": 1, "unfinished": 1, "late": 1}
    assert played.answers == ["1", "1"]
    assert played.bids == [1, 0, 1]
    assert "7" in played.bad.first_faults["unfinished"].detail
    assert "77" in played.bad.first_faults["late"].detail


def test_P04_a_drip_extends_no_deadline(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "drip", timebank=700, time_per_move=700)
    assert played.bad.stopped == "timeouts"
    assert played.bad.time_ms.max <= 700


@pytest.mark.parametrize("sin", ["flood_lines", "flood_blank"])
def test_P05_a_flood_of_lines(tmp_path: Path, level: Level, sin: str) -> None:
    played = against_honest(tmp_path, level, sin)
    assert played.bad.stopped == "output"
    assert played.seconds < 10


def test_P06_stdout_closed(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "close_stdout", timebank=60_000)
    assert played.bad.stopped == "closed"
    assert played.seconds < 10  # seen at once and not when the time bank has run out


def test_P07_stdin_closed(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "close_stdin", max_rounds=20)
    assert played.bad.stopped == "closed"


def test_P08_a_program_that_does_not_read(tmp_path: Path, level: Level) -> None:
    deaf = hostile(tmp_path, "deaf", 0)
    played = play(level, deaf, honest(tmp_path), game="loud", timebank=700, time_per_move=700)
    assert played.bad.stopped == "timeouts"
    assert played.bad.time_ms.max <= 700
    assert played.answers == []


def test_P09_an_answer_before_its_request(tmp_path: Path, level: Level) -> None:
    early, slow = hostile(tmp_path, "early"), honest(tmp_path, pause=0.4)
    played = play(level, early, slow)
    assert played.bad.faults == {"excess": 1}
    assert played.answers == ["1", "1", "1"]


def test_P10_two_answers(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "twice")
    assert played.bad.faults == {"excess": 1}
    assert played.answers == ["1", "1", "1"]


def test_P11_an_answer_after_its_time(tmp_path: Path, level: Level) -> None:
    settings = {"max_timeouts": 9, "timebank": 700, "time_per_move": 700}
    played = against_honest(tmp_path, level, "late_by_bank", **settings)
    assert played.bad.faults == {"timeout": 1, "late": 1}
    assert played.bids == [1, 0, 1]


async def test_P12_an_answer_at_the_deadline_is_decided_by_its_stamp(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    async def at_the_limit(bot: Bot) -> None:
        for wait in (0.999_999, 1.0, 0.5):
            await bot.request()
            await trio.sleep(wait)
            await bot.say("1\n")
        await trio.sleep_forever()

    path = tmp_path / "r.jsonl"
    settings = TinySettings(max_rounds=3, timebank=1000, time_per_move=1000)
    setup = Setup("1", 2, settings)
    recorder = Recorder(path, header_for(TINY, setup, ["a", "b"]))
    async with fake_program(at_the_limit) as first, fake_program(obedient) as second:
        with recorder:
            await Referee(Table(TINY, setup), [first, second], listeners=[recorder]).run()
    records = list(read_records(path))
    replies = [type(r) for r in records if isinstance(r, Answered | Silent) and r.seat == 0]
    assert replies == [Answered, Silent, Answered]
    assert verify(path).problem == ""


def test_P13_an_answer_and_the_exit(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "answer_and_leave")
    assert played.answers == ["1", "1"]
    assert played.bad.stopped == "exited"
    assert played.bad.exit == ExitReport(code=0)


def test_P14_crlf_is_a_line_end(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "say", r"2\r")
    assert played.answers == ["1", "2", "1"]
    assert played.bad.faults == {}


@pytest.mark.parametrize("end", [r"\r", r"\xe2\x80\xa8", r"\x0b", r"\x85"])
def test_P15_only_a_line_feed_ends_a_line(tmp_path: Path, level: Level, end: str) -> None:
    played = against_honest(tmp_path, level, "say", f"2{end}3")
    assert len(played.answers) == 3
    assert played.answers[2] == "1"
    assert played.bids == [1, 0, 1]
    assert "excess" not in played.bad.faults


def test_P16_what_is_no_utf8(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "say", r"\xff\xfe2")
    assert played.bids == [1, 0, 1]
    assert played.bad.faults["garbled"] == 1
    assert r"\xff\xfe2" in played.bad.first_faults["garbled"].detail


def test_P17_a_nul(tmp_path: Path, level: Level, capsys: pytest.CaptureFixture[str]) -> None:
    played = against_honest(tmp_path, level, "say", r"2\x00")
    assert played.bids == [1, 0, 1]
    assert played.bad.faults["garbled"] == 1
    say(match_text(played.report))
    assert "\0" not in capsys.readouterr().out


def test_P18_nothing_commands_the_terminal(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "shout_at_the_terminal")
    assert "<script>" in played.said
    assert "\x1b" in played.said  # kept as it was, escaped where it is shown
    text = match_text(played.report).replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert "<script>" in text
    assert not set(text) & set("\x1b\x07\r\x9b")


@pytest.mark.dear
def test_P19_a_number_of_many_digits(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "digits")
    assert played.bids == [1, 0, 1]
    assert played.bad.faults == {"bid": 1}
    longer = against_honest(tmp_path / "more", level, "million_digits")
    assert longer.bad.stopped == "output"


SENSELESS = {
    "P19": "9" * 60_000,
    "P20": "NaN 1e999 -0 １２ 1_0 0x10 +1 1.0 ١ ²",
    "P21": "[" * 60_000,
    "P22": "  \t ",
}


def answered_with(game: AnyGame, text: str, requests: int) -> float:
    """The longest that the rules need for one such answer, in seconds of CPU time. (Without the
    collection of garbage: in a process full of other tests that takes longer than the rules.)"""
    gc.disable()
    try:
        return _answered_with(game, text, requests)
    finally:
        gc.enable()


def _answered_with(game: AnyGame, text: str, requests: int) -> float:
    setup = Setup("1", game.seats[0], parse(game.settings, {}), None)
    table, longest = Table(game, setup), 0.0
    for _ in range(requests):
        if table.outcome is not None:
            break
        start = time.process_time()
        table.answer_all(tuple(Answer(text) for _ in table.asked))
        longest = max(longest, time.process_time() - start)
    table.close()
    return longest


@pytest.mark.alone
@pytest.mark.parametrize("name", REAL_GAMES)
def test_P19_P20_P21_P22_no_rules_stumble_over_senseless_answers(name: str) -> None:
    game = find_game(name)
    usual = answered_with(game, "No moves", 30)
    for text in (*SENSELESS.values(), *SENSELESS["P20"].split()):
        assert answered_with(game, text, 30) < usual * 20 + 0.1


@pytest.mark.parametrize("word", ["1e999", r"\xef\xbc\x91"])
def test_P20_what_only_looks_like_a_number(tmp_path: Path, level: Level, word: str) -> None:
    played = against_honest(tmp_path, level, "say", word)
    assert played.bids == [1, 0, 1]
    assert played.bad.faults == {"bid": 1}


def test_P21_nested_brackets(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "nested")
    assert played.bids == [1, 0, 1]
    assert played.bad.faults == {"bid": 1}


@pytest.mark.parametrize("blank", ["", "   "])
def test_P22_nothing_is_no_orders(tmp_path: Path, level: Level, blank: str) -> None:
    played = against_honest(tmp_path, level, "say", blank)
    assert played.answers == ["1", "", "1"]
    assert played.bad.faults == {}


def test_P23_noise_on_stderr(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "flood_stderr", timebank=10_000)
    assert played.bad.faults == {}
    assert played.answers == ["1", "1", "1"]
    assert 0 < len(played.said) <= 200_000


def test_P24_half_a_line_and_the_exit(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "half_a_line_and_leave")
    assert played.answers == ["1"]
    assert played.bad.stopped == "exited"
    assert played.bad.exit == ExitReport(code=0)
    assert ": 1" in played.bad.first_faults["unfinished"].detail
