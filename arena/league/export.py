"""Export of a league: matches and table as CSV, everything as JSON, the table as an HTML page."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from msgspec import Struct

from arena.league.league import League
from arena.league.table import LeagueTable, table_in_columns
from arena.league.types import BotAccount, LeagueTerms, MatchResult
from arena.tournament.standings import Cell, Crosstable, ResultTable, Standing

FORMULA = re.compile(r"(?:^|(?<=;))(?=[-=+@\t\r＝＋－＠])")
"""The start of a cell that a spreadsheet would evaluate, also if it splits cells at semicolons."""


class ExportedMatch(Struct, frozen=True):
    """A match with a result."""

    match: int
    event: str
    round: int
    seed: str
    bots: list[str]
    """The names, by seat."""
    result: MatchResult


class Export(Struct, frozen=True):
    """What `arena league export --json` prints."""

    terms: LeagueTerms
    bots: list[BotAccount]
    table: LeagueTable
    matches: list[ExportedMatch]


def export(league: League) -> tuple[Export, Crosstable]:
    """The export without `matches` and the cells of the crosstable, which may not fit in memory;
    and the crosstable. Records are never included."""
    table, crosstable = table_in_columns(league)
    return Export(league.terms, league.account().bots, table, []), crosstable


def matches(league: League) -> Iterator[ExportedMatch]:
    """Yield every match that has a result."""
    names: dict[str, str] = dict(league.store.all("SELECT bot, name FROM submission"))
    for one in league.results():
        fixture, bots = one.fixture, [names[bot] for bot in one.fixture.seats]
        yield ExportedMatch(
            match=fixture.number,
            event=fixture.event,
            round=fixture.round + 1,
            seed=fixture.seed,
            bots=bots,
            result=one.result,
        )


CSV_HEAD = (
    *("match", "event", "round", "seed", "rounds", "reason", "digest", "player", "bot"),
    *("rank", "points", "fate", "stopped", "faults"),
)


def csv_text(league: League) -> Iterator[str]:
    """The matches as CSV: the header, then a line per match and player; some lines at a time."""
    yield csv_line(CSV_HEAD)
    left = _csv_rows(league)
    while some := list(islice(left, LINES_AT_ONCE)):
        yield csv_lines(some)


LINES_AT_ONCE = 100
"""Lines of CSV that are written at once, which takes half the time of one by one."""


def _csv_rows(league: League) -> Iterator[tuple[object, ...]]:
    for one in matches(league):
        result = one.result
        match = (one.match, one.event, one.round, one.seed, result.rounds, result.reason)
        for seat, (bot, own) in enumerate(zip(one.bots, result.seats, strict=True), 1):
            seat_cells = own.rank, own.points, own.fate, own.stopped or "", _counts(own.faults)
            yield (*match, result.digest, f"player{seat}", bot, *seat_cells)


TABLE_HEAD = (
    *("rank", "bot", "matches", "wins", "draws", "losses", "points", "score", "elo", "error"),
    *("best_rank", "worst_rank", "stopped", "faults"),
)


def table_csv(table: ResultTable) -> str:
    """The standings as CSV: the header, then a line per bot."""
    lines = [
        csv_line((
            *(row.rank, row.name, row.games, row.wins, row.draws, row.losses, row.points),
            *(round(row.score, 6), round(row.elo, 2), round(row.error, 2), row.best, row.worst),
            *(_counts(row.stopped), _counts(row.faults)),
        ))
        for row in sorted(table.standings, key=lambda row: (row.rank, row.bot))
    ]  # fmt: skip
    return "".join([csv_line(TABLE_HEAD), *lines])


def _counts(counts: Mapping[str, int]) -> str:
    return " ".join(f"{name}={count}" for name, count in counts.items())


def csv_line(cells: Iterable[object]) -> str:
    """A line of CSV, in which no cell is a formula for a spreadsheet."""
    return csv_lines([cells])


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """Lines of CSV, in which no cell is a formula for a spreadsheet."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([_unlike_formula(cell) for cell in cells] for cells in rows)
    return file.getvalue()


def _unlike_formula(value: object) -> object:
    """Escape text that a spreadsheet would take for a formula."""
    return FORMULA.sub("'", value) if isinstance(value, str) else value


PAGE_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 16px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: {wide}; padding: 0 1em }}
p {{ max-width: 45em; overflow-wrap: anywhere }}
table {{ border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto }}
th, td {{ border: 1px solid #8888; padding: .2em .6em; text-align: right; white-space: nowrap }}
"""
"""How a page of a league begins, to the end of the styles that all have; a template of `title` and
`wide`, its largest width."""
_PAGE = (
    PAGE_HEAD
    + """\
td:nth-child(2), th:nth-child(2) {{ text-align: left }}
.cross {{ font-size: .8em; max-height: 90vh; overflow: auto }}
.cross th, .cross td {{ padding: .1em .35em }}
.cross th {{ position: sticky; top: 0; background: Canvas; z-index: 1 }}
.cross td:nth-child(2) {{ position: sticky; left: 0; background: Canvas }}
.cross [style] {{ background: color-mix(in srgb, #1a7f37 calc(var(--score) * 1%), #b3261e);
  color: #fff }}
</style></head><body>
<h1>{title}</h1>
<p>{matches} matches, league seed {seed}, digest {digest}</p>
<h2>Table</h2>
{standings}
<p>Elo: who has D more is expected to get the share 1 / (1 + 10^(-D/400)) of the points, with a
draw as half; the mean of all bots is 0. ±: half of the 95 % interval.
Ranks: those that a bot may truly have, with a confidence of 95 %.</p>
{notes}
<h2>Each against each</h2>
<p>Per cent of the points of these two; point at one for how often the bot finished ahead of its
rival, level with it and behind it.</p>
"""
)


def html_text(league: League) -> Iterator[str]:
    """The parts of a page with the table and the crosstable, each some whole lines. The page loads
    and runs nothing."""
    found, crosstable = table_in_columns(league)
    yield _PAGE.format(
        wide="70em",
        title=html.escape(f"{league.path.stem}: {found.game}"),
        matches=found.table.games,
        seed=html.escape(str(found.seed)),
        digest=found.digest,
        standings=_standings(found),
        notes="\n".join(f"<p>{html.escape(_sentence(note))}</p>" for note in found.table.notes),
    )
    yield from _crosstable(found.table, crosstable)
    yield "</body></html>\n"


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."


def _standings(found: LeagueTable) -> str:
    head = (
        "",
        "bot",
        "matches",
        "wins",
        "draws",
        "losses",
        "points",
        "score",
        "Elo",
        "±",
        "ranks",
        "stopped",
    )
    rows = [
        [
            *(row.rank, row.name, row.games, row.wins, row.draws, row.losses, f"{row.points:g}"),
            *(f"{row.score:.1%}", round(row.elo), round(row.error)),
            f"{row.best}" if row.best == row.worst else f"{row.best}-{row.worst}",
            ", ".join(f"{count} {why}" for why, count in sorted(row.stopped.items())),
        ]
        for row in sorted(found.table.standings, key=lambda row: (row.rank, row.bot))
    ]
    return html_table(head, rows)


def _crosstable(found: ResultTable, crosstable: Crosstable) -> Iterator[str]:
    """The crosstable: a coloured number per pair of bots, so that fifty bots fit on a screen."""
    ranked = sorted(found.standings, key=lambda row: (row.rank, row.bot))
    heads = (f'<th title="{html.escape(row.name)}">{at}</th>' for at, row in enumerate(ranked, 1))
    yield f'<table class="cross">\n<tr><th></th><th>bot</th>{"".join(heads)}</tr>\n'
    for at, row in enumerate(ranked, 1):
        cells = {cell.rival: cell for cell in crosstable.row(row.bot)}
        line = "".join(_cell(cells.get(rival.bot), row, rival) for rival in ranked)
        yield f"<tr><td>{at}</td><td>{html.escape(row.name)}</td>{line}</tr>\n"
    yield "</table>\n"


def _cell(cell: Cell | None, bot: Standing, rival: Standing) -> str:
    if cell is None:
        return "<td></td>"
    score = round(100 * cell.score)
    both = html.escape(f"{bot.name} against {rival.name}")
    counts = f"{cell.ahead}-{cell.level}-{cell.behind}"
    return f'<td style="--score:{score}" title="{both}: {counts}">{score}</td>'


def html_table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A table of HTML; the text of cells is escaped."""
    lines = [_row("th", head), *(_row("td", row) for row in rows)]
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _row(kind: str, cells: Iterable[object]) -> str:
    return "<tr>" + "".join(f"<{kind}>{html.escape(str(one))}</{kind}>" for one in cells) + "</tr>"
