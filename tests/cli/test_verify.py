"""``arena verify`` on recorded matches of Warlight."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from arena.record.format import FORMAT
from tests.cli.conftest import SHELL, SIMPLE, Arena

_RECORDED: list[bytes] = []


def record(arena: Arena, path: Path) -> None:
    """A record of one match, which is played once."""
    if not _RECORDED:
        short = ("--seed", "7", "--set", "max_rounds=8", "--replay", str(path))
        arena("play", "warlight", SIMPLE, SHELL, *short)
        _RECORDED.append(path.read_bytes())
    path.write_bytes(_RECORDED[0])


def test_a_good_and_a_bad_replay(arena: Arena, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl.gz"
    record(arena, good)
    assert arena("verify", str(good)).out.startswith(f"{good}: ok, warlight with seed 7, ")
    import gzip

    bad.write_bytes(gzip.compress(change_answer(good.read_text()).encode()))
    ran = arena("verify", str(good), str(bad))
    assert ran.status == 1
    assert f"{good}: ok" in ran.out
    assert f"{bad}: WRONG: round 3: " in ran.out


def change_answer(text: str) -> str:
    """One digit of one answer in round 3 is another."""
    lines = text.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith('{"type":"digest","round":2'))
    place = next(i for i in range(place, len(lines)) if lines[i].startswith('{"type":"answer"'))
    answer = json.loads(lines[place])
    answer["text"] = answer["text"][:-1] + ("1" if answer["text"][-1] != "1" else "2")
    lines[place] = json.dumps(answer, separators=(",", ":"))
    return "\n".join(lines) + "\n"


def test_the_document(arena: Arena, tmp_path: Path) -> None:
    record(arena, tmp_path / "r.jsonl")
    (document,) = json.loads(arena("verify", str(tmp_path / "r.jsonl"), "--json").out)["verdicts"]
    assert document["ok"] is True
    assert document["unfinished"] is False
    assert document["problem"] == ""
    assert document["rounds"] > 3
    assert len(document["seal"]) == 64


def test_the_seal_that_play_prints_is_that_of_verify(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl.gz"
    short = ("--seed", "7", "--set", "max_rounds=1", "--replay", str(path))
    played = arena("play", "warlight", SIMPLE, SHELL, *short)
    (seal,) = re.findall("^seal: ([0-9a-f]{64})$", played.out, re.MULTILINE)
    (digest,) = re.findall("^digest: ([0-9a-f]{64})$", played.out, re.MULTILINE)
    assert arena("verify", str(path)).out == (
        f"{path}: ok, warlight with seed 7, 1 round, digest {digest}, seal {seal}\n"
    )
    document = json.loads(
        arena("play", "warlight", SIMPLE, SHELL, *short, "--overwrite", "--json").out
    )
    assert (
        document["seal"]
        == json.loads(arena("verify", str(path), "--json").out)["verdicts"][0]["seal"]
    )
    assert document["seal"] != seal  # the times are others


def test_what_a_killed_arena_left_is_unfinished(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    record(arena, path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    ran = arena("verify", str(path))
    assert ran.status == 1
    assert re.fullmatch(
        rf"{path}: UNFINISHED: round [0-9]+: the record ends without its seal; everything up to "
        r"there is right\n",
        ran.out,
    )


def test_an_old_record_is_one_clear_sentence(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"type":"header","format":1,"game":"warlight","players":["a","b"]}\n')
    ran = arena("verify", str(path))
    assert (ran.status, ran.err) == (1, "")
    assert ran.out.endswith(
        f"has format 1, this arena reads {FORMAT}: verify it with the release that wrote it\n"
    )


DEEP = "[" * 10**5 + "]" * 10**5
CROWD = json.dumps({"players": ["x"] * 10**6}, separators=(",", ":"))[1:-1]


@pytest.mark.parametrize(
    ("at", "old", "new"),
    [
        (0, '"map":null', f'"map":{DEEP}'),
        (0, '"players":["simple","border"]', CROWD),
        (0, '"players":["simple","border"]', '"players":[]'),
        (0, '"game":"warlight"', '"game":"\\u001b[31m\u009b\u202e\u2028"'),
        (0, '"seed":"7"', '"seed":"\u009b\u202e"'),
        (0, '"type":"header"', '"type":"tell"'),
        (-2, '"total_ms":', '"total_ms":1e308,"x":'),
        (-2, '"seat":1', '"seat":7'),
        (-2, '"seat":1', '"seat":-1'),
        (-2, '"seat":1', f'"seat":{10**400}'),
        (-2, '"requests":', f'"requests":{DEEP},"x":'),
        (-1, '"sha256":"', '"sha256":"\u009b'),
    ],
)
def test_whatever_a_stranger_writes_is_one_sentence(
    arena: Arena, tmp_path: Path, at: int, old: str, new: str
) -> None:
    path = tmp_path / "r.jsonl"
    record(arena, path)
    lines = path.read_text().splitlines()
    assert old in lines[at]
    lines[at] = lines[at].replace(old, new, 1)
    path.write_text("\n".join([*lines, ""]))
    ran = arena("verify", str(path))
    assert (ran.status, ran.err) == (1, "")
    assert ran.out.startswith(f"{path}: WRONG: ")
    assert ran.out.count("\n") == 1
    assert ran.out.rstrip("\n").isprintable()
    assert len(ran.out) < 1000


def test_what_is_no_replay(arena: Arena) -> None:
    ran = arena("verify", SIMPLE)
    assert ran.status == 1
    assert "line 1: not a line of a replay" in ran.out


def test_a_file_that_is_not_there_is_wrong_usage(arena: Arena, tmp_path: Path) -> None:
    for name, words in (("none.jsonl", "there is no file "), ("", "is a folder")):
        ran = arena("verify", SIMPLE, str(tmp_path / name))
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.startswith("arena: ")
        assert words in ran.err
        assert ran.err.count("\n") == 1


def test_without_a_replay(arena: Arena) -> None:
    ran = arena("verify")
    assert ran.status == 2
    assert "missing argument" in ran.err


def test_of_a_pipe_the_file_behind_it_is_asked_for(arena: Arena, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "record")
    ran = arena("verify", str(tmp_path / "record"))
    assert ran.status == 2
    assert "is a pipe or a device: name the file itself, which may be compressed (.gz)" in ran.err
