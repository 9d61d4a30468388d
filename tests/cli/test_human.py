from __future__ import annotations

import os
import re
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pexpect
import pytest
from msgspec import UNSET

from arena.record.reader import Match
from arena.record.verify import verify
from tests.cli.conftest import SIMPLE, Arena, arena_process
from tests.support.forks import ArenaTerminal

SAMPLES = Path(__file__).parents[2] / "sample_bots"
SHORT = {
    "warlight": ("max_rounds=2",),
    "toroid": ("normal_game_turn_per_player=1",),
    "hextrategic": ("max_rounds=2", "radius=2"),
    "tncc": ("max_cycles=2",),
    "codecharacter": ("num_turns=2", "map_size=8", "base_tiles=1,1,6,6", "num_soldiers=2"),
}
PROMPT = "human> "
CTRL_C, CTRL_D = "\x03", "\x04"


def sit_down(game: str, *options: str, term: str = "xterm", **environment: str) -> Any:
    """A person at a pseudo-terminal, in a short match against a sample bot."""
    rival = str(SAMPLES / game / "simple.py")
    settings = [word for one in SHORT[game] for word in ("--set", one)]
    return ArenaTerminal(
        sys.executable,
        ["-m", "arena", "play", game, "human", rival, "--seed", "7", *settings, *options],
        encoding="utf-8",
        timeout=60,
        dimensions=(60, 200),
        env={**os.environ, "NO_COLOR": "1", "TERM": term, **environment},
    )


def examples(child: Any) -> list[str]:
    """The answers that the help gives."""
    child.sendline("?")
    child.expect("for example:\r\n")
    child.expect(PROMPT)
    return [line.strip() for line in child.before.split("\r\n\r\n")[0].split("\r\n")]


@pytest.mark.parametrize("game", SHORT)
def test_a_whole_match_of_a_person(game: str, tmp_path: Path) -> None:
    """Wrong orders get a sentence, and cost nothing: the record has no fault."""
    record = tmp_path / "r.jsonl"
    child = sit_down(game, "--replay", str(record), term="dumb")
    child.expect("type \\? for help")
    shown = child.before
    given: list[str] = []
    while child.expect([PROMPT, pexpect.EOF]) == 0:
        shown += child.before
        if len(given) % 4 == 0:
            child.sendline("tea 1 2")
            child.expect("not given: 'tea 1 2': .*\r\nno answer was sent")
            child.expect(PROMPT)
        given.append(min(examples(child), key=len))
        child.sendline(given[-1])
    shown += child.before
    child.close()
    assert child.exitstatus == 0
    assert "player1 human had no clock" in shown
    assert "\x1b" not in shown  # no colour, and nothing that a dumb terminal does not know
    match = Match.read(record)
    assert [one.reply.text for one in match.answers(0)] == given  # type: ignore[union-attr]
    assert match.faults(0) == ()
    assert match.players[0] == "human"
    assert verify(record).ok


def test_words_are_completed_and_lines_brought_back() -> None:
    child = sit_down("hextrategic")
    child.expect(PROMPT)
    child.send("mo\t9 9 9\r")
    child.expect("not given: 'move 9 9 9'")
    child.expect(PROMPT)
    child.send("\x1b[A")
    child.expect("move 9 9 9")
    child.sendcontrol("u")
    child.sendline("No moves")
    child.expect("round 2")
    child.sendline("board")
    child.expect("0:.*1:")
    child.sendline("lines")
    child.expect("update_map 0 ")
    child.sendline("")
    child.expect("to do nothing, type: No moves")
    child.close(force=True)


def test_no_answer_is_named_that_the_rules_refuse() -> None:
    """A start must be picked: there is no doing nothing."""
    said = piped("\n?\n", "warlight", "human", SIMPLE, "--seed", "1").stdout
    assert "type an answer    (? for help)" in said
    assert "To do nothing" not in said
    assert "```" not in said


def test_quitting_asks_once_and_surrenders_where_the_game_has_it(tmp_path: Path) -> None:
    record = tmp_path / "r.jsonl"
    child = sit_down("hextrategic", "--replay", str(record))
    child.expect(PROMPT)
    child.send(CTRL_D)
    child.expect("surrender\\? \\(yes or no\\) ")
    child.sendline("no")
    child.expect(PROMPT)
    child.sendline("quit")
    child.expect("surrender\\?")
    child.sendline("yes")
    child.expect("surrendered")
    child.expect(pexpect.EOF)
    assert [one.reply for one in Match.read(record).answers(0)][-1].text == "surrender"  # type: ignore[union-attr]


def test_ctrl_c_ends_the_match_and_leaves_the_terminal_as_it_was() -> None:
    child = sit_down("tncc")
    before = termios.tcgetattr(child.child_fd)
    child.expect(PROMPT)
    child.send("wai")
    child.expect("wai")
    assert termios.tcgetattr(child.child_fd) != before
    child.send(CTRL_C)
    child.expect("arena: interrupted")
    assert "time is over" not in child.before
    after = termios.tcgetattr(child.child_fd)
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, after) == (130, before)


def test_a_narrow_window_that_changes_is_no_trouble() -> None:
    child = sit_down("toroid")
    child.expect(PROMPT)
    child.setwinsize(10, 30)
    child.sendline("No moves")
    child.expect(PROMPT)
    child.close(force=True)


def test_with_a_time_bank_the_time_can_be_over(tmp_path: Path) -> None:
    """What is being typed then is no answer to the request that has passed."""
    record = tmp_path / "r.jsonl"
    child = sit_down("hextrategic", "--timebank", "300", "--replay", str(record))
    child.expect("go action 300 +\\(0.3 s\\)")
    child.send("sur")
    child.expect("human: your time is over, and no answer was sent")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    match = Match.read(record)
    assert not match.answers(0)
    assert match.header.untimed is UNSET
    assert verify(record).ok


def piped(text: str, *words: str) -> subprocess.CompletedProcess[str]:
    process = arena_process("play", *words, stdin=subprocess.PIPE)
    out, err = process.communicate(text, timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def test_several_persons_take_turns() -> None:
    """Also through a pipe. Each is asked to come before anything is shown."""
    lines = ["", "No moves", "", "move 1 2", "surrender", ""]
    done = piped(
        "\n".join(lines),
        "hextrategic",
        "human:Ann",
        "human:Bob",
        "--set",
        "radius=2",
        "--seed",
        "1",
    )
    assert done.returncode == 0, done.stderr
    who = re.findall(r"^(\w+), you are (player\d)", done.stdout, re.MULTILINE)
    assert who[:2] == [("Ann", "player1"), ("Bob", "player2")]
    assert "not given: 'move 1 2'" in done.stdout
    assert re.search(r"player2 +Bob .*surrendered", done.stdout)


def test_at_the_end_of_the_input_the_person_gives_up() -> None:
    done = piped("", "warlight", "human", SIMPLE, "--seed", "1")
    assert done.returncode == 0
    assert "human: 1 × exited, first in round 0: gave up" in done.stdout
    assert "arena check" not in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("human", SIMPLE, "--json"), "use --replay to record the match"),
        (("human", SIMPLE, "--watch"), "hidden from the person"),
        (("human", SIMPLE, "--watch", "--live"), "choose one"),
        (("human", SIMPLE, "--live", "--games", "2"), "leave out --games"),
        (("human", SIMPLE, "--games", "2"), "one match at a time"),
        (("human", SIMPLE, "--debug", "2"), "choose one"),
        (("human:", SIMPLE), "has no valid name"),
    ],
)
def test_what_a_match_with_a_person_cannot_have(
    arena: Arena, words: tuple[str, ...], said: str
) -> None:
    ran = arena("play", "warlight", *words)
    assert ran.status == 2
    assert said in ran.err


@pytest.mark.parametrize("words", [("check", "warlight"), ("compare", "warlight", SIMPLE)])
def test_persons_only_play(arena: Arena, words: tuple[str, ...]) -> None:
    ran = arena(*words, "human")
    assert ran.status == 2
    assert "only bots play here; a person plays with: arena play GAME human BOT" in ran.err
