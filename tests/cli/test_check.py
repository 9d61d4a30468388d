"""``arena check``: named steps, and the bot's own words where one fails."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.cli.check import command as check_command
from arena.cli.play import command as play_command
from arena.record.reader import Match
from arena.trial.report import Check
from tests.cli.conftest import SIMPLE, Arena, arena_process

QUICK = ("--set", "max_rounds=5", "--set", "timebank=300", "--set", "time_per_move=100")


def test_a_good_bot_passes(arena: Arena) -> None:
    ran = arena("check", "warlight", SIMPLE)
    assert ran.status == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == ["ok"] * 7
    document = json.loads(arena("check", "warlight", SIMPLE, "--json", *QUICK).out)
    assert document["ok"] is True
    assert [step["ok"] for step in document["steps"]] == [True] * 6


def check(arena: Arena, tmp_path: Path, body: str) -> tuple[int, str]:
    bot = tmp_path / "bot.py"
    bot.write_text(body)
    ran = arena("check", "warlight", str(bot), *QUICK)
    assert ran.err.startswith("arena: checking ")
    return ran.status, ran.out


@pytest.mark.dear
def test_a_bot_is_checked_behind_walls(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("17")
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('go'):\n"
        f"        open({str(tmp_path / 'secret')!r})\n"
        "        print('No moves', flush=True)\n"
    )
    short = ("check", "hextrategic", str(bot), "--set", "max_rounds=3")
    assert arena(*short).status == 0
    walled = arena(*short, "--sandbox", "auto")
    assert walled.status == 1
    assert "secret" in walled.out


def test_what_was_seen_is_printed_before_the_look_behind_walls(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(result: Check, walled: object) -> Check:
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.api.check._with_judge", interrupted)
    ran = arena("check", "warlight", SIMPLE, *QUICK)
    assert [line.split()[0] for line in ran.out.splitlines()] == ["ok"] * 6


def test_the_look_behind_walls_ends_in_time(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.api.check.WALLED_WITHIN", 0.0)
    ran = arena("check", "warlight", SIMPLE, *QUICK)
    assert ran.status == 0
    assert "\nwarning  plays behind walls: not known after 0 s" in ran.out


def test_walls_that_are_refused_are_not_tried(arena: Arena) -> None:
    ran = arena("check", "warlight", SIMPLE, *QUICK, "--sandbox", "off")
    assert "behind walls" not in ran.out
    assert "walls" not in ran.err


def test_a_start_with_a_time_of_its_own_is_told_apart(arena: Arena) -> None:
    ran = arena("check", "warlight", SIMPLE, *QUICK, "--start-up", "5000")
    assert re.search(r"the slowest after [\d.]+ ms, after a start of [\d.]+ ms\n", ran.out)


def test_a_long_answer_that_is_cut_says_so(arena: Arena, tmp_path: Path) -> None:
    body = f"for line in open(0):\n    print({'x' * 500!r}, flush=True)\n    1 / 0\n"
    _, out = check(arena, tmp_path, body.replace("    1 / 0", "    if 'go' in line: 1 / 0"))
    assert re.search(r"\nlast answer: x{400} …\n", out)


def test_a_crash_shows_the_traceback(arena: Arena, tmp_path: Path) -> None:
    status, out = check(arena, tmp_path, "import sys\nfor line in sys.stdin:\n    line.foo\n")
    assert status == 1
    assert out.startswith(
        "FAILED   it crashed before its first answer: AttributeError: 'str' object has no "
        "attribute 'foo' (bot.py, line 3)\n         → correct line 3 of bot.py\n"
    )


def test_a_bot_that_does_not_flush(arena: Arena, tmp_path: Path) -> None:
    status, out = check(arena, tmp_path, "for line in open(0):\n    print('No moves')\n")
    assert status == 1
    assert "FAILED" in out
    assert "\nlast answer: (nothing)\n" in out
    assert out.count("FAILED") == 1


def test_a_bot_that_talks_too_much(arena: Arena, tmp_path: Path) -> None:
    body = "for line in open(0):\n    print('No moves', flush=True)\n"
    status, out = check(arena, tmp_path, body)
    assert status == 1
    assert out.startswith("FAILED   it prints lines that answer no request: 'No moves'\n")


@pytest.mark.dear
def test_illegal_orders_are_only_a_warning(arena: Arena, tmp_path: Path) -> None:
    body = (
        "for line in open(0):\n"
        "    if line.startswith(('pick', 'go')): print('player1 dance', flush=True)\n"
    )
    status, out = check(arena, tmp_path, body)
    assert status == 0
    assert "warning  gives legal orders: as player1" in out
    assert "syntax" in out
    assert out.startswith(
        "warning  none of its 6 answers to 'pick_starting_region' was legal; the first"
    )


def test_a_bot_that_stays(arena: Arena, tmp_path: Path) -> None:
    body = Path(SIMPLE).read_text() + "\nimport time\ntime.sleep(99)\n"
    status, out = check(arena, tmp_path, body)
    assert status == 0
    assert "warning  exits at the end of its input: still running after 100 ms" in out


def test_a_missing_bot(arena: Arena) -> None:
    ran = arena("check", "warlight", "no_bot.py")
    assert ran.status == 2
    assert "\narena: there is no file or folder 'no_bot.py'" in ran.err


def test_a_bot_that_never_answers_has_not_answered(arena: Arena, tmp_path: Path) -> None:
    status, out = check(arena, tmp_path, "import sys; sys.exit(1)")
    assert status == 1
    assert out.startswith("FAILED   it crashed before its first answer: left with exit code 1\n")
    assert "exits at the end" not in out  # it was not there to be ended


def test_one_cause_comes_first_and_once(arena: Arena, tmp_path: Path) -> None:
    """Nothing says that a bot with a syntax error builds and starts."""
    status, out = check(arena, tmp_path, "for line in open(0)\n")
    assert status == 1
    assert out.startswith("FAILED   a syntax error: SyntaxError: expected ':' (bot.py, line 1)\n")
    assert out.splitlines()[1] == "         → correct it there"
    assert out.count("FAILED") == 1
    assert "ok " not in out


@pytest.mark.dear
def test_progress_within_a_second(tmp_path: Path) -> None:
    """Something is said before the bot is even started."""
    bot = tmp_path / "bot.py"
    bot.write_text("import time; time.sleep(99)\n")
    process = arena_process("check", "warlight", str(bot), "--timebank", "100")
    assert process.stderr is not None
    assert process.stderr.readline() == f"arena: checking {bot}\n"
    assert process.poll() is None  # it is under way
    process.communicate(timeout=60)


def test_check_takes_what_play_takes() -> None:
    """But for what a single bot cannot have."""
    taken = {name for one in check_command.params for name in one.opts}
    played = {name for one in play_command.params for name in one.opts}
    alone = {"--debug", "--live", "--show-stderr", "--watch"}
    alone |= {"--as"}  # the name is that of the file
    alone |= {"--book", "--from"}  # positions are for matches and suites
    alone |= {"--as"}  # names tell the bots of a record apart
    assert played - taken == {"bots", "--games", "--jobs", "--pin", "--seats", *alone}
    assert taken - played == {"bot", "-v", "--verbose"}


def test_the_options_reach_the_match(arena: Arena, tmp_path: Path) -> None:
    record = tmp_path / "r.jsonl"
    given = ("--seed", "17", "--timebank", "5000", "--time-per-move", "7", "--clock", "cpu")
    ran = arena(
        *("check", "warlight", SIMPLE, *given, "--memory", "512M", "--set", "max_rounds=2"),
        *("--replay", str(record), "--sandbox", "off"),
    )
    assert ran.status == 0
    match = Match.read(tmp_path / "r-2.jsonl")
    assert (match.header.seed, match.header.clock) == ("17", "cpu")
    assert match.header.settings["timebank"] == 5000
    assert match.header.settings["time_per_move"] == 7
    again = arena("check", "warlight", SIMPLE, "--replay", str(record))
    assert again.status == 2
    assert "r-1.jsonl exists already: name another with --replay, or add --over" in again.err


def test_check_v_shows_the_command(arena: Arena) -> None:
    out = arena("check", "warlight", SIMPLE, "-v", "--set", "max_rounds=1").out
    assert out.startswith("runs     ")
    assert SIMPLE in out.splitlines()[0]


def test_check_tells_of_an_interpreter_that_is_passed_over(arena: Arena, tmp_path: Path) -> None:
    """A word that names no file has none."""
    bot = tmp_path / "bot.py"
    bot.write_text("#!/usr/bin/pyhton3\nfor line in open(0):\n    pass\n")
    bot.chmod(0o755)
    said = arena("check", "tncc", str(bot), "--timebank", "100").err
    assert f"\narena: {bot} runs by its ending, not by its #! line: its first line names " in said
    bot.write_text("#!/bin/sh\n")
    assert "runs by its ending" not in arena("check", "tncc", str(bot)).err


WRONG = [
    ((), "name a game and a bot: arena check GAME my_bot.py (games: warlight, "),
    (
        (SIMPLE,),
        f"{SIMPLE!r} is a file, and the game comes first: arena check warlight {SIMPLE} (games:",
    ),
    (
        (SIMPLE, "toroid"),
        f"{SIMPLE!r} is a file, and the game comes first: arena check toroid {SIMPLE} (games:",
    ),
    (
        (SIMPLE, "warlight2"),
        f"{SIMPLE!r} is a file, and the game comes first: arena check warlight {SIMPLE} (games:",
    ),
    (
        ("no_such_bot.py",),
        "there is no file 'no_such_bot.py'; name a game and a bot: arena check GAME my_bot.py",
    ),
    (("warlight",), "name a bot: arena check warlight my_bot.py"),
    (("warlight", SIMPLE, SIMPLE), "2 bots are named, but one is tested at a time: "),
    (
        ("warlight", "python3", SIMPLE),
        f"'python3' and {SIMPLE!r} are read as two bots: quote the command: arena check warlight "
        f'"python3 {SIMPLE}"',
    ),
]


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_what_is_missing_is_named(arena: Arena, words: tuple[str, ...], message: str) -> None:
    ran = arena("check", *words)
    assert ran.status == 2
    assert ran.err.startswith(f"arena: {message}")
    assert ran.err.count("\n") == 1


def test_what_a_bot_writes_is_kept_from_each_seat(arena: Arena, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(f"open('log', 'w').write('mine')\n{Path(SIMPLE).read_text()}")
    ran = arena("check", "warlight", str(bot), "--keep-files", f"{tmp_path}/kept")
    assert (ran.status, "already" in ran.out) == (0, False)
    kept = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.glob("kept/*/*"))
    assert kept == ["kept/player1/log", "kept/player2/log"]
