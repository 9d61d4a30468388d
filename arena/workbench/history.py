"""The strength of a bot over its versions, from a file to which each comparison adds one line.

Each comparison tells the difference of two versions with an error. Strengths are the weighted least
squares of all of them, with the first version at 0: so a chain of comparisons adds up, its errors
too, and a version that was compared with several others uses all of these.
"""

from __future__ import annotations

import fcntl
import html
import math
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.errors import UsageError, disk_fault
from arena.text import distinct, printable
from arena.tournament.algebra import add_gap, dot, inverse, zeros
from arena.tournament.ratings import Z
from arena.workbench.pool import PoolComparison, bot_label

LEAST_ERROR = 0.1
"""Smallest standard error of a comparison, in Elo."""


class VersionLabel(Struct, frozen=True):
    """A version of a bot."""

    name: str
    command: str
    """The word on the command line."""
    address: str
    """The address of its content; empty for a quoted command, which has none."""

    @property
    def key(self) -> str:
        """What tells it from other versions."""
        return self.address or self.command


class HistoryEntry(Struct, frozen=True):
    """One line of a history: one comparison."""

    when: str
    game: str
    old: VersionLabel
    new: VersionLabel
    pool: list[VersionLabel]
    seed: str
    blocks: int
    games: int
    verdict: str
    elo: float | None
    low: float | None
    high: float | None
    """How much better the new version is, with its 95 % interval; null without a bound."""


class Strength(Struct, frozen=True):
    """One version's strength."""

    name: str
    command: str
    address: str
    elo: float | None
    """Against the first version; null if no comparison leads there."""
    error: float
    """Half of its 95 % interval."""
    compared: int
    """Comparisons in which the version took part."""
    verdict: str
    """The verdict of the comparison that brought the version in; empty for the first."""


class HistoryReport(Struct, frozen=True):
    """What `arena history --json` prints."""

    game: str
    versions: list[Strength]
    comparisons: int
    notes: list[str]
    """Which comparisons could not be used, and why."""


def entry_of(comparison: PoolComparison) -> HistoryEntry:
    """The line of a comparison."""
    report, found = comparison.report(), comparison.tally.estimate()
    old, new, *pool = [
        VersionLabel(**bot_label(entrant))
        for entrant in (*comparison.versions, *comparison.matches.pool)
    ]
    return HistoryEntry(
        when=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        game=report.game,
        old=old,
        new=new,
        pool=pool,
        seed=report.seed,
        blocks=report.blocks,
        games=report.games,
        verdict=report.verdict.value,
        elo=found.elo,
        low=found.elo_low,
        high=found.elo_high,
    )


def append_to_history(path: Path, entry: HistoryEntry) -> None:
    """Add a line, in one step, whoever else writes. Raises DiskFull or ArenaFault."""
    try:
        with path.open("a+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)
            end = file.seek(0, os.SEEK_END)
            if end:
                file.seek(end - 1)
            cut_short = bool(end) and file.read(1) != b"\n"
            file.write(b"\n" * cut_short + msgspec.json.encode(entry) + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise disk_fault(error, f"cannot write {path}: {error.strerror}") from error


def read_history(path: Path, *, may_be_absent: bool = False) -> list[HistoryEntry]:
    """The lines of a history, without one that was cut short. Raises UsageError."""
    if may_be_absent and not path.exists():
        return []
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is no plain file: name another")
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}: name another file") from None
    found = []
    for number, line in enumerate(lines, 1):
        try:
            if line:
                found.append(msgspec.json.decode(line, type=HistoryEntry))
        except msgspec.ValidationError as error:
            raise UsageError(f"{path} is no history (line {number}: {error})") from None
        except (msgspec.DecodeError, UnicodeDecodeError):
            if not found and number == 1:
                raise UsageError(f"{path} is no history: name another file") from None
    if not found:
        raise UsageError(f"{path} is empty: arena compare --pool --history {path} adds to it")
    return found


def history(entries: Sequence[HistoryEntry], game: str | None = None) -> HistoryReport:
    """The strength of all versions, in the order in which they came. Raises UsageError when there
    are comparisons of several games and none is named."""
    games = sorted({entry.game for entry in entries})
    if game is None and len(games) > 1:
        raise UsageError(f"the history is of {', '.join(games)}: choose one with --game")
    chosen = [entry for entry in entries if entry.game == (game or games[0])]
    if not chosen:
        raise UsageError(f"the history has no comparison in {game}: it has {', '.join(games)}")
    versions = {entry.old.key: entry.old for entry in chosen[:1]}
    for entry in chosen:
        versions.setdefault(entry.old.key, entry.old)
        versions.setdefault(entry.new.key, entry.new)
    keys = list(versions)
    edges, notes = [], []
    for entry in chosen:
        pair = keys.index(entry.old.key), keys.index(entry.new.key)
        if entry.elo is None or entry.low is None or entry.high is None:
            notes.append(f"{entry.new.name} against {entry.old.name} has no bound: left out")
        elif pair[0] != pair[1]:
            error = max((entry.high - entry.low) / 2 / Z, LEAST_ERROR)
            edges.append((*pair, entry.elo, error))
    found = strengths(len(keys), edges)
    names = distinct([version.name for version in versions.values()])
    return HistoryReport(
        game=chosen[0].game,
        versions=[
            Strength(
                name=name,
                command=version.command,
                address=version.address,
                elo=None if elo is None else round(elo, 6) + 0.0,
                error=Z * error,
                compared=sum(key in (entry.old.key, entry.new.key) for entry in chosen),
                verdict=next((one.verdict for one in chosen if one.new.key == key), "")
                if number
                else "",
            )
            for number, (key, version, name, (elo, error)) in enumerate(
                zip(keys, versions.values(), names, found, strict=True)
            )
        ],
        comparisons=len(chosen),
        notes=notes,
    )


def strengths(
    versions: int, edges: Sequence[tuple[int, int, float, float]]
) -> list[tuple[float | None, float]]:
    """The Elo of each version against the first, with its standard error, from differences: old
    version, new version, Elo, standard error. None where none leads to the first."""
    linked = {0}
    while True:
        new = {b for a, b, *_ in edges if a in linked} | {a for a, b, *_ in edges if b in linked}
        if new <= linked:
            break
        linked |= new
    places = {version: place for place, version in enumerate(sorted(linked - {0}))}
    size = len(places)
    whole, right = zeros(size + 1), [0.0] * (size + 1)
    for old, new_, elo, error in edges:
        if old in linked:
            i, j = places.get(old, size), places.get(new_, size)
            add_gap(whole, (i, j), 1 / error**2)
            right[i] -= elo / error**2
            right[j] += elo / error**2
    covariance = inverse([row[:size] for row in whole[:size]])  # without the first, which is 0
    found: list[tuple[float | None, float]] = []
    for version in range(versions):
        if version == 0:
            found.append((0.0, 0.0))
        elif version not in places:
            found.append((None, 0.0))
        else:
            row = covariance[places[version]]
            found.append((dot(row, right), math.sqrt(row[places[version]])))
    return found


# The page: one curve with error bars, and a table.

WIDTH, HEIGHT, MARGIN = 860, 320, 48
STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:900px;margin:2rem auto;padding:0 1rem;
color:#222;background:#fff}
table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right;
border-bottom:1px solid #ccc}td:first-child,th:first-child{text-align:left}
svg{width:100%;height:auto}svg text{font-size:12px;fill:currentColor}
.line{fill:none;stroke:#06c;stroke-width:2}.bar{stroke:#06c}.dot{fill:#06c}.grid{stroke:#ccc}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}td,th{border-color:#444}
.grid{stroke:#444}.line,.bar{stroke:#6bf}.dot{fill:#6bf}}
"""


def history_page(report: HistoryReport) -> str:
    """The history as a page that needs nothing else."""
    title = f"Strength over versions: {html.escape(report.game)}"
    rows = "\n".join(
        f"<tr><td>{_escaped(one.name)}</td><td>{elo_cell(one)}</td><td>{error_cell(one)}</td>"
        f"<td>{html.escape(one.verdict)}</td><td>{_escaped(one.command)}</td></tr>"
        for one in report.versions
    )
    notes = "".join(f"<p>{_escaped(note)}</p>" for note in report.notes)
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{STYLE}</style>\n<h1>{title}</h1>\n"
        f"<p>Elo against the first version, with 95 % intervals, from {report.comparisons} "
        f"comparisons.</p>\n{_svg(report)}\n"
        "<table><tr><th>version</th><th>Elo</th><th>±</th><th>verdict</th><th>file</th></tr>\n"
        f"{rows}\n</table>{notes}</html>\n"
    )


def elo_cell(one: Strength) -> str:
    """``+12.3``; a dash where it is unknown."""
    return "-" if one.elo is None else f"{round(one.elo, 1) + 0.0:+.1f}"


def error_cell(one: Strength) -> str:
    """Half of the interval; empty for the first version."""
    return "" if one.elo is None or not one.error else f"{one.error:.1f}"


def _escaped(text: str) -> str:
    return html.escape(printable(text))


def _svg(report: HistoryReport) -> str:
    known = [(i, one) for i, one in enumerate(report.versions) if one.elo is not None]
    ends = [(one.elo or 0.0) + side * one.error for _, one in known for side in (-1, 1)]
    low, high = min(*ends, -10.0), max(*ends, 10.0)
    last = max(len(report.versions) - 1, 1)

    def x(i: int) -> float:
        return round(MARGIN + i * (WIDTH - 2 * MARGIN) / last, 1)

    def y(elo: float) -> float:
        return round(MARGIN + (high - elo) * (HEIGHT - 2 * MARGIN) / (high - low), 1)

    parts = [f'<line class="grid" x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{y(0)}" y2="{y(0)}"/>']
    parts += [f'<text x="4" y="{y(elo)}">{elo:+.0f}</text>' for elo in (low, 0.0, high)]
    points = " ".join(f"{x(i)},{y(one.elo or 0.0)}" for i, one in known)
    parts.append(f'<polyline class="line" points="{points}"/>')
    for i, one in known:
        elo = one.elo or 0.0
        top, foot = y(elo + one.error), y(elo - one.error)
        parts.append(f'<line class="bar" x1="{x(i)}" x2="{x(i)}" y1="{top}" y2="{foot}"/>')
        label = f"{_escaped(one.name)}: {elo_cell(one)} ± {one.error:.1f}"
        parts.append(
            f'<circle class="dot" cx="{x(i)}" cy="{y(elo)}" r="4"><title>{label}</title></circle>'
        )
        parts.append(
            f'<text x="{x(i)}" y="{HEIGHT - 12}" text-anchor="middle">{_escaped(one.name)}</text>'
        )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Strength over versions">{"".join(parts)}</svg>'
    )
