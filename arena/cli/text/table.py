"""The table of an event for people: standings, ratings, and who did how against whom."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from arena.cli.text.layout import table, width
from arena.games.kit.wire import points_text
from arena.text import safe
from arena.tournament.standings import Standing, Table

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


def table_text(found: Table) -> list[str]:
    """Two bots with their scores; more of them by rating, and below it each against each."""
    if len(found.standings) < 3:
        rows = [[*_counts(row), f"{row.low:.1%} to {row.high:.1%}"] for row in found.standings]
        return [table(("bot", *COUNTED, "95 % interval"), rows, 1, width()), "", *WORDS]
    ranked = sorted(found.standings, key=lambda row: (row.rank, row.bot))
    words = [*RATED_WORDS, *map(safe, found.notes)]
    notes = [line for one in words for line in textwrap.wrap(one, width() or 100)]
    lines = [_rated(ranked), "", *notes]
    return [*lines, "", "ahead-level-behind:", _crosstable(found, ranked)]


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


def _crosstable(found: Table, ranked: Sequence[Standing]) -> str:
    cells = {
        (cell.bot, cell.rival): f"{cell.ahead}-{cell.level}-{cell.behind}"
        for cell in found.crosstable
    }
    head = ("", "bot", *(str(at) for at in range(1, len(ranked) + 1)))
    rows = [
        [str(at), safe(row.name), *(cells.get((row.bot, rival.bot), "-") for rival in ranked)]
        for at, row in enumerate(ranked, 1)
    ]
    return table(head, rows, 2, width())
