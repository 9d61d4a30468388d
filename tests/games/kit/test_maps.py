"""Links, hexagons, and what belongs to a seat."""

from __future__ import annotations

from arena.games.kit import around, held, links_text, reachable

NEIGHBORS = ((), (2, 3), (1, 3), (1, 2), (5,), (4,))


def test_links_stand_once_under_the_lower_place() -> None:
    assert links_text(NEIGHBORS) == " 1 2,3 2 3 4 5"
    assert links_text(((),)) == ""


def test_what_can_be_reached() -> None:
    assert reachable(NEIGHBORS, 1) == {1, 2, 3}
    assert reachable(NEIGHBORS, 5) == {4, 5}
    assert reachable(NEIGHBORS, 0) == {0}


def test_six_hexagons_touch_one_and_it_touches_them() -> None:
    near = around((2, -1))
    assert len(set(near)) == 6
    assert all((2, -1) in around(cell) for cell in near)
    assert {(q - 2, r + 1) for q, r in near} == {
        (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)
    }  # fmt: skip


def test_what_a_seat_holds() -> None:
    assert held([0, 1, -1, 0], [5, 6, 7, 8], 0) == [5, 8]
    assert held([0, 1], [5, 6], 2) == []
