"""Text for people about comparisons with a pool, tunes, histories and searches, and the lines that
a terminal shows while they run."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from arena.cli.text.layout import styled, table, width
from arena.cli.text.live import REDRAW, progress_bar, rate_text, span_text
from arena.text import counted, safe
from arena.workbench.bisect import BisectReport
from arena.workbench.history import HistoryReport, elo_cell, error_cell
from arena.workbench.junit import JunitCase
from arena.workbench.paired import VersionDifference
from arena.workbench.pool import PoolComparison, PoolPart, PoolReport
from arena.workbench.spsa import NumberProgress
from arena.workbench.tune import Tune, TuneReport

BAR = 41
"""Columns of the line on which a history draws an interval; odd, so that it has a middle."""


def pool_text(report: PoolReport) -> str:
    """The verdict on two versions, why the test ended, and the evidence."""
    test, found = report.test, report.found
    low, high = report.bounds
    lines = [
        f"{report.game}, seed {report.seed}, {counted(report.games, 'game')} in "
        f"{counted(report.blocks, 'block')} (both versions on one seed, from all seats)",
        f"points: {safe(report.old)} {found.old:.1%}, {safe(report.new)} {found.new:.1%}, "
        f"difference {found.difference:+.1%} (95 % interval {found.low:+.1%} to {found.high:+.1%})",
        f"Elo {_elo(found.elo)} (95 % interval {_elo(found.elo_low)} to {_elo(found.elo_high)}); "
        f"better at all with a probability of {found.superiority:.1%}",
        f"LLR {report.llr:.2f} ({low:.2f} to {high:.2f}; H0: {test.elo0:g}, H1: {test.elo1:g} Elo; "
        f"alpha {test.alpha:g}, beta {test.beta:g})",
    ]
    if report.void:
        lines.append(f"{report.void} × void: those matches were played again")
    stopped = [f"{safe(why)} {count} ×" for why, count in report.faults.items()]
    lines += [f"stopped: {', '.join(stopped)}"] if stopped else []
    for kind, parts in (
        ("opponent", report.opponents),
        ("seat", report.seats),
        ("map", report.maps),
    ):
        lines += ["", _parts(kind, parts)] if parts else []
    lines += ["", *_changed(report)] if report.changed else []
    lines += [
        "",
        f"ended because {safe(report.stopped)}",
        "",
        styled(report_sentence(report), bold=True),
    ]
    return "\n".join(lines)


def report_sentence(report: PoolReport) -> str:
    """The verdict in a sentence, with what became worse."""
    worse = [safe(part.name) for part in report.opponents if part.changed == "worse"]
    said = safe(report.sentence)
    return f"{said} Against {', '.join(worse)} it is worse." if worse else said


def _parts(kind: str, parts: Sequence[PoolPart]) -> str:
    rows = [
        [
            safe(part.name),
            str(part.found.blocks),
            f"{part.found.old:.1%}",
            f"{part.found.new:.1%}",
            f"{part.found.difference:+.1%}",
            f"{part.found.low:+.1%} to {part.found.high:+.1%}",
            _elo(part.found.elo),
            part.changed,
        ]
        for part in parts
    ]
    head = (kind, "blocks", "old", "new", "difference", "95 % interval", "Elo", "sure")
    return table(head, rows, columns=width())


def _changed(report: PoolReport) -> list[str]:
    lines = ["changed most:"]
    for block in report.changed:
        met = ", ".join(map(safe, block.opponents))
        lines.append(
            f"  seed {block.seed} against {met}: old {sum(block.old):g} of {len(block.old)}, "
            f"new {sum(block.new):g}"
        )
    return lines


def _elo(elo: float | None) -> str:
    return "without bound" if elo is None else f"{round(elo, 1) + 0.0:+.1f}"


def pool_cases(report: PoolReport) -> list[JunitCase]:
    """The comparison as test cases: the whole, each opponent, and whether the new version kept
    running."""
    whole = "" if report.verdict.value == "better" else report.sentence
    cases = [JunitCase(f"{report.new} against the pool", whole, pool_text(report))]
    for part in report.opponents:
        why = f"worse: {_said(part.found)}" if part.changed == "worse" else ""
        cases.append(JunitCase(f"against {part.name}", why, _said(part.found)))
    new = [f"{why} {count} ×" for why, count in report.faults.items() if why.startswith("new ")]
    return [*cases, JunitCase("no program was stopped", ", ".join(new))]


def _said(found: VersionDifference) -> str:
    return (
        f"difference {found.difference:+.1%} of the points, 95 % interval {found.low:+.1%} to "
        f"{found.high:+.1%}, {counted(found.blocks, 'block')}"
    )


def tune_text(report: TuneReport) -> str:
    """The verdict on a tune, and where each number stands."""
    lines = [
        f"{report.game}, seed {report.seed}, {report.method}, {report.done} of "
        f"{report.iterations} iterations, {counted(report.games, 'game')}",
        "",
        table(
            ("number", "start", "now", "95 % interval", "Elo a step", "±"),
            [_number(one) for one in report.numbers],
            columns=width(),
        ),
        "",
    ]
    stopped = [f"{safe(why)} {count} ×" for why, count in report.faults.items()]
    lines += [f"stopped: {', '.join(stopped)}", ""] if stopped else []
    if report.final is not None:
        lines += [
            "the start (old) against the tuned (new), on fresh seeds:",
            pool_text(report.final),
            "",
        ]
    else:
        lines += [f"ended because {safe(report.stopped)}", ""]
    lines.append(styled(safe(report.sentence), bold=True))
    if report.toml:
        lines += ["", "for bot.toml:", report.toml]
    return "\n".join(lines)


def _number(one: NumberProgress) -> list[str]:
    effect = "" if one.elo_per_step is None else f"{one.elo_per_step:+.2f}"
    error = "" if one.elo_error is None else f"{one.elo_error:.2f}"
    values = (f"{one.start:.6g}", f"{one.value:.4g}", f"{one.low:.4g} to {one.high:.4g}")
    return [one.name, *values, effect, error]


def history_text(report: HistoryReport) -> str:
    """The strength of each version, with its interval drawn."""
    known = [one for one in report.versions if one.elo is not None]
    ends = [(one.elo or 0.0) + side * one.error for one in known for side in (-1, 1)]
    low, high = min(*ends, -1.0), max(*ends, 1.0)
    rows = [
        [
            safe(one.name),
            elo_cell(one),
            error_cell(one),
            one.verdict,
            "" if one.elo is None else _drawn(one.elo, one.error, low, high),
        ]
        for one in report.versions
    ]
    lines = [
        f"{report.game}, {counted(report.comparisons, 'comparison')}; Elo against the first",
        "",
        _flush_left(table(("version", "Elo", "±", "verdict", ""), rows)),
        *[f"note: {safe(note)}" for note in report.notes],
    ]
    return "\n".join(lines)


def _flush_left(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _drawn(elo: float, error: float, low: float, high: float) -> str:
    """An interval on a line from `low` to `high`, on which 0 is marked."""

    def place(value: float) -> int:
        return round((value - low) / (high - low) * (BAR - 1))

    line = [" "] * BAR
    for at in range(place(elo - error), place(elo + error) + 1):
        line[at] = "─"
    line[place(0.0)] = "│"
    line[place(elo)] = "●"
    return "".join(line)


def bisect_text(report: BisectReport) -> str:
    """The questions and their answers."""
    rows = [
        [
            safe(report.versions[step.version]),
            "worse"
            if step.verdict.value == "better"
            else step.verdict.value.replace("better", "worse"),
            _elo(None if step.elo is None else -step.elo),
            str(step.games),
        ]
        for step in report.steps
    ]
    head = ("version", "verdict", "Elo", "games")
    return (
        f"compared with {safe(report.versions[0])}\n\n{table(head, rows, columns=width())}\n\n"
        f"{styled(safe(report.sentence), bold=True)}"
    )


# While it runs.


@contextmanager
def pooled(comparison: PoolComparison, quiet: bool) -> Iterator[Callable[[], None]]:
    """A line on a comparison: the ratio between its bounds, the difference so far."""

    def standing() -> tuple[int, int, str]:
        low, high = comparison.test.bounds
        found = comparison.tally.estimate()
        ratio = f"LLR {comparison.llr:.2f} ({low:.2f} to {high:.2f}), {_elo(found.elo)} Elo"
        return comparison.played, comparison.games, ratio

    with game_line(standing, quiet) as advance:
        yield advance


@contextmanager
def tuning(tune: Tune, quiet: bool) -> Iterator[Callable[[], None]]:
    """A line on a tune: where each number stands, with its interval."""

    def standing() -> tuple[int, int, str]:
        if (final := tune.final) is not None:
            low, high = final.test.bounds
            ratio = f"start against tuned: LLR {final.llr:.2f} ({low:.2f} to {high:.2f})"
            return final.played, final.games, ratio
        numbers = ", ".join(
            f"{one.name} {one.value:.4g} ± {(one.high - one.low) / 2:.2g}"
            for one in tune.method.progress()
        )
        games = tune.games_of_a_block
        return tune.done * games, tune.iterations * games, numbers

    with game_line(standing, quiet) as advance:
        yield advance


@contextmanager
def game_line(
    standing: Callable[[], tuple[int, int, str]], quiet: bool
) -> Iterator[Callable[[], None]]:
    """A line on matches, drawn by a terminal alone: `standing` says how many were played, of how
    many, and how it stands. Yields what to call after each."""
    if quiet or not sys.stderr or not sys.stderr.isatty():
        yield lambda: None
        return
    with progress_bar() as progress:
        first, total, text = standing()
        task = progress.add_task("game", total=total, completed=first, standing=text)
        began, drawn = time.monotonic(), 0.0

        def advance() -> None:
            nonlocal drawn
            if (now := time.monotonic()) - drawn < REDRAW:
                return
            drawn = now
            played, total, text = standing()
            rate = max(played - first, 1) / max(now - began, 1e-6)
            left = span_text((total - played) / rate)
            progress.update(
                task,
                completed=played,
                total=total,
                standing=f"{rate_text(rate)}, {left} at most, {text}",
            )
            progress.refresh()

        yield advance
