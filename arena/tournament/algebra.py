"""The algebra of the fit: vectors over bots, pairs and groups, and symmetric matrices over bots.

The fit is written once, in the words of `Algebra`. `PlainAlgebra` is Python alone, which is all
that dozens of bots need: 60 take a tenth of a second. Its steps grow as the cube of the bots, so
200 take seconds and 1,000 minutes. From `MANY_BOTS` on `NumpyAlgebra` does the same where numpy is
installed (the extra `large`), with the same numbers but for the last digits of a float.
"""

from __future__ import annotations

import math
import operator
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from operator import mul
from typing import Any, Protocol, TypeAlias

MANY_BOTS = 80
"""Bots from which numpy is imported for a fit: the import takes as long as that of 80 in Python."""
Matrix: TypeAlias = list[list[float]]
"""A square matrix in plain Python: its rows."""
Numbers: TypeAlias = Any
"""A vector of the algebra. It has +, -, *, / with others of its length and with numbers; the sum()
of its values; and [] with a vector of indices."""
Square: TypeAlias = Any
"""A symmetric matrix of the algebra."""
Gaps: TypeAlias = tuple[Numbers, Numbers, Numbers]
"""The first and the second indices of some pairs, and their weights."""


class Algebra(Protocol):
    """What a fit computes with, beside the arithmetic of `Numbers`."""

    def vector(self, values: Sequence[float]) -> Numbers:
        """These values; indices if they are whole numbers."""

    def whole(self, values: Numbers) -> array[int]:
        """Whole numbers as an array."""

    def totals(self, at: Numbers, values: Numbers, size: int) -> Numbers:
        """The sum of the values for each index below `size`."""

    def share(self, gaps: Numbers) -> Numbers:
        """1 / (1 + exp(-gap)) of each."""

    def laplacian(self, diagonal: Numbers, terms: Iterable[Gaps]) -> Square:
        """A diagonal matrix plus the sum over pairs of a weight times the square of the difference
        of two entries."""

    def solution(self, matrix: Square, right: Numbers) -> Numbers:
        """The solution of matrix·x = right, for a positive definite matrix."""

    def inverse(self, matrix: Square) -> Square:
        """The inverse of a positive definite matrix."""

    def sandwich(self, bread: Square, middle: Square, scale: float) -> Sequence[Sequence[float]]:
        """The rows of bread·middle·bread, a covariance, of variables against their mean; times
        `scale`. The matrices may be overwritten."""


@cache
def has_numpy() -> bool:
    """Whether numpy can be imported."""
    return find_spec("numpy") is not None


def algebra_for(bots: int) -> Algebra:
    """The quicker one for a fit of this many bots."""
    return NumpyAlgebra() if bots >= MANY_BOTS and has_numpy() else PlainAlgebra()


# -- plain Python ----------------------------------------------------------------------------------


class Vector:
    """Numbers with arithmetic by element."""

    __slots__ = ("values",)

    def __init__(self, values: Iterable[float]) -> None:
        self.values = list(values)

    def __iter__(self) -> Iterator[float]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: Vector) -> Vector:
        return Vector(map(self.values.__getitem__, at))  # type: ignore[arg-type]  # indices

    def sum(self) -> float:
        """The sum of the values."""
        return sum(self.values)

    def _with(self, other: Vector | float, work: Callable[[float, float], float]) -> Vector:
        if isinstance(other, Vector):
            return Vector(map(work, self.values, other.values))
        return Vector([work(value, other) for value in self.values])

    def __add__(self, other: Vector | float) -> Vector:
        return self._with(other, operator.add)

    def __sub__(self, other: Vector | float) -> Vector:
        return self._with(other, operator.sub)

    def __mul__(self, other: Vector | float) -> Vector:
        return self._with(other, operator.mul)

    def __truediv__(self, other: Vector | float) -> Vector:
        return self._with(other, operator.truediv)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: float) -> Vector:
        return Vector([other - value for value in self.values])


class PlainAlgebra:
    """Vectors are of the class `Vector`, and matrices are lists of rows."""

    def vector(self, values: Sequence[float]) -> Vector:
        """See Algebra."""
        return Vector(values)

    def whole(self, values: Vector) -> array[int]:
        """See Algebra."""
        return array("i", map(int, values))

    def totals(self, at: Vector, values: Vector, size: int) -> Vector:
        """See Algebra."""
        found = [0.0] * size
        for index, value in zip(at, values, strict=True):
            found[index] += value  # type: ignore[call-overload]  # an index
        return Vector(found)

    def share(self, gaps: Vector) -> Vector:
        """See Algebra."""
        return Vector([1 / (1 + math.exp(-gap)) for gap in gaps])

    def laplacian(self, diagonal: Vector, terms: Iterable[Gaps]) -> Matrix:
        """See Algebra."""
        matrix = zeros(len(diagonal))
        for i, value in enumerate(diagonal):
            matrix[i][i] = value
        for columns in terms:
            for i, j, weight in zip(*columns, strict=True):
                add_gap(matrix, (i, j), weight)
        return matrix

    def solution(self, matrix: Matrix, right: Vector) -> Vector:
        """See Algebra."""
        return Vector(solve(cholesky(matrix), right.values))

    def inverse(self, matrix: Matrix) -> Matrix:
        """See Algebra."""
        return inverse(matrix)

    def sandwich(self, bread: Matrix, middle: Matrix, scale: float) -> Matrix:
        """See Algebra."""
        means = [sum(row) / len(bread) for row in bread]
        bread = [list(map(operator.sub, column, means)) for column in bread]
        left = [[scale * value for value in row] for row in times(bread, middle)]
        return mirrored([[dot(row, bread[j]) for j in range(i + 1)] for i, row in enumerate(left)])


def zeros(size: int) -> Matrix:
    """A square matrix of zeros."""
    return [[0.0] * size for _ in range(size)]


def add_gap(to: Matrix, pair: tuple[int, int], value: float) -> None:
    """Add a term in the difference of two ratings to a matrix."""
    i, j = pair
    to[i][i] += value
    to[j][j] += value
    to[i][j] -= value
    to[j][i] -= value


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    """The inner product, over the length of the shorter vector."""
    return float(sum(map(mul, one, other)))


def times(one: Matrix, other: Matrix) -> Matrix:
    """The product of two matrices; the second must be symmetric."""
    return [[dot(row, column) for column in other] for row in one]


def mirrored(lower: Matrix) -> Matrix:
    """The symmetric matrix with the given lower triangle."""
    size = range(len(lower))
    return [row + [lower[j][i] for j in size[i + 1 :]] for i, row in enumerate(lower)]


def cholesky(matrix: Matrix) -> Matrix:
    """The lower triangle L with L·Lᵀ = matrix; rows end at the diagonal."""
    lower: Matrix = []
    for i, given in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((given[j] - dot(row, lower[j])) / lower[j][j])
        row.append(math.sqrt(given[i] - dot(row, row)))
        lower.append(row)
    return lower


def solve(lower: Matrix, right: Sequence[float]) -> list[float]:
    """Solve matrix·x = right, where `lower` is the Cholesky factor of the matrix."""
    found: list[float] = []
    for row, value in zip(lower, right, strict=True):
        found.append((value - dot(row, found)) / row[-1])
    for i in reversed(range(len(lower))):
        found[i] /= lower[i][i]
        for j in range(i):
            found[j] -= lower[i][j] * found[i]
    return found


def inverse(matrix: Matrix) -> Matrix:
    """The inverse, L⁻ᵀ·L⁻¹."""
    lower = cholesky(matrix)
    size = len(lower)
    rows: Matrix = []  # of L⁻¹, each ending at the diagonal
    columns: Matrix = [[] for _ in range(size)]
    for i, row in enumerate(lower):
        inverted = [-dot(row[j:i], columns[j]) / row[i] for j in range(i)] + [1 / row[i]]
        for j, value in enumerate(inverted):
            columns[j].append(value)
        rows.append(inverted)
    return mirrored(
        [[dot(columns[i], columns[j][i - j :]) for j in range(i + 1)] for i in range(size)]
    )


# -- numpy -----------------------------------------------------------------------------------------


class NumpyAlgebra:
    """Vectors and matrices are arrays of numpy."""

    def __init__(self) -> None:
        import numpy

        self._numpy = numpy

    def vector(self, values: Sequence[float]) -> Numbers:
        """See Algebra."""
        return self._numpy.asarray(values)

    def whole(self, values: Numbers) -> array[int]:
        """See Algebra."""
        return array("i", values.astype(self._numpy.int32).tobytes())

    def totals(self, at: Numbers, values: Numbers, size: int) -> Numbers:
        """See Algebra."""
        return self._numpy.bincount(at, weights=values, minlength=size)

    def share(self, gaps: Numbers) -> Numbers:
        """See Algebra."""
        found = self._numpy.negative(gaps)  # in place, for a million pairs at a time
        self._numpy.exp(found, out=found)
        found += 1
        return self._numpy.reciprocal(found, out=found)

    def laplacian(self, diagonal: Numbers, terms: Iterable[Gaps]) -> Square:
        """See Algebra."""
        size = len(diagonal)
        matrix = self._numpy.zeros((size, size))
        entries = matrix.reshape(-1)
        for one, other, weights in terms:
            self._numpy.subtract.at(entries, one * size + other, weights)
        matrix += matrix.T
        self._numpy.fill_diagonal(matrix, diagonal - matrix.sum(axis=0))
        return matrix

    def solution(self, matrix: Square, right: Numbers) -> Numbers:
        """See Algebra."""
        return self._numpy.linalg.solve(matrix, right)

    def inverse(self, matrix: Square) -> Square:
        """See Algebra."""
        return self._numpy.linalg.inv(matrix)

    def sandwich(self, bread: Square, middle: Square, scale: float) -> Sequence[Sequence[float]]:
        """See Algebra."""
        bread -= bread.mean(axis=0)
        left = bread @ middle
        left *= scale / 2
        found = self._numpy.matmul(left, bread.T, out=middle)
        return [memoryview(row) for row in self._numpy.add(found, found.T, out=left)]
