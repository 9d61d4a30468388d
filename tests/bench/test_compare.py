from __future__ import annotations

from msgspec.structs import replace

from arena.bench.compare import compare
from arena.bench.measure import Bench
from arena.bench.samples import Spread
from tests.guide.test_speed import example


def run(**figures: float) -> Bench:
    """A run with these figures, each from nine samples and exact within a tenth."""
    spreads = {
        name.replace("__", "."): Spread(value, value * 0.9, value * 1.1, 9)
        for name, value in figures.items()
    }
    return replace(example(), spreads=spreads)


def verdicts(now: Bench, then: Bench) -> dict[str, str]:
    return {one.name: one.verdict for one in compare(now, then)}


def test_less_of_a_cost_is_better_and_more_of_a_rate() -> None:
    then = run(request__floor_ratio=10, ten_orders__rounds_per_loop=100, jobs__ratio=1.5)
    now = run(request__floor_ratio=5, ten_orders__rounds_per_loop=50, jobs__ratio=1.52)
    assert verdicts(now, then) == {
        "request.floor_ratio": "better",
        "ten_orders.rounds_per_loop": "worse",
        "jobs.ratio": "noise",
    }
    assert compare(now, then)[0].ratio == 0.5


def test_times_are_not_compared() -> None:
    then, now = run(request__us=10, start__shell_ms=100), run(request__us=5, start__shell_ms=500)
    assert compare(now, then) == []


def test_a_figure_of_one_run_alone_is_left_out() -> None:
    assert compare(run(request__floor_ratio=5), run(c_request__floor_ratio=5)) == []


def test_few_samples_tell_nothing() -> None:
    then = replace(example(), spreads={"request.floor_ratio": Spread(10, 9, 11, 3)})
    assert verdicts(run(request__floor_ratio=5), then) == {"request.floor_ratio": "too few samples"}
