"""``arena compare``: the verdict in words and as JSON, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import SHELL, SIMPLE, Arena, arena

__all__ = ["arena"]

QUICK = ("--seed", "5", "--set", "max_rounds=2", "--games", "4")


@pytest.mark.dear
def test_a_comparison_for_people(arena: Arena) -> None:
    ran = arena("compare", "warlight", SIMPLE, SHELL, *QUICK, "--elo1", "50")
    assert ran.status == 0
    first, *lines = ran.out.splitlines()
    assert first == "warlight, seed 5, 4 games, 2 pairs judged"
    assert lines[0].startswith("pairs with 0, ½, 1, 1½, 2 points for border: ")
    assert "H0: 0, H1: 50 Elo; alpha 0.05, beta 0.05" in ran.out
    assert "ended because all 4 games were played" in ran.out
    assert lines[-1].startswith("It is not known yet whether border is better than simple")


def test_a_comparison_as_json(arena: Arena) -> None:
    ran = arena("compare", "warlight", SIMPLE, SHELL, *QUICK, "--normalised", "--json")
    document = json.loads(ran.out)
    assert (document["baseline"], document["candidate"]) == ("simple", "border")
    assert document["verdict"] == "undecided"
    assert sum(document["pairs"]) == document["estimate"]["pairs"] == 2
    assert document["test"]["normalised"] is True
    assert document["bounds"] == pytest.approx([-2.944, 2.944], abs=0.001)
    assert document["played"] == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((SIMPLE,), "compare is for two bots, not 1: name two"),
        ((SIMPLE, SHELL, "--elo1", "-5"), "elo0=0 and elo1=-5 are not allowed"),
        ((SIMPLE, SHELL, "--alpha", "2"), "alpha=2 and beta=0.05 are not allowed"),
        ((SIMPLE, SHELL, "--games", "5"), "games=5 is not allowed: give an even number"),
        ((), "compare is for two bots, not 0: name two"),
    ],
)
def test_wrong_usage(arena: Arena, words: tuple[str, ...], message: str) -> None:
    ran = arena("compare", "warlight", *words)
    assert ran.status == 2
    assert ran.err.startswith(f"arena: {message}")


def test_faults_are_told(arena: Arena, tmp_path: Path) -> None:
    bot = tmp_path / "sick.py"
    bot.write_text("import sys\nfor line in sys.stdin:\n    if 'pick' in line: 1 / 0\n")
    ran = arena("compare", "warlight", SIMPLE, str(bot), *QUICK)
    assert "faults of sick: " in ran.out
    assert "stopped in 4: crashed" in ran.out
