"""Solving and inverting by Cholesky's triangle."""

from __future__ import annotations

import pytest

from arena.tournament.algebra import cholesky, dot, inverse, solve, times, zeros

MATRIX = [[4.0, 2.0, 0.6], [2.0, 5.0, 1.0], [0.6, 1.0, 3.0]]


def test_the_triangle_times_itself_is_the_matrix() -> None:
    lower = cholesky(MATRIX)
    for row, expected in zip(lower, MATRIX, strict=True):
        assert [dot(row, other) for other in lower] == pytest.approx(expected)


def test_a_solution_solves() -> None:
    found = solve(cholesky(MATRIX), [1.0, 2.0, 3.0])
    assert [dot(row, found) for row in MATRIX] == pytest.approx([1.0, 2.0, 3.0])


def test_the_inverse_inverts() -> None:
    for at, row in enumerate(times(MATRIX, inverse(MATRIX))):
        expected = zeros(3)[at]
        expected[at] = 1.0
        assert row == pytest.approx(expected, abs=1e-12)
