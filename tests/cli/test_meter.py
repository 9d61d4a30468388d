"""``arena play --meter instructions``, and what is said when it cannot be."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.bots.wasm import command as wasm
from arena.record.verify import verify
from tests.bots.wasm.modules import bot, save
from tests.cli.conftest import SIMPLE, Arena

METER = ("--meter", "instructions")
SHORT = ("--set", "num_turns=3", "--seed", "1")


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A bot that answers No moves."""
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    return save(bot(), tmp_path / "my.wasm")


def test_a_match(arena: Arena, module: str, tmp_path: Path) -> None:
    replay = tmp_path / "r.jsonl"
    options = (*METER, *SHORT, "--replay", str(replay), "--json")
    document = json.loads(arena("play", "codecharacter", module, module, *options).out)
    assert document["players"][0]["instructions"] == document["players"][1]["instructions"]
    assert document["players"][0]["instructions"]["total"] > 0
    header = json.loads(replay.read_text().partition("\n")[0])
    assert header["settings"]["turn_limit"] == 10_000_000
    assert header["settings"]["game_limit"] == 30_000_000
    assert "settings turn_limit 10000000" in replay.read_text()
    assert verify(replay).ok
    assert '"counted_by":"wasmtime ' in replay.read_text()  # counts belong to a release of it


def test_the_table_and_own_limits(arena: Arena, module: str) -> None:
    limits = ("--set", "turn_limit=5000", "--set", "game_limit=1000000")
    ran = arena("play", "codecharacter", module, module, *METER, *SHORT, *limits)
    assert ran.status == 0
    assert re.search(r"instructions +most +fate", ran.out)
    assert "first in round 1: the answer to 'go action' took " in ran.out


@pytest.mark.dear
def test_a_series_in_worker_processes(arena: Arena, module: str) -> None:
    options = (*METER, *SHORT, "--games", "2", "--jobs", "2", "--json")
    document = json.loads(arena("play", "codecharacter", module, module, *options).out)
    first, second = document["matches"]
    assert first["players"][0]["instructions"] == second["players"][0]["instructions"]


def test_on_the_clock_webassembly_plays_any_game(arena: Arena, module: str) -> None:
    ran = arena("play", "hextrategic", module, module, "--set", "max_rounds=3", "--json")
    document = json.loads(ran.out)
    assert [player["faults"] for player in document["players"]] == [{}, {}]
    assert document["players"][0]["instructions"] is None


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ("warlight", SIMPLE, SIMPLE, *METER),
            "warlight counts time only: leave out --meter instructions",
        ),
        (
            ("codecharacter", SIMPLE, SIMPLE, *METER),
            f"the instructions of {SIMPLE} cannot be counted: --meter instructions needs "
            "WebAssembly: compile it for wasm32-wasip1 and name the .wasm file",
        ),
        (
            ("codecharacter", "MODULE", "MODULE", *METER, "--set", "turn_limit=bank"),
            "with --meter instructions turn_limit must be a number of instructions: change or omit "
            "it",
        ),
        (
            ("codecharacter", "MODULE", "MODULE", "--set", "turn_limit=1000000"),
            "turn_limit is given in instructions: add --meter instructions",
        ),
        (
            ("codecharacter", "MODULE", "MODULE", *METER, "--set", "game_limit=3"),
            "game_limit=3 is not allowed with turn_limit=10000000: give a whole number from "
            "10000000 to 1000000000000",
        ),
    ],
)
def test_wrong_usage(arena: Arena, words: tuple[str, ...], error: str, module: str) -> None:
    ran = arena("play", *(module if word == "MODULE" else word for word in words))
    assert (ran.status, ran.out, ran.err) == (2, "", f"arena: {error}\n")


@pytest.mark.dear
def test_check(arena: Arena, module: str) -> None:
    turns = ("--set", "num_turns=3")
    ran = arena("check", "codecharacter", module, *turns, *METER)
    assert ran.status == 0
    assert re.search(r"answers requests: 6 of 6, the slowest after \d+ instructions\n", ran.out)
    ran = arena("check", "codecharacter", module, *turns, *METER, "--set", "turn_limit=1000")
    assert ran.status == 1
    assert re.search(
        r"FAILED +it computes too much: its answer to 'go action .* took 3,001", ran.out
    )
    assert "→ compute less for an answer; arena games codecharacter shows the limits" in ran.out
    ran = arena("check", "codecharacter", SIMPLE, *METER)
    assert (ran.status, ran.out) == (2, "")
    assert f"the instructions of {SIMPLE} cannot be counted" in ran.err


def test_without_wasmtime(arena: Arena, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wasm, "library", lambda: None)
    ran = arena("play", "codecharacter", module, module, *METER)
    assert (ran.status, ran.err) == (
        2,
        "arena: --meter instructions needs the library wasmtime: pip install '.[wasm]'\n",
    )
    ran = arena("play", "codecharacter", module, module)
    assert (ran.status, ran.err) == (
        3,
        "arena: cannot run my.wasm: wasmtime is not installed: pip install '.[wasm]'\n",
    )


def test_a_file_that_is_no_module(arena: Arena, module: str) -> None:
    Path(module).write_bytes(b"\0asm\1\0\0\0\xff")
    ran = arena("play", "codecharacter", module, module)
    assert ran.status == 3
    assert "cannot compile my.wasm" in ran.err
    assert "arena: failed to parse WebAssembly module" in ran.err
