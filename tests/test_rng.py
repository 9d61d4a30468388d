"""The test vectors of the streams, and what a copy is."""

from __future__ import annotations

from arena.rng import Stream


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


def test_a_copy_goes_on_alone() -> None:
    stream = Stream("s", "x")
    stream.below(10)
    twin = stream.copy()
    ahead = [twin.below(1000) for _ in range(5)]
    assert [stream.below(1000) for _ in range(5)] == ahead
