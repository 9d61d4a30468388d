"""The program as a whole: help, versions, and what it must not import to be quick."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from arena import __version__
from arena.cli import games, main
from arena.cli.main import COMMANDS
from tests.cli.conftest import QUICK, SIMPLE, Arena
from tests.support.forks import ARENA, ArenaProcess

ROOT = Path(__file__).parents[2]


def test_help_lists_every_command(arena: Arena) -> None:
    ran = arena("--help")
    assert ran.status == 0
    assert all(f"  {name} " in ran.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(arena: Arena, name: str) -> None:
    ran = arena(name, "--help")
    assert ran.status == 0
    assert ran.out.startswith(f"Usage: arena {name} ")
    assert len(ran.out.splitlines()) > 4


def test_the_program_alone_prints_its_help_and_nothing_else(arena: Arena) -> None:
    ran = arena()
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == arena("--help").out


def test_the_version(arena: Arena) -> None:
    assert __version__ in arena("--version").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "rerun X --player 1 --dump bot.py",
            "--dump prints all lines and runs no bot: leave out BOT",
        ),
        (
            "rerun X --player 1 --dump --timed",
            "--dump prints all lines and runs no bot: leave out BOT, --",
        ),
        ("league run X --cluster 127.0.0.1:1 --pin", "leave out --cluster or --pin"),
        ("league run X --cluster 127.0.0.1:1 --jobs 2", "give --jobs to arena worker instead"),
        ("league run X --cluster 127.0.0.1:1", "--cluster needs --key judge.pem"),
        ("league run X --cluster tcp://127.0.0.1:1 --key X", "give HOST:PORT"),
        ("league run X --cluster 127.0.0.1:1 --key X", "is not a key of a cluster"),
        ("league run X --key X", "a key is for a cluster: add --cluster"),
        ("play warlight X X --games ten", "'ten' is not a whole number from 1 on"),
        ("play warlight X X --games 0", "'0' is not a whole number from 1 on"),
        ("league run X --log-every soon", "'soon' is not a whole number from 1 on"),
        ("compare toroid X X --elo0 few", "'few' is not a number"),
        ("league run X --rounds 2 --forever", "--forever"),
        ("view X --text --compare", "--text makes no page: leave out"),
        ("submit X a.py b.py --name nina", "2 bots cannot all play as 'nina'"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    arena: Arena, tmp_path: Path, words: str, said: str
) -> None:
    (tmp_path / "X").write_text("")
    ran = arena(*[str(tmp_path / word) if word == "X" else word for word in words.split()])
    assert ran.status == 2
    assert said in ran.err


@pytest.mark.parametrize("words", ["games", "--help", "play warlight QUICK QUICK --games 2"])
def test_a_reader_that_has_gone_ends_it_without_a_word(words: str) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    command = [QUICK if word == "QUICK" else word for word in words.split()]
    process = ArenaProcess(
        [*ARENA, *command], stdout=theirs, stderr=subprocess.PIPE, start_new_session=True
    )
    os.close(theirs)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


def test_a_broken_pipe_of_its_own_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise BrokenPipeError("a bug")

    monkeypatch.setattr(games, "table", broken)
    with pytest.raises(BrokenPipeError, match="a bug"):
        main.run(["games"])


CLOSED = """
import os
from arena.cli.main import _open_closed_streams
_open_closed_streams()
null = os.stat(os.devnull).st_rdev
print([os.fstat(number).st_rdev == null for number in (0, 2)])
"""


def test_closed_streams_become_the_null_device() -> None:
    words = ["sh", "-c", 'exec "$0" -c "$1" <&- 2>&-', sys.executable, CLOSED]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    assert done.stdout == "[True, True]\n"


@cache
def loaded(*arguments: str) -> set[str]:
    """The modules that a command line imports, as a process of its own."""
    script = (
        "import sys\nfrom arena.cli import main\n"
        f"main.run({list(arguments)!r})\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("play", "--help"),
        ("play", "nogame"),
        ("play", "warlight", SIMPLE),
        ("games", "warlight"),
        ("verify", "none.jsonl"),
    ],
    ids=" ".join,
)
def test_what_plays_no_match_does_not_load_trio(arguments: tuple[str, ...]) -> None:
    modules = loaded(*arguments)
    assert "click" in modules
    assert not modules & {"trio", "psutil", "rich", "multiprocessing"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--wrong",),
        ("play", "--help"),
        ("play", "--wrong"),
        ("check", "--wrong"),
        ("verify", "--wrong"),
    ],
    ids=" ".join,
)
def test_a_help_and_a_wrong_option_load_nothing_that_plays(arguments: tuple[str, ...]) -> None:
    modules = loaded(*arguments)
    assert "arena.cli.main" in modules
    rooms = ("games", "record", "bots", "players", "match", "runtime", "tournament", "api")
    assert not {name for name in modules if name.startswith(tuple(f"arena.{r}" for r in rooms))}
    assert not modules & {"msgspec", "arena.core.game", "json", "subprocess", "tempfile", "pathlib"}


@pytest.mark.alone
def test_a_help_takes_little_more_than_the_library_for_command_lines() -> None:
    """Measured on a busy machine: 1.10 times as much."""
    bare = "import click; click.Group('x').main(['--help'])"
    ours = "from arena.cli.main import run; run(['--help'])"
    ratios = sorted(cpu_seconds(ours) / cpu_seconds(bare) for _ in range(5))
    assert ratios[2] < 1.5


def cpu_seconds(script: str) -> float:
    """CPU time of an interpreter that runs a script."""
    before = os.times()
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


NOT_FOR_A_MATCH = (
    *("rich", "multiprocessing", "importlib.metadata", "psutil", "sqlite3", "asyncio", "tomllib"),
    *("pickle", "difflib", "html", "statistics"),
    *("arena.league", "arena.view", "arena.web", "arena.tournament", "arena.trial"),
    *("arena.api.play", "arena.api.series", "arena.api.positions", "arena.runtime.pool"),
    *("arena.cluster", "arena.site", "arena.workbench", "arena.train", "arena.doctor"),
    *("arena.record.reader", "arena.record.position", "arena.record.pgn", "arena.record.verify"),
    *("arena.bots.suggestions", "arena.bots.build", "arena.bots.intake"),
    *("arena.players.human", "arena.players.inprocess"),
)
"""Modules and packages of which a match of two programs, without a terminal, needs nothing."""


@pytest.mark.dear
def test_a_match_loads_nothing_that_it_does_not_need() -> None:
    modules = loaded("play", "warlight", QUICK, QUICK, "--set", "max_rounds=1")
    assert "trio" in modules
    needless = tuple(f"{name}." for name in NOT_FOR_A_MATCH)
    assert {name for name in modules if f"{name}.".startswith(needless)} == set()
    assert modules & {f"arena.cli.{name}" for name in COMMANDS} == {"arena.cli.play"}


@pytest.mark.dear
def test_a_short_match_is_over_before_anything_is_searched_for_cycles() -> None:
    script = (
        "import gc; gc.set_threshold(10**6); gc.callbacks.append(lambda *seen: print(*seen))\n"
        "from arena.__main__ import main; main()"
    )
    match = ["play", "warlight", SIMPLE, SIMPLE, "--set", "max_rounds=1"]
    done = subprocess.run(
        [sys.executable, "-c", script, *match], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("A draw")


def test_python_m_arena_is_the_same_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "arena", "games"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "warlight" in done.stdout


def test_a_closed_stdout_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m arena games warlight --rules | head -1",
        shell=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("# Warlight")
    assert done.stderr == ""


ENDS = """
import atexit
import arena.cli.main as program

class Taken:
    def __del__(self):
        print("taken apart")

def run(arguments):
    program.kept = Taken()
    print("said last", end="")
    {then}

program.run = run
program.main()
"""
"""A program whose only command is Python code."""


def ended(then: str) -> subprocess.CompletedProcess[str]:
    """The end of the program after that code."""
    script = [sys.executable, "-c", ENDS.format(then=then)]
    return subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=False)


def test_it_leaves_at_once_and_leaves_nothing_unsaid() -> None:
    done = ended("atexit.register(print, ', and a function at exit'); return 4")
    assert done.returncode == 4
    assert done.stdout == "said last, and a function at exit\n"


def test_a_fault_of_its_own_is_shown() -> None:
    done = ended("raise LookupError('lost')")
    assert done.returncode == 1
    assert done.stderr.endswith("LookupError: lost\n")
