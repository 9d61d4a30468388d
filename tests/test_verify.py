"""Replays are proved, and whatever was changed in one is found and placed in its round."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.check import partner
from arena.errors import ReplayError
from arena.game import GAMES, Setup
from arena.players.inprocess import InProcess
from arena.referee import MatchResult, Referee
from arena.replay import FORMAT, Header, Recorder, read_replay
from arena.run import trio_run
from arena.table import Table
from arena.verify import Verdict, verify
from tests.tiny import TINY, TinySettings

Line = dict[str, Any]


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


def record(path: Path, seed: str = "7") -> MatchResult:
    """A recorded match between two random players."""
    settings = TinySettings()
    table = Table(TINY, Setup(seed, 2, settings))
    header = Header(FORMAT, "tiny", 1, seed, msgspec.structs.asdict(settings), ["a", "b"])
    players: list[InProcess] = [partner(table, 0), partner(table, 1)]
    with Recorder(path, header) as recorder:
        assert path.stat().st_size > 0  # a killed arena leaves no empty file
        return trio_run(Referee(table, players, recorder=recorder).run)


def lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def rewrite(path: Path, change: Callable[[list[Line]], None]) -> Verdict:
    """Verify the replay after a change to its lines."""
    found = lines(path)
    change(found)
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in found))
    return verify(path)


def test_an_honest_replay_verifies(tmp_path: Path) -> None:
    result = record(tmp_path / "r.jsonl")
    verdict = verify(tmp_path / "r.jsonl")
    assert verdict == Verdict(True, "tiny", "7", 5, result.digest, "")


def test_the_same_match_has_the_same_digests(tmp_path: Path) -> None:
    record(tmp_path / "a.jsonl")
    record(tmp_path / "b.jsonl")
    record(tmp_path / "c.jsonl", seed="8")

    def digests(name: str) -> list[str]:
        return [x["sha256"] for x in lines(tmp_path / name) if x["type"] == "digest"]

    assert len(digests("a.jsonl")) == 6
    assert digests("a.jsonl") == digests("b.jsonl")
    assert digests("a.jsonl")[0] != digests("c.jsonl")[0]


def test_a_compressed_replay_is_the_same(tmp_path: Path) -> None:
    record(tmp_path / "r.jsonl.gz")
    record(tmp_path / "r.jsonl")
    assert verify(tmp_path / "r.jsonl.gz").digest == verify(tmp_path / "r.jsonl").digest
    assert gzip.decompress((tmp_path / "r.jsonl.gz").read_bytes()).count(b"\n") == len(
        lines(tmp_path / "r.jsonl")
    )


def nth(found: list[Line], kind: str, n: int) -> Line:
    return [line for line in found if line["type"] == kind][n]


def change_answer(found: list[Line]) -> None:
    line = nth(found, "answer", 5)
    line["text"] = str(int(line["text"]) ^ 1)


def change_garbage(found: list[Line]) -> None:
    """An answer that changes nothing in the game: the digest has it all the same."""
    nth(found, "answer", 5)["text"] += " "


def change_frame(found: list[Line]) -> None:
    nth(found, "show", 3)["frame"]["points"][0] += 1


def change_told(found: list[Line]) -> None:
    nth(found, "tell", 8)["line"] += "0"


def change_digest(found: list[Line]) -> None:
    line = nth(found, "digest", 3)
    line["sha256"] = line["sha256"][:-1] + ("0" if line["sha256"][-1] != "0" else "1")


def change_bank(found: list[Line]) -> None:
    nth(found, "answer", 5)["bank"] -= 1


def change_time(found: list[Line]) -> None:
    """All later banks would be others."""
    nth(found, "answer", 4)["ms"] += 5000


def change_seat(found: list[Line]) -> None:
    nth(found, "answer", 5)["seat"] = 0


def drop_line(found: list[Line]) -> None:
    line = nth(found, "ask", 4)
    del found[next(i for i, other in enumerate(found) if other is line)]


def double_answer(found: list[Line]) -> None:
    line = nth(found, "answer", 5)
    found.insert(next(i for i, other in enumerate(found) if other is line), line)


@pytest.mark.parametrize(
    ("change", "round_number", "words"),
    [
        (change_answer, 3, "the rules give"),
        (change_garbage, 3, ""),
        (change_frame, 3, "the rules give"),
        (change_told, 3, "the rules give"),
        (change_digest, 3, "the digest does not match"),
        (change_bank, 3, "seat 1 was shown"),
        (change_time, 4, "seat 0 was shown 10000 ms and had"),
        (change_seat, 3, "seat 0 replies where seat 1 was asked"),
        (drop_line, 3, "the rules give"),
        (double_answer, 3, "replies and was not asked"),
    ],
)
def test_a_change_is_found_in_its_round(
    tmp_path: Path, change: Callable[[list[Line]], None], round_number: int, words: str
) -> None:
    record(tmp_path / "r.jsonl")
    verdict = rewrite(tmp_path / "r.jsonl", change)
    assert not verdict.ok
    assert verdict.problem.startswith(f"round {round_number}: ")
    assert words in verdict.problem
    assert verdict.rounds == round_number - 1


def test_a_changed_outcome_is_found(tmp_path: Path) -> None:
    record(tmp_path / "r.jsonl")
    verdict = rewrite(
        tmp_path / "r.jsonl", lambda found: nth(found, "outcome", 0).update(points=[9, 9])
    )
    assert not verdict.ok
    assert "the rules give" in verdict.problem


@pytest.mark.parametrize(
    ("key", "value"), [("total_ms", 0.5), ("max_ms", 99.0), ("requests", 4), ("faults", {"bid": 1})]
)
def test_changed_totals_are_found(tmp_path: Path, key: str, value: object) -> None:
    record(tmp_path / "r.jsonl")
    verdict = rewrite(
        tmp_path / "r.jsonl", lambda found: nth(found, "player", 1).update({key: value})
    )
    assert "the totals of seat 1 do not match" in verdict.problem


def test_a_changed_seed_is_found(tmp_path: Path) -> None:
    record(tmp_path / "r.jsonl")
    assert not rewrite(tmp_path / "r.jsonl", lambda found: found[0].update(seed="8")).ok


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.gz"])
def test_what_a_killed_arena_leaves_is_readable(tmp_path: Path, name: str) -> None:
    """Cut anywhere: the whole lines before the cut are read and found right, and incomplete."""
    path = tmp_path / name
    record(path)
    data, records = path.read_bytes(), len(list(read_replay(path)))
    for cut in range(len(data) * 2 // 3, len(data) - 20, 97 if name == "r.jsonl" else 7):
        path.write_bytes(data[:cut])
        left = len(list(read_replay(path)))
        assert left > 3
        if left == records:
            continue  # only the trailer of the compressed file is missing
        problem = verify(path).problem
        assert "ends here, before the match did; what is there is right" in problem


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not begin with a header"),
        (b"hello\n", "line 1: no record of a replay"),
        (b"\xff\xfe\n", "line 1: no record of a replay"),
        (b'{"type":"tell","seat":0,"line":"x"}\n', "does not begin with a header"),
    ],
)
def test_what_is_no_replay(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    with pytest.raises(ReplayError, match=message):
        verify(path)


def test_a_missing_replay(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="No such file"):
        verify(tmp_path / "none.jsonl")


def test_other_rules_and_formats_are_refused(tmp_path: Path) -> None:
    record(tmp_path / "r.jsonl")
    with pytest.raises(ReplayError, match="rules version 2"):
        rewrite(tmp_path / "r.jsonl", lambda found: found[0].update(rules_version=2))
    with pytest.raises(ReplayError, match="format 9"):
        rewrite(tmp_path / "r.jsonl", lambda found: found[0].update(format=9))


def test_a_replay_names_no_path(tmp_path: Path) -> None:
    record(tmp_path / "r.jsonl")
    assert str(tmp_path) not in (tmp_path / "r.jsonl").read_text()
