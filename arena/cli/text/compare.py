"""A comparison of two bots for people."""

from __future__ import annotations

from arena.api.compare import ComparisonReport
from arena.cli.text.layout import styled
from arena.text import counted, safe
from arena.tournament.sprt import Estimate
from arena.tournament.standings import Standing


def compare_text(report: ComparisonReport) -> str:
    """The verdict, why the test ended, and what it rests on."""
    test, found = report.test, report.estimate
    unit = "normalised Elo" if test.normalised else "Elo"
    low, high = report.bounds
    lines = [
        f"{report.game}, seed {report.seed}, {counted(report.played, 'game')}, "
        f"{counted(found.pairs, 'pair')} judged",
        f"pairs with 0, ½, 1, 1½, 2 points for {safe(report.candidate)}: "
        + " ".join(map(str, report.pairs)),
        f"score {found.score:.1%}, {elo_text(found)}; "
        f"better at all with a probability of {found.superiority:.1%}",
        f"LLR {report.llr:.2f} ({low:.2f} to {high:.2f}; H0: {test.elo0:g}, H1: {test.elo1:g} "
        f"{unit}; alpha {test.alpha:g}, beta {test.beta:g})",
        *(line for row in report.standings for line in _faults(row)),
        f"ended because {safe(report.stopped)}",
        "",
        styled(safe(report.sentence), bold=True),
    ]
    if report.void:
        lines.insert(1, f"{report.void} × void: those matches were played again")
    return "\n".join(lines)


def elo_text(found: Estimate) -> str:
    """``+25.6 Elo (95 % interval -0.7 to +52.2)``."""
    if found.elo is None and found.low is None and found.high is None:
        return "Elo unknown"
    middle = "without bound" if found.elo is None else _signed(found.elo)
    low = "no bound" if found.low is None else _signed(found.low)
    high = "no bound" if found.high is None else _signed(found.high)
    return f"Elo {middle} (95 % interval {low} to {high})"


def _signed(elo: float) -> str:
    """With its sign, of which zero has one alone."""
    return f"{round(elo, 1) + 0.0:+.1f}"


def _faults(row: Standing) -> list[str]:
    """What a bot did wrong, and in how many matches its program was ended."""
    parts = [f"{count} × {kind}" for kind, count in row.faults.items()]
    parts += [f"stopped in {count}: {why}" for why, count in row.stopped.items()]
    return [f"faults of {safe(row.name)}: {', '.join(parts)}"] if parts else []
