"""``arena verify`` on recorded matches of Warlight."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import SHELL, SIMPLE, Arena


def record(arena: Arena, path: Path) -> None:
    arena("play", "warlight", SIMPLE, SHELL, "--seed", "7", "--replay", str(path))


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
    lines[place] = json.dumps(answer)
    return "\n".join(lines) + "\n"


def test_the_document(arena: Arena, tmp_path: Path) -> None:
    record(arena, tmp_path / "r.jsonl")
    (document,) = json.loads(arena("verify", str(tmp_path / "r.jsonl"), "--json").out)
    assert document["ok"] is True
    assert document["problem"] == ""
    assert document["rounds"] > 3


def test_what_is_no_replay(arena: Arena, tmp_path: Path) -> None:
    ran = arena("verify", SIMPLE, str(tmp_path / "none.jsonl"))
    assert ran.status == 1
    first, second = ran.out.splitlines()
    assert "line 1: no record of a replay" in first
    assert "No such file" in second


def test_without_a_replay(arena: Arena) -> None:
    ran = arena("verify")
    assert ran.status == 2
    assert "missing argument" in ran.err
