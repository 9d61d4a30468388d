"""The completion in real shells: each completes command lines by the script that it is given."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO

import pexpect
import pytest

from arena.core.registry import GAMES
from tests.support.forks import ARENA, CAN_FORK, ArenaProcess
from tests.support.tools import needs_tool

ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    "TERM": "dumb",
}
RELAY = """\
#!/bin/sh
env -0 > "{folder}/environment.$$"
mkfifo "{folder}/said.$$"
echo "$$ $PWD" > "{folder}/asked"
cat "{folder}/said.$$"
"""
"""A program `arena` that lets another process say what it is asked for."""
BASH = """\
compopt() { echo compopt "$@"; }
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _arena_completion arena
        printf '%s\\n' "${COMPREPLY[@]}"; }
"""


@pytest.fixture(scope="module")
def relayed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What shells start as `arena` is forked from a process that has imported it: each time they
    complete, they start it anew. (zsh and fish start the installed one.)"""
    if not CAN_FORK:
        yield
        return
    folder, usual = tmp_path_factory.mktemp("relay"), ENVIRONMENT["PATH"]
    (folder / "arena").write_text(RELAY.format(folder=folder))
    (folder / "arena").chmod(0o755)
    os.mkfifo(folder / "asked")
    asked = os.fdopen(os.open(folder / "asked", os.O_RDWR), "r+b", buffering=0)
    answering = threading.Thread(target=answer, args=(folder, asked))
    answering.start()
    ENVIRONMENT["PATH"] = f"{folder}:{usual}"
    yield
    ENVIRONMENT["PATH"] = usual
    asked.write(b"\n")
    answering.join()
    asked.close()


def answer(folder: Path, asked: IO[bytes]) -> None:
    """Run an arena for each that asks, where it is and with the variables that it has."""
    while line := os.fsdecode(asked.readline()).rstrip("\n"):
        process, _, place = line.partition(" ")
        environment = (folder / f"environment.{process}").read_text().rstrip("\0").split("\0")
        with (folder / f"said.{process}").open("w") as said:
            arena = ArenaProcess(
                ARENA,
                stdin=subprocess.DEVNULL,
                stdout=said,
                env=dict(one.split("=", 1) for one in environment),
                cwd=place,
                start_new_session=True,
            )
            arena.wait()


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
def test_bash(line: str, found: list[str], relayed: None) -> None:
    assert bash(line) == found


def test_records_are_completed_and_folders_on_the_way(tmp_path: Path, relayed: None) -> None:
    for name in ("lost.jsonl", "lost.jsonl.gz", "lost.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "loss").mkdir()
    found = ["compopt -o nospace", "loss/", "lost.jsonl", "lost.jsonl.gz"]
    assert bash("arena verify lo", tmp_path) == found
    assert bash("arena view lost.t", tmp_path) == ["compopt -o default", ""]


def test_a_person_hides_no_bot_of_a_like_name(tmp_path: Path, relayed: None) -> None:
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


@pytest.mark.dear
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
