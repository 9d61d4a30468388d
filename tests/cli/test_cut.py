"""`arena cut`, `arena play --from` and `arena suite`, as an author uses them."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import QUICK, SIMPLE, Arena, arena_process
from tests.support.past import played


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the record of a match."""
    folder = tmp_path_factory.mktemp("cut")
    from arena.record.reader import save

    save(played("warlight"), folder / "r.jsonl")
    return folder


def test_cut_and_played_on(arena: Arena, place: Path, tmp_path: Path) -> None:
    pos, again = tmp_path / "lost.pos", tmp_path / "again.jsonl"
    ran = arena("cut", place / "r.jsonl", "--round", 3, "--player", 1, "-o", pos)
    assert ran.status == 0
    assert "cut at round 3, after" in ran.err
    assert "player1 was asked 'go place_armies 10000' and answered" in ran.err
    ran = arena("play", "--from", pos, QUICK, QUICK, "--replay", again)
    assert ran.status == 0
    assert "seed 1, 8 rounds (played from round 3)" in ran.out
    assert arena("verify", again).status == 0
    ran = arena("play", "warlight", QUICK, QUICK, "--from", pos, "--json", "--timebank", "3000")
    assert json.loads(ran.out)["position"]["round"] == 3


def test_a_position_goes_to_stdout(arena: Arena, place: Path) -> None:
    ran = arena("cut", place / "r.jsonl", "--round", 2)
    assert json.loads(ran.out)["round"] == 2


WRONG_CUTS = [
    ((), "say where to cut: give --round, or --player and --request"),
    (("--round", "1", "--request", "2", "--player", "1"), "say where to cut"),
    (("--request", "2"), "requests are numbered for each player: add --player"),
    (("--round", "99"), "the record does not ask anybody from round 99 on: name an earlier moment"),
    (("--round", "99", "--player", "1"), "player1 was last asked in round"),
    (("--round", "1", "--player", "3"), "there is no player3"),
    (("--round", "x"), "'x' is not a whole number from 0 on"),
    (("--round", "1", "--append"), "--append and --overwrite are for a file: add -o FILE"),
    (("--round", "1", "-o", "x", "--append", "--overwrite"), "choose one"),
    (("--round", "1", "-o", "/none/x"), "cannot write the file /none/x: No such file or directory"),
    (("--round", "1", "--no-fault"), "say which player the expectation is for: add --player"),
    (("--round", "1", "--player", "1", "--games", "2"), "add --min-score"),
    (("--round", "1", "--player", "1", "--min-score", "2"), "give 0 to 1"),
]


@pytest.mark.parametrize(("options", "error"), WRONG_CUTS)
def test_wrong_cuts(arena: Arena, place: Path, options: tuple[str, ...], error: str) -> None:
    ran = arena("cut", place / "r.jsonl", *options)
    assert ran.status == 2
    assert error in ran.err
    assert ran.out == ""


def test_nothing_is_replaced(arena: Arena, place: Path, tmp_path: Path) -> None:
    pos = tmp_path / "pos"
    words = ("cut", place / "r.jsonl", "--round", "2", "-o", pos)
    assert arena(*words).status == 0
    ran = arena(*words)
    assert ran.status == 2
    assert "exists already: name another with -o" in ran.err
    assert arena(*words, "--append").status == 0
    assert len(pos.read_text().splitlines()) == 2
    ran = arena("play", "--from", pos, QUICK, QUICK)
    assert "has 2 positions: name one by its line" in ran.err
    assert arena(*words, "--overwrite").status == 0
    assert len(pos.read_text().splitlines()) == 1


def test_what_is_no_replay(arena: Arena, tmp_path: Path) -> None:
    assert "there is no file" in arena("cut", tmp_path / "none", "--round", "1").err
    (tmp_path / "x").write_text("nonsense\n")
    assert arena("cut", tmp_path / "x", "--round", "1").status == 1


WRONG_PLAYS = [
    (("--seed", "1"), "the seed comes with the position: leave out --seed"),
    (("--set", "max_rounds=3"), "the setting max_rounds comes with the position"),
    (("--games", "2"), "--from plays one match: give --book FILE"),
    (("--book", "pos"), "--from begins at one position, --book at many: choose one"),
]


@pytest.mark.parametrize(("options", "error"), WRONG_PLAYS)
def test_wrong_plays(
    arena: Arena, place: Path, tmp_path: Path, options: tuple[str, ...], error: str
) -> None:
    pos = tmp_path / "pos"
    arena("cut", place / "r.jsonl", "--round", "2", "-o", pos)
    ran = arena("play", "--from", pos, QUICK, QUICK, *options)
    assert ran.status == 2
    assert error in ran.err


def test_the_position_of_another_game(arena: Arena, place: Path, tmp_path: Path) -> None:
    pos = tmp_path / "pos"
    arena("cut", place / "r.jsonl", "--round", "2", "-o", pos)
    ran = arena("play", "toroid", QUICK, QUICK, "--from", pos)
    assert "the position is one of warlight, not of toroid" in ran.err
    ran = arena("play", "--from", pos, QUICK)
    assert "the position has 2 seats, and 1 bot is given" in ran.err
    ran = arena("play", "--from", tmp_path / "none", QUICK, QUICK)
    assert "cannot read the positions" in ran.err


def test_a_book_in_a_series(arena: Arena, place: Path, tmp_path: Path) -> None:
    book = tmp_path / "book.jsonl"
    for round in (2, 5):
        arena("cut", place / "r.jsonl", "--round", round, "-o", book, "--append")
    ran = arena("play", "warlight", QUICK, QUICK, "--book", book, "--seed", "4")
    assert ran.status == 0
    assert "4 of 4 games" in ran.out
    ran = arena("play", "warlight", QUICK, QUICK, "--book", book, "--games", "5")
    assert "the book has 2 positions, each played from 2 sides: give at most 4" in ran.err
    ran = arena("compare", "warlight", QUICK, SIMPLE, "--book", book, "--games", "2")
    assert ran.status == 0
    assert "2 games" in ran.out


# Suites.


@pytest.fixture(scope="module")
def suite(place: Path) -> Path:
    """A suite of which the quick bot passes the first."""
    from msgspec.structs import replace

    from arena.record.position import Expectation, cut, position_line

    at = cut(played("warlight"), 3, 0)
    expected = [Expectation(one_of=("No moves",)), Expectation(none_of=("No moves",))]
    path = place / "suite.jsonl"
    lines = [position_line(replace(at, expect=one, tags=("three",))) for one in expected]
    path.write_bytes(b"".join(lines))
    return path


def test_a_suite(arena: Arena, suite: Path, tmp_path: Path) -> None:
    junit = tmp_path / "results.xml"
    ran = arena("suite", suite, QUICK, "--jobs", "2", "--junit", junit)
    assert ran.status == 1
    assert "2, round 3, player1 (three): it answered 'No moves', which it must not" in ran.out
    assert "1 of 2 positions as expected, 1 not" in ran.out
    root = ElementTree.parse(junit).getroot()
    cases = list(root.iter("testcase"))
    assert [case.find("failure") is None for case in cases] == [True, False]
    document = json.loads(arena("suite", suite, QUICK, "--json").out)
    assert (document["passed"], document["failed"]) == (1, 1)


def test_wrong_suites(arena: Arena, suite: Path, place: Path, tmp_path: Path) -> None:
    assert "name a bot: arena suite" in arena("suite", suite).err
    assert "only bots play here" in arena("suite", suite, "human").err
    assert "cannot read the positions" in arena("suite", tmp_path / "none", QUICK).err
    assert "looks like a record, not like positions" in arena("suite", place / "r.jsonl", QUICK).err
    ran = arena("suite", suite, QUICK, "--junit", "/none/x")
    assert ran.status == 2
    assert "cannot write the file /none/x" in ran.err
    assert arena("suite", suite, tmp_path / "no_bot.py").status == 2


SLEEPS = "import sys, time\nfor line in sys.stdin: time.sleep(9)\n"


@pytest.mark.dear
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_suite_tells_what_it_knows(
    suite: Path, tmp_path: Path, sent: signal.Signals
) -> None:
    many = tmp_path / "many.jsonl"
    many.write_bytes(suite.read_bytes() * 500)
    process = arena_process("suite", str(many), QUICK, "--jobs", "2")
    assert process.stdout
    process.stdout.readline()
    process.send_signal(sent)
    out, err = process.communicate(timeout=60)
    assert process.returncode in (130, 143)
    assert "interrupted" in err
    assert "not tried" in out


def test_a_killed_suite_leaves_no_bot(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(SLEEPS)
    process = arena_process("suite", str(suite), str(tmp_path / "bot.py"))
    until = time.monotonic() + 30
    while not _running(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert _running(tmp_path)
    process.kill()
    process.communicate(timeout=60)
    while _running(tmp_path) and time.monotonic() < until + 30:
        time.sleep(0.05)
    assert not _running(tmp_path)


def _running(place: Path) -> list[str]:
    """The command lines of processes that name a file there."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if f"{place}/bot.py" in words and "suite" not in words.split("\0"):
            found.append(words)
    return found
