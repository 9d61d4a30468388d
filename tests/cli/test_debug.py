from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pytest

from arena.cli.text.live import ROUND_LINES, StderrLines
from arena.cli.text.terminal import is_traced_or_gone
from arena.record.format import RecordConditions
from arena.record.reader import Match
from arena.record.verify import verify
from tests.cli.conftest import SIMPLE, Arena
from tests.support.forks import ArenaTerminal
from tests.support.tools import needs_tool

SLOW = """\
import sys, time
for line in sys.stdin:
    if line.startswith(("go", "pick")):
        time.sleep(0.15)
        print("No moves", flush=True)
"""
NOISY = r"""
import sys
sys.stderr.write("starts\n")
for line in sys.stdin:
    if line.startswith("go"):
        sys.stderr.write("\x1b[31mred\u202e\r\n" + "x" * 60000 + "\n" + "n\n" * 300 + "no end")
        sys.stderr.flush()
        print("No moves", flush=True)
"""


def debugged(folder: Path) -> ArenaTerminal:
    """A short match, in which player2 takes longer for each answer than its time bank has, under a
    debugger. Its record is `folder`'s ``r.jsonl``."""
    bot, record = folder / "slow.py", folder / "r.jsonl"
    bot.write_text(SLOW)
    return ArenaTerminal(
        sys.executable,
        [
            *("-m", "arena", "play", "toroid", SIMPLE.replace("warlight", "toroid"), str(bot)),
            *("--debug", "2", "--timebank", "100", "--set", "normal_game_turn_per_player=1"),
            *("--set", "countries_per_player=1", "--replay", str(record)),
        ],
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 200),
        env={**os.environ, "NO_COLOR": "1"},
    )


def had_no_clock(child: ArenaTerminal, record: Path, held: str = "") -> None:
    """Such a match has come to its end, without a fault."""
    child.expect(f"player2 slow had no clock, for a debugger{held}\r\n")
    assert "faults" not in child.before
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    match = Match.read(record)
    assert match.faults(1) == ()
    assert match.header.untimed == [1]
    assert [one.debugged for one in match.records if isinstance(one, RecordConditions)] == [1]
    assert verify(record).ok


RUNS = r"player2 slow runs as process (\d+), and has got no input yet"


@pytest.mark.dear
def test_a_bot_under_a_debugger_waits_and_has_no_clock(tmp_path: Path) -> None:
    child, record = debugged(tmp_path), tmp_path / "r.jsonl"
    child.expect(RUNS)
    assert "slow.py" in Path(f"/proc/{child.match[1]}/cmdline").read_text()
    child.expect("press Enter")
    assert not record.exists()
    child.sendline("")
    had_no_clock(child, record)


def attached(*command: str, to: ArenaTerminal) -> pexpect.spawn:
    """A debugger at the bot; the test is skipped where the machine allows none."""
    to.expect(RUNS)
    usual = {**os.environ, "TERM": "dumb"}
    debugger = pexpect.spawn(
        command[0], [*command[1:], to.match[1]], encoding="utf-8", timeout=60, env=usual
    )
    if debugger.expect([r"ot permitted", r"ptrace: .*denied", "attached|\\(gdb\\) "]) < 2:
        to.sendline("")
        pytest.skip("nothing may be debugged here: as root, or with kernel.yama.ptrace_scope=0")
    return debugger


def test_with_strace_attached_the_match_begins_and_ends(tmp_path: Path) -> None:
    strace = needs_tool("strace", "strace")
    child = debugged(tmp_path)
    tracer = attached(strace, "-f", "-p", to=child)
    tracer.expect("No moves")
    had_no_clock(child, tmp_path / "r.jsonl")
    tracer.expect(pexpect.EOF)


@pytest.mark.dear
def test_a_bot_that_is_held_in_gdb_at_the_end_is_no_fault(tmp_path: Path) -> None:
    """It cannot be ended until gdb lets it."""
    gdb = needs_tool("gdb", "gdb")
    child = debugged(tmp_path)
    plain = ("-q", "-nx", "-iex", "set pagination off", "-iex", "set confirm off")
    debugger = attached(gdb, *plain, "-p", to=child)
    for command in ("catch syscall exit_group", "continue"):
        debugger.sendline(command)
        debugger.expect("Catchpoint 1 \\(")
    had_no_clock(child, tmp_path / "r.jsonl", ", which still holds it")
    debugger.sendline("quit")
    debugger.expect(pexpect.EOF)


STOPS = """
import sys

answer = "No moves"
for line in sys.stdin:
    if line.startswith(("go", "pick")):
        if answer:
            breakpoint()
        print(answer or "No moves", flush=True)
        answer = ""
"""
"""A bot in Python that calls the debugger at its first request."""


@pytest.mark.dear
def test_pythons_own_debugger_talks_to_the_terminal(tmp_path: Path) -> None:
    """In a rerun at once, in a match once it has begun."""
    bot, record = tmp_path / "stops.py", tmp_path / "r.jsonl"
    bot.write_text(STOPS)
    simple = SIMPLE.replace("warlight", "toroid")
    play = ("play", "toroid", str(bot), simple, "--set", "normal_game_turn_per_player=1")
    with terminal(*play, "--debug", "1", "--replay", str(record)) as child:
        child.expect("press Enter")
        child.sendline("")
        child.expect(r"\(Pdb\) ")
        child.sendline("p line.split()[0]")
        child.expect("'go'")
        child.sendline("c")
        child.expect("player1 stops had no clock")
    with terminal("rerun", str(record), "--player", "1", str(bot), "--debug") as child:
        child.expect(r"\(Pdb\) ")
        child.sendline("answer = 'changed'")
        child.expect(r"\(Pdb\) ")
        child.sendline("c")
        child.expect("now +changed")


@contextmanager
def terminal(*words: str) -> Iterator[ArenaTerminal]:
    child = ArenaTerminal(
        sys.executable,
        ["-m", "arena", *words],
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 200),
        env={**os.environ, "NO_COLOR": "1"},
    )
    yield child
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


@pytest.mark.parametrize(
    ("status", "goes_on"),
    [
        ("State:\tS (sleeping)\nTracerPid:\t0\n", False),
        ("State:\tt (tracing stop)\nTracerPid:\t77\n", True),
        ("State:\tZ (zombie)\nTracerPid:\t0\n", True),
        (None, True),
    ],
)
def test_a_debugger_that_is_attached_is_seen(
    tmp_path: Path, status: str | None, goes_on: bool
) -> None:
    file = tmp_path / "status"
    if status is not None:
        file.write_text(status)
    assert is_traced_or_gone(file) == goes_on


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--debug", "3"), "there is no player3: give 1 to 2"),
        (("--debug", "1", "--sandbox", "strict"), "leave out --sandbox"),
        (("--debug", "1", "--no-pondering"), "leave out --no-pondering"),
        (("--debug", "1", "--games", "2"), "--debug is for one match"),
        (("--show-stderr", "--games", "2"), "--show-stderr shows one match"),
        (("--show-stderr", "--watch"), "--watch draws over"),
    ],
)
def test_what_cannot_go_together(arena: Arena, words: tuple[str, ...], said: str) -> None:
    ran = arena("play", "warlight", SIMPLE, SIMPLE, *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err


@pytest.fixture
def noisy(tmp_path: Path) -> str:
    bot = tmp_path / "noisy.py"
    bot.write_text(NOISY)
    return str(bot)


def test_stderr_is_printed_as_it_comes(arena: Arena, noisy: str) -> None:
    """Behind seat and round; nothing in it commands the terminal, and what floods is cut."""
    rival = SIMPLE.replace("warlight", "hextrategic")
    ran = arena("play", "hextrategic", rival, noisy, "--show-stderr", "--set", "max_rounds=2")
    lines = ran.err.splitlines()
    assert all(re.match(r"player2 round [012] \| ", line) for line in lines)
    first = [line for line in lines if line.startswith("player2 round 1 | ")]
    assert r"player2 round 1 | \x1b[31mred\u202e" in first
    assert f"player2 round 1 | {'x' * 2000}… and 58000 characters more" in first
    assert "and more in this round" in first[-1]
    assert len([line for line in lines if " round 2 | " in line]) <= ROUND_LINES + 1
    assert "\x1b" not in ran.err
    assert "player2 noisy wrote to stderr: " in ran.out


def test_stderr_keeps_the_width_of_a_terminal(noisy: str) -> None:
    rival = SIMPLE.replace("warlight", "hextrategic")
    child = ArenaTerminal(
        sys.executable,
        [
            *("-m", "arena", "play", "hextrategic", rival, noisy),
            *("--show-stderr", "--set", "max_rounds=1"),
        ],
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 60),
        env={**os.environ, "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "", "LINES": ""},
    )
    child.expect("hextrategic, seed")
    shown = child.before
    assert "\x1b[31m" not in shown
    assert "\u202e" not in shown
    found = re.findall(r"player2 round 1 \| [^\r\x1b]*", shown)
    assert len(found) > 30
    assert max(map(len, found)) <= 60
    child.expect(pexpect.EOF)


def test_a_line_without_an_end_is_shown_with_its_own_round() -> None:
    shown: list[str] = []
    lines = StderrLines(shown.append)
    lines.wrote(0, 1, b"one\ntw")
    lines.wrote(0, 1, b"o")
    lines.wrote(1, 1, b"other\n")
    lines.wrote(0, 2, b"three\xff\n")
    assert shown == [
        *("player1 round 1 | one", "player2 round 1 | other", "player1 round 1 | two"),
        r"player1 round 2 | three\xff",
    ]
