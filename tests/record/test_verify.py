"""Replays are proved, and whatever was changed in one is found and placed in its round."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.core.game import Setup
from arena.core.table import Table
from arena.errors import ReplayError
from arena.match.referee import Referee
from arena.players.inprocess import InProcessPlayer
from arena.record.format import FORMAT, Header
from arena.record.source import read_blocks, read_records
from arena.record.verify import Verdict, verify
from arena.record.writer import Recorder
from arena.sandbox.session import trio_run
from arena.trial.match import partner
from tests.record.forge import Line, forge, nth, place, sealed
from tests.support.fake import Bot, MockClock, obedient, play
from tests.support.tools import every
from tests.tiny import TINY, TinySettings

SHARED = HealthCheck.function_scoped_fixture
"""What hypothesis warns of: all its examples share the fixtures, which do not change."""


def record(path: Path, seed: str = "7") -> str:
    """Record a match between two random players; its digest."""
    setup = TinySettings()
    table = Table(TINY, Setup(seed, 2, setup))
    header = Header(FORMAT, "tiny", 1, seed, msgspec.structs.asdict(setup), ["a", "b"])
    players: list[InProcessPlayer] = [partner(table, 0), partner(table, 1)]
    with Recorder(path, header) as recorder:
        assert path.stat().st_size > 0  # a killed arena leaves no empty file
        trio_run(Referee(table, players, listeners=[recorder]).run)
    return recorder.digest


def lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def rewrite(path: Path, change: Callable[[list[Line]], None]) -> Verdict:
    """Verify the replay after a change to its lines, with the seal that belongs to them."""
    found = lines(path)
    change(found)
    path.write_bytes(sealed(found))
    return verify(path)


def test_an_honest_replay_verifies(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    digest = record(path)
    seal = hashlib.sha256(b"".join(path.read_bytes().splitlines(keepends=True)[:-1])).hexdigest()
    assert verify(path) == Verdict(True, "tiny", "7", 5, digest, "", False, seal)


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
        (change_bank, 3, "player2 was shown"),
        (change_time, 4, "player1 was shown 10000 ms and had"),
        (change_seat, 3, "player1 replies where player2 was asked"),
        (drop_line, 3, "the rules give"),
        (double_answer, 3, "replies without a request"),
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
    ("key", "value"),
    [
        ("total_ms", 0.5),
        ("max_ms", 99.0),
        ("requests", 4),
        ("faults", {"bid": 1}),
        ("thought_ms", 1.0),
        ("delay_ms", 1.0),
    ],
)
def test_changed_totals_are_found(tmp_path: Path, key: str, value: object) -> None:
    record(tmp_path / "r.jsonl")
    verdict = rewrite(
        tmp_path / "r.jsonl", lambda found: nth(found, "player", 1).update({key: value})
    )
    assert "the totals of player2 do not match" in verdict.problem


def test_a_changed_seed_is_found(tmp_path: Path) -> None:
    record(tmp_path / "r.jsonl")
    assert not rewrite(tmp_path / "r.jsonl", lambda found: found[0].update(seed="8")).ok


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.gz"])
def test_what_a_killed_arena_leaves_is_readable(tmp_path: Path, name: str) -> None:
    """Cut anywhere: the whole lines before the cut are read and found right, and unfinished."""
    path = tmp_path / name
    record(path)
    data, records = path.read_bytes(), len(list(read_records(path)))
    for cut in range(len(data) * 2 // 3, len(data), 97 if name == "r.jsonl" else 7):
        path.write_bytes(data[:cut])
        left = len(list(read_records(path)))
        assert left > 3
        verdict = verify(path)
        assert (verdict.ok, verdict.unfinished, verdict.seal) == (False, True, "")
        says = "the record ends " if left < records else "the compressed file lacks its last bytes"
        assert says in verdict.problem
        assert verdict.problem.endswith("; everything up to there is right")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not begin with a header"),
        (b"hello\n", "line 1: not a line of a replay"),
        (b"\xff\xfe\n", "line 1: not a line of a replay"),
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
    with pytest.raises(ReplayError, match="is of version 2 of the rules"):
        rewrite(tmp_path / "r.jsonl", lambda found: found[0].update(rules_version=2))
    with pytest.raises(ReplayError, match="format 9"):
        rewrite(tmp_path / "r.jsonl", lambda found: found[0].update(format=9))


def test_a_replay_names_no_path(tmp_path: Path) -> None:
    record(tmp_path / "r.jsonl")
    assert str(tmp_path) not in (tmp_path / "r.jsonl").read_text()


async def test_remarks_are_no_faults(autojump_clock: MockClock, tmp_path: Path) -> None:
    async def windows(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say("1\r\n")

    await play(windows, obedient, replay=tmp_path / "r.jsonl")
    found = lines(tmp_path / "r.jsonl")
    assert [line["code"] for line in found if line["type"] == "fault"] == ["crlf"]
    assert verify(tmp_path / "r.jsonl").problem == ""


# -- the seal --------------------------------------------------------------------------------------


def totals_from_costs(lines: list[Line]) -> None:
    """Make the totals fit changed costs of replies."""
    for player in (line for line in lines if line["type"] == "player"):
        costs = [
            line
            for line in lines
            if line["type"] in ("answer", "silence") and line["seat"] == player["seat"]
        ]
        player["total_ms"] = sum(line["ms"] for line in costs)
        player["max_ms"] = max(line["ms"] for line in costs)
        for total, one in (("delay_ms", "delay_ms"), ("thought_ms", "cpu_ms")):
            player[total] = float(sum(line.get(one, 0) for line in costs))


def edit(kind: str, n: int, **values: Any) -> Callable[[list[Line]], None]:
    """Change one line, and all sums over it."""

    def change(lines: list[Line]) -> None:
        nth(lines, kind, n).update(values)
        totals_from_costs(lines)

    return change


def quicker(lines: list[Line]) -> None:
    for line in lines:
        if line["type"] == "answer":
            line["ms"] -= 1e-6
    totals_from_costs(lines)


def drop_key(kind: str, n: int, key: str) -> Callable[[list[Line]], None]:
    def change(lines: list[Line]) -> None:
        del nth(lines, kind, n)[key]

    return change


def drop(kind: str, n: int) -> Callable[[list[Line]], None]:
    def change(lines: list[Line]) -> None:
        del lines[place(lines, nth(lines, kind, n))]

    return change


def insert(at: int, line: Line) -> Callable[[list[Line]], None]:
    return lambda lines: lines.insert(at, line)


def count_fault(lines: list[Line]) -> None:
    nth(lines, "fault", 0)["count"] = 1
    nth(lines, "player", 0)["faults"]["excess"] = 5


def drop_fault(lines: list[Line]) -> None:
    drop("fault", 3)(lines)
    del nth(lines, "player", 1)["faults"]["timeouts"]


def rename_fault(lines: list[Line]) -> None:
    nth(lines, "fault", 3)["code"] = "memory"
    nth(lines, "player", 1).update(faults={"timeout": 2, "memory": 1}, stopped="memory")


def swap_keys(lines: list[Line]) -> None:
    line = nth(lines, "answer", 0)
    line["seat"] = line.pop("seat")


MEANS = {"sandbox": "off", "memory": "looks", "cpu": "looks", "kill": "subreaper"}
NOTHING_STANDS_AFTER_IT = {"type": "seal", "sha256": "0" * 64}
CHANGES: dict[str, Callable[[list[Line]], None]] = {
    "another answer with the same effect": edit("answer", 0, text="1"),
    "another answer": edit("answer", 0, text="3"),
    "a blank behind an answer": edit("answer", 0, text="01 "),
    "a reason of silence": edit("silence", 2, why="dead"),
    "a time, a little": edit("answer", 0, ms=250.000001),
    "a time": edit("answer", 0, ms=249.0),
    "all times": quicker,
    "a real time that comes": edit("answer", 0, wall_ms=260.0),
    "CPU time of a reply": edit("answer", 0, cpu_ms=31.0),
    "no CPU time of a reply": drop_key("answer", 0, "cpu_ms"),
    "delay of a reply": edit("answer", 0, delay_ms=41.0),
    "a bank": edit("answer", 2, bank=701),
    "the first digest": drop("digest", 0),
    "a digest": drop("digest", 3),
    "the last digest": drop("digest", -1),
    "why it was stopped": edit("player", 1, stopped="memory"),
    "that it was not stopped": edit("player", 1, stopped=None),
    "that it was stopped": edit("player", 0, stopped="memory"),
    "CPU time in all": edit("player", 0, cpu_ms=151.0),
    "no CPU time in all": edit("player", 0, cpu_ms=None),
    "memory": edit("player", 0, peak_memory=4096),
    "pondering": edit("player", 0, pondered_ms=3.0),
    "no pondering": drop_key("player", 0, "pondered_ms"),
    "requests": edit("player", 0, requests=6),
    "faults in all": edit("player", 0, faults={"excess": 6}),
    "the order of faults": edit("player", 0, faults={"bid": 1, "excess": 6}),
    "the number of a fault": count_fault,
    "the words of a fault": edit("fault", 0, detail="a line"),
    "a remark for a fault": edit("fault", 0, fault=False),
    "another fault": rename_fault,
    "one fault less": drop_fault,
    "one remark less": drop("fault", 2),
    "one remark more": insert(
        12, {"type": "fault", "seat": 1, "code": "x", "detail": "", "count": 1, "fault": False}
    ),
    "stderr": edit("stderr", 0, text="I was cheated"),
    "no stderr": drop("stderr", 4),
    "stderr of another turn": edit("stderr", 0, request=0),
    "stderr that comes": insert(-2, {"type": "stderr", "seat": 1, "request": 1, "text": "x"}),
    "walls": edit("conditions", 0, means={**MEANS, "sandbox": "sandbox+cgroup"}),
    "what kept the limits": edit("conditions", 0, means={**MEANS, "memory": "kernel"}),
    "what counted": edit("conditions", 0, counted_by="wasmtime 1"),
    "no conditions": drop("conditions", 0),
    "the names": edit("header", 0, players=["b", "a"]),
    "a name": edit("header", 0, players=["a", "c"]),
    "the clock": edit("header", 0, clock="cpu"),
    "the seed": edit("header", 0, seed="2"),
    "a setting without effect": lambda lines: lines[0]["settings"].update(time_per_move=99),
    "the number of rounds": lambda lines: lines[0]["settings"].update(max_rounds=6),
    "a default that is not told": lambda lines: lines[0]["settings"].pop("purse"),
    "a map": edit("header", 0, map={}),
    "the version of the rules": edit("header", 0, rules_version=2),
    "the format": edit("header", 0, format=1),
    "an unknown key": edit("answer", 0, unknown_key=0),
    "an unknown key at the end": edit("player", 1, unknown_key=0),
    "a key in another place": swap_keys,
    "a line told": edit("tell", 1, line="update_map 21 5"),
    "a request": edit("ask", 0, head="go on"),
    "a note": edit("note", 0, detail="wrong"),
    "a frame": lambda lines: nth(lines, "show", 1)["frame"].update(purse=[20, 20]),
    "the winner": edit("outcome", 0, ranks=[2, 1], points=[0.0, 1.0]),
    "the sentence": edit("outcome", 0, sentence="b won."),
    "totals of nobody": insert(
        -1, {"type": "player", "seat": 2, "stopped": None, "faults": {}, "requests": 0,
             "total_ms": 0.0, "max_ms": 0.0, "cpu_ms": None, "peak_memory": None}
    ),
    "no totals": drop("player", 1),
    "no seal": drop("seal", 0),
    "another seal": edit("seal", 0, sha256="0" * 64),
    "a seal in large letters": lambda lines: nth(lines, "seal").update(
        sha256=nth(lines, "seal")["sha256"].upper()
    ),
    "a second seal": insert(999, NOTHING_STANDS_AFTER_IT),
}  # fmt: skip
"""What somebody may change who makes all digests and sums anew."""


@every("name", CHANGES)
def test_every_change_is_noticed_by_the_seal(rich: bytes, tmp_path: Path, name: str) -> None:
    """By the seal in the record; and when that is made anew, by the one that was kept."""
    path = tmp_path / "r.jsonl"
    path.write_bytes(rich)
    kept = verify(path)
    assert kept.ok
    path.write_bytes(forge(rich, CHANGES[name], seal=False))
    assert problem_of(path)
    forged = forge(rich, CHANGES[name], seal=True)
    path.write_bytes(forged)
    assert forged == rich or problem_of(path) or verify(path).seal != kept.seal


def problem_of(path: Path) -> str:
    """What is wrong, also with a header."""
    try:
        return verify(path).problem
    except ReplayError as error:
        return str(error)


@settings(derandomize=True, deadline=None, suppress_health_check=[SHARED])
@given(place=st.integers(0, 10**6), byte=st.integers(1, 255))
def test_every_byte_of_a_finished_record_counts(rich: bytes, place: int, byte: int) -> None:
    place %= len(rich)
    assert wrong(rich[:place] + bytes([rich[place] ^ byte]) + rich[place + 1 :])


@settings(derandomize=True, deadline=None, suppress_health_check=[SHARED])
@given(place=st.integers(0, 10**6), cut=st.integers(0, 300), new=st.binary(max_size=5))
def test_what_is_cut_out_or_put_in_is_noticed(
    rich: bytes, place: int, cut: int, new: bytes
) -> None:
    place %= len(rich) + 1
    changed = rich[:place] + new + rich[place + cut :]
    assert wrong(changed) == (changed != rich)


def wrong(data: bytes) -> bool:
    with NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(data)
        file.flush()
        return problem_of(Path(file.name)) != ""


def test_each_byte_of_the_last_line_counts(rich: bytes) -> None:
    start = rich.rindex(b"{")
    for at in range(start, len(rich)):
        assert wrong(rich[:at] + bytes([rich[at] ^ 1]) + rich[at + 1 :])
    for behind in (b"\n", b" ", b"x", b"{}\n", rich[start:]):
        assert wrong(rich + behind)


def test_how_a_record_is_compressed_is_no_part_of_it(rich: bytes, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl.gz"
    for level in (1, 9):
        path.write_bytes(gzip.compress(rich, level))
        assert verify(path).ok


@settings(derandomize=True, deadline=None, suppress_health_check=[SHARED])
@given(place=st.integers(0, 10**6), byte=st.integers(1, 255))
def test_a_changed_byte_of_a_compressed_record(rich: bytes, place: int, byte: int) -> None:
    """It is noticed, or changes how it is compressed and nothing else (as the time in its head)."""
    packed = bytearray(gzip.compress(rich, 1))
    packed[place % len(packed)] ^= byte
    with NamedTemporaryFile(suffix=".jsonl.gz") as file:
        file.write(packed)
        file.flush()
        if problem_of(Path(file.name)) == "":
            assert b"".join(read_blocks(Path(file.name))) == rich


def test_an_unfinished_record_says_so(rich: bytes, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    *lines, _ = rich.splitlines(keepends=True)
    path.write_bytes(b"".join(lines))
    verdict = verify(path)
    assert (verdict.ok, verdict.unfinished, verdict.seal) == (False, True, "")
    assert (
        verdict.problem
        == "round 6: the record ends without its seal; everything up to there is right"
    )
    path.write_bytes(b"".join(lines[:12]))
    assert verify(path).problem == (
        "round 1: the record ends here, before the match did; everything up to there is right"
    )


def test_a_wrong_record_is_not_called_unfinished(rich: bytes, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(forge(rich, edit("answer", 0, text="1"), seal=False))
    verdict = verify(path)
    assert (verdict.ok, verdict.unfinished, verdict.seal) == (False, False, "")
    assert verdict.problem.endswith(
        "the seal does not match the record: something in it was changed"
    )
