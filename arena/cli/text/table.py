"""The table of an event for people: standings, ratings, and who did how against whom."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from arena.cli.text.layout import table, width
from arena.games.kit.wire import points_text
from arena.text import safe
from arena.tournament.standings import Cell, ResultTable, Standing

COUNTED = ("games", "wins", "draws", "losses", "points", "score")
WORDS = [
    "points: what the rules gave, added up",
    "score: opponents beaten; a tie is half",
]
RATED_WORDS = [
    *WORDS,
    "Elo: as in arena compare, D more give the share 1 / (1 + 10^(-D/400)) of the points; the mean "
    "of all bots is 0",
    "±: half of the 95 % interval, against the mean of all; games on one seed count as one",
    "ranks: those that a bot may truly have, with a confidence of 95 %",
]


def table_text(found: ResultTable) -> list[str]:
    """Two bots with their scores; more of them by rating, and below it each against each."""
    if len(found.standings) < 3:
        rows = [[*_counts(row), f"{row.low:.1%} to {row.high:.1%}"] for row in found.standings]
        return [table(("bot", *COUNTED, "95 % interval"), rows, 1, width()), "", *WORDS]
    ranked = sorted(found.standings, key=lambda row: (row.rank, row.bot))
    words = [*RATED_WORDS, *map(safe, found.notes)]
    notes = [line for one in words for line in textwrap.wrap(one, width() or 100)]
    lines = [_rated(ranked), "", *notes]
    return [*lines, "", *_crosstable(found, ranked)]


def _counts(row: Standing) -> list[str]:
    counts = map(str, (row.games, row.wins, row.draws, row.losses))
    return [safe(row.name), *counts, points_text(row.points), f"{row.score:.1%}"]


def _rated(ranked: Sequence[Standing]) -> str:
    head = ("", "bot", *COUNTED, "Elo", "±", "ranks", "stopped")
    rows = [
        [
            str(row.rank),
            *_counts(row),
            f"{round(row.elo)}",  # there is no -0
            f"{row.error:.0f}",
            ranks_text(row),
            ", ".join(f"{count} {why}" for why, count in sorted(row.stopped.items())) or "-",
        ]
        for row in ranked
    ]
    return table(head, rows, 2, width())


def ranks_text(row: Standing) -> str:
    """The ranks that a bot may truly have."""
    return f"{row.best}" if row.best == row.worst else f"{row.best}-{row.worst}"


def _crosstable(found: ResultTable, ranked: Sequence[Standing]) -> list[str]:
    """Each against each, in as many words as there is room for."""
    cells = {(cell.bot, cell.rival): cell for cell in found.crosstable}
    lines = list[str]()
    for title, text in CELLS.items():
        rows = [
            [str(at), safe(row.name), *(_cell(cells.get((row.bot, by.bot)), text) for by in ranked)]
            for at, row in enumerate(ranked, 1)
        ]
        heads = _heads(len(ranked), upright=text is not _tenths)
        lines = [title, *_columns([*heads, *rows])]
        if max(map(len, lines[1:])) <= (width() or WIDE):
            break
    return lines


def _heads(bots: int, *, upright: bool) -> list[list[str]]:
    """The numbers of the columns; where these are one character wide, one digit below the other."""
    numbers = [str(at) for at in range(1, bots + 1)]
    if upright:
        return [["", "bot", *numbers]]
    digits = len(str(bots))
    lines = [[number.rjust(digits)[place].strip() for number in numbers] for place in range(digits)]
    return [["", "bot" if place == digits - 1 else "", *line] for place, line in enumerate(lines)]


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table whose names are flush left; its cells are as close as they may be."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    gap = " " if max(widths[2:]) < len("0-0-0") else "  "
    return [
        gap.join([
            *(cell.ljust(wide) for cell, wide in zip(row[:2], widths[:2], strict=True)),
            *(cell.rjust(wide) for cell, wide in zip(row[2:], widths[2:], strict=True)),
        ]).rstrip()
        for row in rows
    ]  # fmt: skip


def _cell(cell: Cell | None, text: Callable[[Cell], str]) -> str:
    return "-" if cell is None else text(cell)


def _in_full(cell: Cell) -> str:
    return f"{cell.ahead}-{cell.level}-{cell.behind}"


def _percent(cell: Cell) -> str:
    return f"{cell.score:.0%}".rstrip("%")


def _tenths(cell: Cell) -> str:
    """One character: ``0`` is less than a tenth, ``5`` from a half, and ``X`` all."""
    return "X" if cell.score == 1 else str(int(cell.score * 10))


WIDE = 120
"""Columns of a crosstable that is not for a terminal."""
CELLS: dict[str, Callable[[Cell], str]] = {
    "ahead-level-behind:": _in_full,
    "per cent of the points of these two:": _percent,
    "tenths of the points of these two, X for all:": _tenths,
}
"""What a crosstable may say of two bots, the most telling first."""
