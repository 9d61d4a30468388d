"""The cost of a round grows linearly with the map: eight times the map, about eight times the CPU
time. The bound leaves room for a busy machine with shared caches; quadratic growth (64 times) is
far beyond it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from arena.core.game import Setup
from arena.core.registry import find_game
from arena.core.rng import Stream
from arena.core.settings import parse
from arena.core.steps import Ask
from arena.core.table import Table
from tests.experiments.bench.rules import collect_answers

pytestmark = pytest.mark.alone

ROUNDS = 12
SIZES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "warlight": (
        {"min_supers": 12, "max_supers": 12, "max_rounds": ROUNDS},
        {"min_supers": 96, "max_supers": 96, "max_rounds": ROUNDS},
    ),
    "hextrategic": ({"radius": 5, "max_rounds": ROUNDS}, {"radius": 15, "max_rounds": ROUNDS}),
}
"""For each game two settings: the second map is eight times the first."""


def seconds_a_round(name: str, values: dict[str, Any]) -> float:
    """The best of several matches through the table alone, set-up left out."""
    game, stream = find_game(name), Stream("scaling", "answers")
    setup = Setup("scaling", 2, parse(game.settings, values))

    def random_answer(table: Table[Any], ask: Ask) -> str:
        return game.random_answer(table.world, ask, stream)

    answers = collect_answers(Table(game, setup), random_answer)
    best = float("inf")
    for _ in range(5):
        table = Table(game, setup)
        start = time.thread_time()
        for replies in answers:
            table.answer_all(replies)
            table.take()
        best = min(best, time.thread_time() - start)
    return best / ROUNDS


@pytest.mark.parametrize("name", SIZES)
def test_cost_is_linear_in_the_size_of_the_map(name: str) -> None:
    small, large = SIZES[name]
    ratio = seconds_a_round(name, large) / seconds_a_round(name, small)
    assert ratio < 8 * 2.5
