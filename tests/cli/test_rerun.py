"""`arena rerun`: a crash is reached again, a change is found, the input can be printed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import SIMPLE, Arena, arena_process

CRASHES = """
import sys

maps = 0
for line in sys.stdin:
    words = line.split()
    if words[0] == "update_map":
        maps += 1
    if words[0] == "pick_starting_region":
        print(words[2], flush=True)
    if words[0] == "go":
        if maps == 3 and len(sys.argv) < 2:
            raise ValueError("boom")
        print("No moves", flush=True)
"""
"""A bot that crashes in round 3."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bot, and the record of a match that it lost."""
    folder = tmp_path_factory.mktemp("rerun")
    (folder / "bot.py").write_text(CRASHES)
    (folder / "fixed.py").write_text(CRASHES.replace("boom", "x").replace("maps == 3", "False"))
    words = ("play", "warlight", str(folder / "bot.py"), SIMPLE, "--seed", "3")
    options = ("--set", "max_rounds=9", "--replay", str(folder / "r.jsonl"))
    process = arena_process(*words, *options)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return folder


@pytest.mark.parametrize("first", ["0", "3"])
def test_a_recorded_crash_is_reached_again(arena: Arena, place: Path, first: str) -> None:
    words = ("rerun", str(place / "r.jsonl"), "--player", "1", str(place / "bot.py"))
    ran = arena(*words, "--round", first)
    assert ran.status == 0
    assert "as recorded" in ran.out
    assert "crashed in round 3" in ran.out
    assert "ValueError: boom" in ran.out


REMEMBERS = """
import sys

asked = 0
for line in sys.stdin:
    words = line.split()
    if words[0] == "pick_starting_region":
        print(words[2], flush=True)
    if words[0] == "go":
        asked += 1
        print("No moves" if asked % 3 else f"asked {asked} times", flush=True)
"""
"""A bot whose answers come of all its requests."""


def test_a_bot_that_remembers_answers_as_it_did_also_from_a_later_round_on(
    arena: Arena, place: Path
) -> None:
    bot, record = place / "remembers.py", str(place / "m.jsonl")
    bot.write_text(REMEMBERS)
    options = ("--seed", "3", "--set", "max_rounds=9", "--replay", record)
    assert arena("play", "warlight", str(bot), SIMPLE, *options).status == 0
    words = ("rerun", record, "--player", "1", "--round", "5")
    ran = arena(*words, str(bot))
    assert "from round 5 on" in ran.out
    assert "as recorded" in ran.out
    assert "not as recorded" not in ran.out
    bot.write_text(REMEMBERS.replace("asked % 3", "asked % 2"))
    ran = arena(*words, str(bot))
    assert "not as recorded" in ran.out
    assert "before round 5" in ran.out
    assert "seed" in ran.out.splitlines()[-1]
    document = json.loads(arena(*words, str(bot), "--json").out)
    assert not all(answer["same"] for answer in document["earlier"])


def test_a_bot_that_ends_before_the_round_is_not_as_recorded(arena: Arena, place: Path) -> None:
    words = ("rerun", str(place / "r.jsonl"), "--player", "1", str(place / "bot.py"))
    ran = arena(*words, "--round", "7")
    assert "as recorded" not in ran.out.splitlines()[0]
    assert "ended before round 7" in ran.out
    assert "crashed in round 3" in ran.out
    assert "ValueError: boom" in ran.out


def test_the_first_difference_is_shown(arena: Arena, place: Path) -> None:
    words = ("rerun", str(place / "r.jsonl"), "--player", "1", str(place / "fixed.py"))
    ran = arena(*words, "--round", "2")
    asked, recorded, now = ran.out.splitlines()[:3]
    assert asked.startswith("round 3, request ")
    assert recorded.split(maxsplit=1) == ["recorded", "(no answer: dead)"]
    assert now.split(maxsplit=1) == ["now", "No moves"]
    document = json.loads(arena(*words, "--json").out)
    assert document["end"]["stopped"] is None
    assert not all(answer["same"] for answer in document["answers"])


def test_the_dump_is_the_input_of_the_bot(arena: Arena, place: Path) -> None:
    ran = arena("rerun", str(place / "r.jsonl"), "--player", "player1", "--dump")
    assert ran.out == arena("rerun", str(place / "r.jsonl"), "--player", "1", "--dump").out
    fed = subprocess.run(
        [sys.executable, str(place / "bot.py")], input=ran.out, capture_output=True, text=True
    )
    assert fed.returncode == 1
    assert "ValueError: boom" in fed.stderr


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("nosuch.jsonl", "--player", "1", "bot.py"), "there is no file nosuch.jsonl"),
        (("r.jsonl", "--player", "1"), "name a bot to run, or add --dump"),
        (("r.jsonl", "--player", "3", "--dump"), "the match has player1 to player2"),
        (("r.jsonl", "bot.py"), "--player 1 for bot, --player 2 for simple"),
        (("bot.py", "r.jsonl", "--player", "1"), "arena rerun r.jsonl --player 1 bot.py"),
        (("bot.py", "r.jsonl"), "name the replay first"),
        (("r.jsonl", "--player", "1", "--dump", "--round", "2"), "leave out"),
        (("r.jsonl", "--player", "1", "nosuch.py"), "nosuch.py"),
        (("r.jsonl", "--player", "1", "bot.py", "--debug"), "needs a terminal"),
        (("r.jsonl", "--player", "1", "bot.py", "--debug", "--timed"), "leave out --timed"),
        (
            ("r.jsonl", "--player", "1", "bot.py", "--debug", "--sandbox", "auto"),
            "leave out --sandbox",
        ),
        (("r.jsonl", "--player", "1", "--dump", "--debug"), "leave out BOT"),
    ],
)
def test_wrong_words(
    arena: Arena,
    place: Path,
    words: tuple[str, ...],
    error: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(place)
    ran = arena("rerun", *words)
    assert ran.status == 2
    assert error in ran.err
