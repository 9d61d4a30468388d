"""The completion in real shells: each completes command lines by the script that it is given."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pexpect
import pytest

from arena.core.registry import GAMES
from tests.tools import needs_tool

ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    "TERM": "dumb",
}
BASH = """\
compopt() { echo compopt "$@"; }
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _arena_completion arena
        printf '%s\\n' "${COMPREPLY[@]}"; }
"""


def printed(*command: str, folder: Path | None = None) -> list[str]:
    """What a shell says."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        timeout=60,
        env=ENVIRONMENT,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def bash(line: str, folder: Path | None = None) -> list[str]:
    """What bash would complete; the words of the line are as bash splits it."""
    script = f"{given_to_bash()}\n{BASH}ask {line}"
    return printed(needs_tool("bash", "bash"), "--norc", "-c", script, folder=folder)


@cache
def given_to_bash() -> str:
    """The script that it gets for completing."""
    return "\n".join(printed("sh", "-c", "_ARENA_COMPLETE=bash_source arena"))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("arena pla", ["play"]),
        ("arena play ''", [*GAMES]),
        ("arena league new x --game wa", ["warlight"]),
        ("arena play warlight --set luc", ["compopt -o nospace", "luck="]),
        ("arena play warlight --set luck = ''", ["160"]),
        ("arena check toroid --set die = s", ["sum6"]),
        ("arena play warlight --set max_rounds =", [""]),
        ("arena play warlight --set luck = 1 '× regions' ''", ["compopt -o default", ""]),
        ("arena play warlight --set wasteland_rule =", ["strict", "source"]),
        ("arena play warlight hum", ["human"]),
        ("arena play warlight my_b", ["compopt -o default", ""]),
        ("arena play warlight --deb", ["--debug"]),
        ("arena guide proto", ["protocol"]),
        ("arena new toroid py", ["python"]),
        ("arena nonsense x", [""]),
        ("arena play nogame --set l", [""]),
    ],
)
def test_bash(line: str, found: list[str]) -> None:
    assert bash(line) == found


def test_records_are_completed_and_folders_on_the_way(tmp_path: Path) -> None:
    for name in ("lost.jsonl", "lost.jsonl.gz", "lost.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "loss").mkdir()
    found = ["compopt -o nospace", "loss/", "lost.jsonl", "lost.jsonl.gz"]
    assert bash("arena verify lo", tmp_path) == found
    assert bash("arena view lost.t", tmp_path) == ["compopt -o default", ""]


def test_a_person_hides_no_bot_of_a_like_name(tmp_path: Path) -> None:
    (tmp_path / "hunter.py").write_text("")
    (tmp_path / "house").mkdir()
    found = ["compopt -o nospace", "human", "house/", "hunter.py"]
    assert bash("arena play warlight h", tmp_path) == found
    assert bash("arena play warlight hum", tmp_path) == ["human"]


def test_fish() -> None:
    fish = needs_tool("fish", "fish")
    script = "_ARENA_COMPLETE=fish_source arena | source; complete -C "
    assert printed(fish, "--no-config", "-c", f"{script}'arena play warlight --set luc'") == [
        "luck=\ta whole number from 0 to 1000 (now 160)"
    ]
    assert printed(fish, "--no-config", "-c", f"{script}'arena pl'") == [
        "play\tPlay a match, or a series, between bots."
    ]


def test_zsh() -> None:
    child = pexpect.spawn(
        needs_tool("zsh", "zsh"),
        ["-f", "-i"],
        encoding="utf-8",
        timeout=60,
        env=ENVIRONMENT,
        dimensions=(40, 120),
    )
    child.sendline(
        "PS1='> '; autoload -Uz compinit; compinit -u -D; "
        'eval "$(_ARENA_COMPLETE=zsh_source arena)"; echo re""ady'
    )
    child.expect("ready")
    child.expect("> ")
    child.send("arena play warl\t")
    child.expect("warlight ")
    child.send("--set luc\t")
    child.expect("luck=")
    child.close(force=True)


def test_completing_loads_nothing_that_plays() -> None:
    """Trio and rich alone would take longer than all of it."""
    code = (
        "import sys\nfrom arena.cli import main\n"
        "try: main.main()\n"
        "finally: print(sorted({'trio', 'rich', 'psutil', 'arena.match'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={
            **os.environ,
            "_ARENA_COMPLETE": "bash_complete",
            "COMP_WORDS": "arena\nplay\nwarlight\n--set\nluc",
            "COMP_CWORD": "4",
        },
    )
    assert done.stdout.splitlines() == ["plain,luck=", "[]"]
