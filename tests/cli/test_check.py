"""``arena check``: named steps, and the bot's own words where one fails."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import SIMPLE, Arena

QUICK = ("--set", "max_rounds=5", "--set", "timebank=300", "--set", "time_per_move=100")


def test_a_good_bot_passes(arena: Arena) -> None:
    ran = arena("check", "warlight", SIMPLE)
    assert ran.status == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == ["ok"] * 6
    document = json.loads(arena("check", "warlight", SIMPLE, "--json").out)
    assert document["ok"] is True
    assert [step["ok"] for step in document["steps"]] == [True] * 5


def check(arena: Arena, tmp_path: Path, body: str) -> tuple[int, str]:
    bot = tmp_path / "bot.py"
    bot.write_text(body)
    ran = arena("check", "warlight", str(bot), *QUICK)
    assert ran.err == ""
    return ran.status, ran.out


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
    assert arena("check", "hextrategic", str(bot)).status == 0
    walled = arena("check", "hextrategic", str(bot), "--sandbox", "auto")
    assert walled.status == 1
    assert "secret" in walled.out


def test_a_crash_shows_the_traceback(arena: Arena, tmp_path: Path) -> None:
    status, out = check(arena, tmp_path, "import sys\nfor line in sys.stdin:\n    line.foo\n")
    assert status == 1
    assert "FAILED   lives to the end: left with exit code 1" in out
    assert "AttributeError" in out


def test_a_bot_that_does_not_flush(arena: Arena, tmp_path: Path) -> None:
    status, out = check(arena, tmp_path, "for line in open(0):\n    print('No moves')\n")
    assert status == 1
    assert "FAILED   answers requests" in out
    assert "timeout" in out


def test_a_bot_that_talks_too_much(arena: Arena, tmp_path: Path) -> None:
    body = "for line in open(0):\n    print('No moves', flush=True)\n"
    status, out = check(arena, tmp_path, body)
    assert status == 1
    assert "FAILED   keeps the protocol" in out
    assert "excess, first in round 0: a line that nobody asked for: No moves" in out


def test_illegal_orders_are_only_a_warning(arena: Arena, tmp_path: Path) -> None:
    body = (
        "for line in open(0):\n"
        "    if line.startswith(('pick', 'go')): print('player1 dance', flush=True)\n"
    )
    status, out = check(arena, tmp_path, body)
    assert status == 0
    assert "warning  gives legal orders: as player1" in out
    assert "syntax" in out


def test_a_bot_that_stays(arena: Arena, tmp_path: Path) -> None:
    body = Path(SIMPLE).read_text() + "\nimport time\ntime.sleep(99)\n"
    status, out = check(arena, tmp_path, body)
    assert status == 0
    assert "warning  leaves at the end of its input: still there after 100 ms" in out


def test_a_missing_bot(arena: Arena) -> None:
    ran = arena("check", "warlight", "no_bot.py")
    assert ran.status == 2
    assert ran.err.startswith("arena: there is no file or folder 'no_bot.py'")


def test_a_bot_that_never_answers_has_not_answered(arena: Arena, tmp_path: Path) -> None:
    status, out = check(arena, tmp_path, "import sys; sys.exit(1)")
    assert status == 1
    assert "FAILED   answers requests: 0 of " in out
    assert "ok       leaves at the end" in out  # it was not there to be ended
