"""Linear algebra for the ratings of a few hundred bots: symmetric positive definite matrices, as
lists of rows. (200 bots take a second; numpy would be a dependency for this alone.)"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul
from typing import TypeAlias

Matrix: TypeAlias = list[list[float]]


def zeros(size: int) -> Matrix:
    """A square of zeros."""
    return [[0.0] * size for _ in range(size)]


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    """Their inner product, as long as the shorter one."""
    return float(sum(map(mul, one, other)))


def times(one: Matrix, other: Matrix) -> Matrix:
    """The product of two matrices, of which the second is symmetric."""
    return [[dot(row, column) for column in other] for row in one]


def sandwich(bread: Matrix, middle: Matrix) -> Matrix:
    """bread·middle·bread, of symmetric matrices; so half of it is computed."""
    open_one = times(bread, middle)
    return mirrored([[dot(row, bread[j]) for j in range(i + 1)] for i, row in enumerate(open_one)])


def mirrored(lower: Matrix) -> Matrix:
    """A symmetric matrix, of its lower triangle."""
    size = range(len(lower))
    return [row + [lower[j][i] for j in size[i + 1 :]] for i, row in enumerate(lower)]


def cholesky(matrix: Matrix) -> Matrix:
    """The lower triangle L with L·Lᵀ = matrix, its rows cut off behind the diagonal."""
    lower: Matrix = []
    for i, given in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((given[j] - dot(row, lower[j])) / lower[j][j])
        row.append(math.sqrt(given[i] - dot(row, row)))
        lower.append(row)
    return lower


def solve(lower: Matrix, right: Sequence[float]) -> list[float]:
    """The x of matrix·x = right, for the matrix of which `lower` is the triangle."""
    found: list[float] = []
    for row, value in zip(lower, right, strict=True):
        found.append((value - dot(row, found)) / row[-1])
    for i in reversed(range(len(lower))):
        found[i] /= lower[i][i]
        for j in range(i):
            found[j] -= lower[i][j] * found[i]
    return found


def inverse(matrix: Matrix) -> Matrix:
    """The inverse: L⁻¹ by columns, and then its product with itself."""
    lower = cholesky(matrix)
    size = len(lower)
    rows: Matrix = []  # of L⁻¹, each cut off behind the diagonal
    columns: Matrix = [[] for _ in range(size)]
    for i, row in enumerate(lower):
        inverted = [-dot(row[j:i], columns[j]) / row[i] for j in range(i)] + [1 / row[i]]
        for j, value in enumerate(inverted):
            columns[j].append(value)
        rows.append(inverted)
    return mirrored(
        [[dot(columns[i], columns[j][i - j :]) for j in range(i + 1)] for i in range(size)]
    )
