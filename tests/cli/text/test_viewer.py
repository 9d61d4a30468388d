from __future__ import annotations

import os
import sys
import termios
from pathlib import Path
from typing import Any

import pexpect
import pytest

import arena as face
from arena.cli.text.boards import LEAP, NORMAL, SPEEDS, Playback, fitted, meanings
from tests.cli.conftest import SIMPLE, Arena
from tests.support.forks import ArenaTerminal

HOSTILE = "\x1b[31mred\u202e"


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of some rounds, in which a seat has a hostile name."""
    path = tmp_path_factory.mktemp("view") / "r.jsonl"
    face.play("warlight", [SIMPLE, SIMPLE], seed=7, settings={"max_rounds": 12}, replay=path)
    return path


def test_keys_by_what_they_send() -> None:
    assert meanings(b" \x1b[C\x1bOD+x\x1b[5~q") == [
        *("pause", "next", "back", "faster", "leap back", "quit")
    ]
    assert meanings(b"\x1b") == ["quit"]
    assert meanings(b"\xff\x1b[200~\x1b[99;1Zz") == []


@pytest.mark.parametrize(
    ("key", "at"),
    [("next", 6), ("back", 4), ("leap", 5 + LEAP), ("leap back", 0), ("first", 0), ("last", 30)],
)
def test_steps_stay_within_the_match_and_pause(key: str, at: int) -> None:
    show = Playback(30, at=5)
    show.press(key)
    assert (show.at, show.paused) == (at, True)


def test_playing_ends_at_the_last_round() -> None:
    show = Playback(2)
    for _ in range(5):
        show.tick()
    assert (show.at, show.paused) == (2, True)
    show.press("back")
    show.press("pause")
    show.tick()
    assert show.at == 2


def test_speed_has_bounds() -> None:
    show = Playback(2)
    assert show.seconds == 0.25
    for _ in range(20):
        show.press("faster")
    assert (show.seconds, show.status) == (1 / 32, "32 rounds a second")
    for _ in range(20):
        show.press("slower")
    assert (show.pace, show.status) == (0, "0.5 rounds a second")
    assert 0 < NORMAL < len(SPEEDS)


def test_a_board_that_does_not_fit_says_what_it_needs() -> None:
    picture = "\n".join(["A1 B2 .3" * 10] * 20)
    assert picture in fitted("head", picture, "foot", 80, 24)
    for columns, lines in ((79, 24), (80, 23), (40, 10), (20, 3), (1, 1)):
        text = fitted("head", picture, "foot", columns, lines)
        assert "A1" not in text
        assert len(text.split("\n")) <= lines
        assert max(map(len, text.split("\n"))) <= columns
    assert "needs 80 columns and 24 lines" in fitted("head", picture, "foot", 79, 24)


def test_what_stands_around_a_board_is_wrapped_where_there_is_room() -> None:
    text = fitted("a head of words", "A1", "a foot of words", 9, 7)
    assert text.split("\n") == ["a head of", "words", "", "A1", "", "a foot of", "words"]
    cut = fitted("a head of words", "A1", "a foot of words", 9, 6)
    assert cut.split("\n") == ["a head of", "", "A1", "", "a foot of"]


def test_without_a_terminal_all_rounds_are_printed(arena: Arena, record: Path) -> None:
    ran = arena("view", "--text", str(record))
    assert ran.status == 0
    rounds = [line.split(":")[0] for line in ran.out.splitlines() if line.startswith("round ")]
    assert rounds == [f"round {i} of 12" for i in range(13)]
    assert ran.out.startswith("warlight, seed 7: A simple against B simple\n")
    assert ran.out.endswith("\n\nA draw: the last round is over.\n") or "draw" in ran.out
    assert "\x1b" not in ran.out


def test_hostile_names_cannot_touch_the_terminal(
    arena: Arena, record: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "r.jsonl"
    name = HOSTILE.encode("unicode_escape").replace(b"\\x1b", b"\\u001b").decode()
    text = record.read_text().replace('["simple","simple"]', f'["{name}","simple"]', 1)
    changed.write_text(text)
    ran = arena("view", "--text", str(changed))
    assert r"A \x1b[31mred\u202e against" in ran.out
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out


@pytest.mark.parametrize("changed", ['"rounds":12', '"board":'])
def test_a_frame_that_cannot_be_drawn_is_the_fault_of_its_record(
    arena: Arena, record: Path, tmp_path: Path, changed: str
) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(record.read_text().replace(changed, changed.replace('"', '"x', 1)))
    ran = arena("view", "--text", str(path))
    assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert f"arena: {path} has a frame that warlight cannot draw (" in ran.err
    assert ran.err.endswith("): arena verify says whether the record is right\n")


def test_a_folder_is_no_record(arena: Arena, tmp_path: Path) -> None:
    for words in (["view", "--text"], ["view"], ["verify"], ["rerun", "--player", "1", "--dump"]):
        ran = arena(*words, str(tmp_path))
        assert ran.err == f"arena: {tmp_path} is a folder: name the replays in it\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "there is no file"), ("tea", "is not a replay"), ("", "is not a replay")],
)
def test_what_is_no_record(arena: Arena, tmp_path: Path, content: str | None, said: str) -> None:
    path = tmp_path / "r.jsonl"
    if content is not None:
        path.write_text(content)
    ran = arena("view", "--text", str(path))
    assert (ran.status != 0, ran.out) == (True, "")
    assert said in ran.err


def viewer(*words: str, size: tuple[int, int] = (40, 120), **environment: str) -> Any:
    kept = {name: text for name, text in os.environ.items() if name not in ("COLUMNS", "LINES")}
    return ArenaTerminal(
        sys.executable,
        ["-m", "arena", *words],
        encoding="utf-8",
        timeout=60,
        dimensions=size,
        env=kept | {"TERM": "xterm-256color", "NO_COLOR": "1", **environment},
    )


def test_the_keys_of_a_record(record: Path) -> None:
    child = viewer("view", "--text", str(record))
    before = termios.tcgetattr(child.child_fd)
    child.expect("round 0 of 12")
    child.send(" ")
    child.expect("paused")
    child.send("\x1b[F")
    child.expect("round 12 of 12")
    child.send("\x1b[D")
    child.expect("round 11 of 12")
    child.send("\x1b[C")
    child.expect("round 12 of 12")
    child.send("\x1b[5~")
    child.expect("round 2 of 12")
    child.send("\x1b[H")
    child.expect("round 0 of 12")
    child.send("+ ")
    child.expect("8 rounds a second")
    child.expect("round 12 of 12")  # it plays on by itself, and stays there
    child.expect("paused")
    child.setwinsize(10, 60)
    child.expect("this board needs .* columns and .* lines")
    child.setwinsize(40, 120)
    child.expect("round 12 of 12")
    child.send("q")
    child.expect(pexpect.EOF)
    after = termios.tcgetattr(child.child_fd)
    child.close()
    assert (child.exitstatus, after) == (0, before)


def test_ctrl_c_and_dumb_terminals(record: Path) -> None:
    child = viewer("view", "--text", str(record))
    child.expect("round 1 of 12")
    child.send("\x03")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    dumb = viewer("view", "--text", str(record), TERM="dumb")
    dumb.expect(pexpect.EOF)
    assert "round 12 of 12" in dumb.before
    assert "\x1b" not in dumb.before


@pytest.mark.dear
def test_the_keys_of_a_match_that_is_watched() -> None:
    words = ("play", "warlight", SIMPLE, SIMPLE, "--seed", "7", "--watch")
    child = viewer(*words, "--set", "max_rounds=50")  # 12 s, in which it is paused
    child.expect("round 1 of 50")
    child.send(" ")
    child.expect("paused")
    for key, number in (("H", 0), ("C", 1), ("C", 2), ("D", 1), ("C", 2), ("C", 3)):
        child.send(f"\x1b[{key}")
        child.expect(f"round {number} of 50")
    child.send("++++ ")
    child.expect(r"round 50 of 50[^~]*round 50 of 50")  # the last board stays
    child.expect("warlight, seed 7, 50 rounds")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
