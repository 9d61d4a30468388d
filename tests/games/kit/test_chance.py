"""Streams by name: each world draws as if it had them alone."""

from __future__ import annotations

from arena.core.rng import Stream
from arena.games.kit import Streams


def draws(streams: Streams, name: str = "die") -> list[int]:
    return [streams[name].below(1000) for _ in range(5)]


def plain(count: int = 10) -> list[int]:
    stream = Stream("s", "die")
    return [stream.below(1000) for _ in range(count)]


def test_names_are_labels_of_the_seed() -> None:
    streams = Streams("s")
    streams["other"].below(9)
    assert draws(streams) + draws(streams) == plain()


def test_a_copy_and_its_original_draw_alike_each_for_itself() -> None:
    made = Streams("s")
    first = draws(made)
    twin = made.copy()
    third = twin.copy()
    assert first + draws(twin) == first + draws(made) == first + draws(third) == plain()


def test_copies_share_until_they_draw() -> None:
    made = Streams("s")
    stream = made["die"]
    twin = made.copy()
    assert made["die"] is not stream
    assert made["die"] is made["die"]
    assert twin["die"] is not stream


def test_a_stream_can_be_put_in() -> None:
    made = Streams("s", die=Stream("t", "x"))
    twin = made.copy()
    twin["die"] = said = Stream("u", "y")
    assert twin["die"] is said
    assert made["die"].below(10**6) == Stream("t", "x").below(10**6)
