"""The test vectors of the streams, and what a copy is."""

from __future__ import annotations

import pytest

from arena.core.rng import Stream


def test_below_vector() -> None:
    stream = Stream("1", "setup")
    assert [stream.below(6) for _ in range(10)] == [4, 2, 1, 4, 2, 2, 4, 4, 5, 4]


def test_shuffle_vector() -> None:
    items = list(range(8))
    Stream("1", "setup").shuffle(items)
    assert items == [0, 7, 4, 5, 3, 1, 2, 6]


def test_labels_and_seeds_are_independent() -> None:
    draws = {
        tuple(Stream(seed, label).below(1000) for _ in range(3))
        for seed in "12"
        for label in ("setup", "combat")
    }
    assert len(draws) == 4


def test_permille_and_hits_use_one_draw_each() -> None:
    one, many = Stream("s", "x"), Stream("s", "x")
    assert sum(one.permille(600) for _ in range(1000)) == many.hits(1000, 600)
    assert one.below(10**9) == many.below(10**9)
    assert not any(Stream("s", "x").permille(0) for _ in range(100))
    assert all(Stream("s", "x").permille(1000) for _ in range(100))


@pytest.mark.parametrize(("draw", "p"), [(0.0, 0), (0.6, 600), (0.9995, 999), (0.25, 250)])
def test_per_mille_are_thousandths_and_the_limit_is_left_out(draw: float, p: int) -> None:
    stream = Stream("s", "x")
    stream.unit = lambda: draw
    assert not stream.permille(p)
    assert stream.permille(p + 1)
    assert stream.hits(3, p) == 0
    assert stream.hits(3, p + 1) == 3


def test_below_reaches_both_ends() -> None:
    stream = Stream("s", "x")
    stream.unit = lambda: 0.0
    assert stream.below(7) == 0
    stream.unit = lambda: 1 - 2**-53
    assert stream.below(7) == 6


def test_a_copy_goes_on_alone() -> None:
    stream = Stream("s", "x")
    stream.below(10)
    twin = stream.copy()
    ahead = [twin.below(1000) for _ in range(5)]
    assert [stream.below(1000) for _ in range(5)] == ahead


def test_a_choice_and_a_number_between_are_one_draw_each() -> None:
    one, other = Stream("s", "x"), Stream("s", "x")
    assert [one.choice("abc") for _ in range(50)] == ["abc"[other.below(3)] for _ in range(50)]
    assert [one.between(-2, 4) for _ in range(50)] == [other.below(7) - 2 for _ in range(50)]
    assert one.between(5, 5) == 5
