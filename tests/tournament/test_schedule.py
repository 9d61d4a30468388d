"""Series: rotation and seeds."""

from __future__ import annotations

from arena.tournament.schedule import Pairing, pairing


def schedule(bots: int, games: int) -> list[Pairing]:
    return [pairing("7", bots, game) for game in range(games)]


def test_seats_rotate_on_one_seed() -> None:
    assert schedule(2, 5) == [
        Pairing("7", (0, 1)),
        Pairing("7", (1, 0)),
        Pairing("7.1", (0, 1)),
        Pairing("7.1", (1, 0)),
        Pairing("7.2", (0, 1)),
    ]
    assert [game.order for game in schedule(3, 3)] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
