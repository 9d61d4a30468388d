from __future__ import annotations

import pytest

from arena.core.rng import Stream
from tests.experiments.bench.samples import Spread, compare, spread, spreads

pytestmark = pytest.mark.dear


def test_every_number_has_a_spread() -> None:
    samples = [
        {"fast": 3.0, "slow": 30.0},
        {"fast": 1.0, "slow": 50.0},
        {"fast": 2.0, "slow": 10.0},
    ]
    assert spreads(samples) == {"fast": Spread(2, 1, 3, 3), "slow": Spread(30, 10, 50, 3)}


def test_extremes_are_left_out_of_many_samples() -> None:
    assert spread([float(i) for i in range(6)]) == Spread(2.5, 0, 5, 6)
    assert spread([float(i) for i in range(9)]) == Spread(4, 1, 7, 9)
    assert spread([float(i) for i in range(15)]) == Spread(7, 3, 11, 15)


def test_the_interval_holds_the_true_median_in_95_of_100_cases() -> None:
    stream = Stream("samples", "coins")

    def holds() -> bool:
        found = spread([stream.below(1_000_000) / 1_000_000 for _ in range(15)])
        return found.low <= 0.5 <= found.high

    assert 0.95 <= sum(holds() for _ in range(4000)) / 4000 < 0.99


def run(samples: int = 9, **figures: float) -> dict[str, Spread]:
    """A run with these figures, exact within a tenth."""
    return {
        name.replace("__", "."): Spread(value, value * 0.9, value * 1.1, samples)
        for name, value in figures.items()
    }


def verdicts(now: dict[str, Spread], then: dict[str, Spread]) -> dict[str, str]:
    return {one.name: one.verdict for one in compare(now, then)}


def test_less_of_a_cost_is_better_and_more_of_a_rate() -> None:
    then = run(request__floor_ratio=10, rules__tncc__rounds_per_loop=100, proof__rules_ratio=1.5)
    now = run(request__floor_ratio=5, rules__tncc__rounds_per_loop=50, proof__rules_ratio=1.52)
    assert verdicts(now, then) == {
        "request.floor_ratio": "better",
        "rules.tncc.rounds_per_loop": "worse",
        "proof.rules_ratio": "noise",
    }
    assert verdicts(then, now) == {
        "request.floor_ratio": "worse",
        "rules.tncc.rounds_per_loop": "better",
        "proof.rules_ratio": "noise",
    }


def test_times_are_not_compared() -> None:
    then, now = run(request__us=10, start__shell_ms=100), run(request__us=5, start__shell_ms=500)
    assert compare(now, then) == []


def test_a_figure_of_one_run_alone_is_left_out() -> None:
    assert compare(run(request__floor_ratio=5), run(c_request__floor_ratio=5)) == []


@pytest.mark.parametrize(("samples", "verdict"), [(5, "too few samples"), (6, "better")])
def test_few_samples_tell_nothing(samples: int, verdict: str) -> None:
    then = run(samples, request__floor_ratio=10)
    assert verdicts(run(request__floor_ratio=5), then) == {"request.floor_ratio": verdict}
