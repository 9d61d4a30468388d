"""``arena compare --pool``, ``tune``, ``history`` and ``bisect``: what they print and refuse."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import SHELL, SIMPLE, Arena, arena, arena_process
from tests.structure import ROOT

__all__ = ["arena"]

TUNABLE = str(ROOT / "sample_bots" / "warlight" / "tunable")
QUICK = ("--seed", "5", "--set", "max_rounds=2")
POOL = ("--pool", SIMPLE)


@pytest.mark.dear
def test_a_comparison_for_people(arena: Arena, tmp_path: Path) -> None:
    junit, history = tmp_path / "junit.xml", tmp_path / "history.jsonl"
    ran = arena(
        *("compare", "warlight", SIMPLE, SHELL, *POOL, *QUICK, "--games", "8", "--gate"),
        *("--junit", str(junit), "--history", str(history)),
    )
    assert ran.status == 1  # it is not known
    first, *lines = ran.out.splitlines()
    assert first.startswith("warlight, seed 5, 8 games in 2 blocks")
    assert lines[0].startswith("points: simple #1 ")
    assert any(line.startswith("simple #2 ") for line in lines)
    assert "ended because all 8 games were played" in ran.out
    cases = ElementTree.parse(junit).getroot().findall(".//testcase")
    assert [case.get("name") for case in cases] == [
        "border against the pool",
        "against simple #2",
        "no program was stopped",
    ]
    assert [case.find("failure") is None for case in cases] == [False, True, True]
    ran = arena("history", str(history), "--page", str(tmp_path / "page.html"))
    assert ran.status == 0
    assert ran.out.splitlines()[0] == "warlight, 1 comparison; Elo against the first"
    assert "<svg" in (tmp_path / "page.html").read_text()
    document = json.loads(arena("history", str(history), "--json").out)
    assert [one["name"] for one in document["versions"]] == ["simple", "border"]


def test_a_comparison_as_json(arena: Arena) -> None:
    ran = arena("compare", "warlight", SIMPLE, SHELL, *POOL, *QUICK, "--games", "4", "--json")
    assert ran.status == 0
    document = json.loads(ran.out)
    assert (document["old"], document["new"], document["pool"]) == (
        "simple #1", "border", ["simple #2"],
    )  # fmt: skip
    assert document["blocks"] == 1
    assert document["verdict"] == "undecided"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", "warlight", SIMPLE, SHELL, "--run", "x"), "--run is for a pool: add --pool"),
        (("compare", "warlight", SIMPLE, SHELL, "--junit", "x"), "--junit is for a pool"),
        (("compare", "warlight", SIMPLE, SHELL, *POOL, "--normalised"), "a test against a pool"),
        (("compare", "warlight", SIMPLE, SHELL, *POOL, "--key", "x"), "a key is for a cluster"),
        (("compare", "warlight", SIMPLE, SHELL, "--pool", "no.py"), "there is no file or folder"),
        (("tune", "warlight", TUNABLE), "name opponents: --pool BOT"),
        (("tune", "warlight", SIMPLE, *POOL), "simple declares no numbers"),
        (("tune", "warlight", TUNABLE, *POOL, "--games", "9"), "9 games are too few: give at"),
        (("bisect", "warlight", SIMPLE, *POOL), "a search is among versions"),
        (("bisect", "warlight", SIMPLE, SHELL), "name opponents: --pool BOT"),
        (("history", "no.jsonl"), "cannot read no.jsonl"),
        (("history", "x", "--page", "page.txt"), "--page page.txt: name a file that ends in"),
    ],
)
def test_wrong_usage(arena: Arena, words: tuple[str, ...], message: str) -> None:
    ran = arena(*words)
    assert ran.status == 2
    assert ran.err.startswith(f"arena: {message}")


@pytest.mark.dear
def test_a_search_that_finds_nothing(arena: Arena) -> None:
    ran = arena("bisect", "warlight", SIMPLE, SHELL, *POOL, *QUICK, "--games", "4")
    assert ran.status == 0
    first, _, head, *_, last = ran.out.splitlines()
    assert first == f"compared with {SIMPLE}"
    assert head.split() == ["version", "verdict", "Elo", "games"]
    assert last.startswith("It is not known yet which version after")


@pytest.mark.dear
def test_a_killed_tune_goes_on_to_the_same_file(arena: Arena, tmp_path: Path) -> None:
    """With programs, two jobs and SIGKILL at some moments, beside one job without any."""
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    words = ("tune", "warlight", TUNABLE, *POOL, *QUICK, "--games", "256", "--final-games", "16")
    assert arena(*words, "--run", str(whole)).status == 0
    for _ in range(4):
        process = arena_process(*words, "--run", str(parts), "--jobs", "2")
        begun = parts.stat().st_size if parts.exists() else 0
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if parts.exists() and parts.stat().st_size > begun + 1500:
                break
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    assert arena(*words, "--run", str(parts), "--jobs", "2").status == 0
    assert whole.read_bytes() == parts.read_bytes()
