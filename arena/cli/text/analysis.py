"""What ``arena analyse`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.cli.text.layout import shortened, styled, table, width
from arena.text import counted, safe
from arena.view.chances import ChanceModel
from arena.workbench.analysis import Analysis, RoundChances, TurningPointReport, WhatIf
from arena.workbench.fitting import Calibration

ROWS = 16
"""Rounds of the table at most."""
ANSWERS = 6
"""Answers of a round that are shown."""
SHOWN = 160
"""Characters of a request or an answer."""


def percent(chance: float) -> str:
    """A chance for people; 0 % and 100 % are said of nothing that may still change."""
    return f"{min(99, max(1, round(100 * chance)))} %"


def analysis_text(found: Analysis, player: int | None = None) -> str:
    """The chances over the match, and the turning points, of one player if that is asked for."""
    seats = range(len(found.players))
    title = f"{safe(found.replay)}: {found.game}, " + " against ".join(map(safe, found.players))
    points = [one for one in found.turning_points if player in (None, one.seat + 1)]
    head = ["round", *(f"player{seat + 1}" for seat in seats)]
    rows = [[str(one.round), *map(percent, one.chances)] for one in _some(found, points)]
    parts = [f"{title}\n\n{table(head, rows, columns=width())}"]
    if not points:
        whose = "" if player is None else f" of player{player}"
        parts.append(f"No turning point{whose}: no single round cost much of the chance.")
    parts += [_point(found, one) for one in points]
    return "\n\n".join(parts)


def _some(found: Analysis, points: Sequence[TurningPointReport]) -> Iterator[RoundChances]:
    """The rounds of the table: some evenly, the first and the last, and those of turning points."""
    every = max(1, -(-len(found.rounds) // ROWS))
    marked = {one.round for one in points} | {one.round - 1 for one in points}
    last = len(found.rounds) - 1
    for i, one in enumerate(found.rounds):
        if i % every == 0 or i == last or one.round in marked:
            yield one


def _point(found: Analysis, one: TurningPointReport) -> str:
    name = f"player{one.seat + 1} ({safe(found.players[one.seat])})"
    chance, forces = (" to ".join(map(percent, pair)) for pair in (one.chances, one.forces))
    head = f"round {one.round}, {name}: chance {chance}, forces {forces}"
    more = len(one.exchanges) - ANSWERS
    said = [
        f"  {_short(asked)}: {'no answer in time' if answer is None else _short(answer)}"
        for asked, answer in one.exchanges[:ANSWERS]
    ] + ([f"  and {more} more"] if more > 0 else [])
    return "\n".join([styled(head, bold=True), *said, f"  {safe(one.rerun)}", f"  {safe(one.cut)}"])


def _short(text: str | None) -> str:
    return shortened(safe(text or "") or "(a blank line)", SHOWN)


def what_if_text(found: WhatIf) -> str:
    """One sentence, and a second one with the chance by the model."""
    rivals = " and ".join(map(safe, dict.fromkeys(found.against)))
    text = (
        f"{safe(found.bot)} as player{found.seat + 1} from round {found.round} on, against "
        f"{rivals}: won {found.won:g} of {counted(found.games, 'match', 'matches')}, score "
        f"{found.score:.2f}"
    )
    return (
        text if found.chance is None else f"{text} (chance by the model: {percent(found.chance)})"
    )


def fit_text(model: ChanceModel, kept: Calibration | None) -> str:
    """The weights, and the calibration on matches that were not fitted to."""
    rows = [[term, f"{weight:.3f}"] for term, weight in model.weights.items()]
    fitted = counted(model.matches, "match", "matches")
    text = f"{model.game}, fitted to {fitted}\n\n{table(['term', 'weight'], rows)}"
    if kept is None:
        return f"{text}\n\nToo few seeds to keep matches for its calibration: give 4 or more."
    bins = [[percent(one.said), percent(one.came), f"{one.weight:.1%}"] for one in kept.bins]
    less = 1 - kept.brier / kept.brier_standing if kept.brier_standing else 0.0
    return (
        f"{text}\n\nOn {counted(kept.matches, 'other match', 'other matches')}: expected "
        f"calibration error {kept.ece:.3f}, Brier score {kept.brier:.3f}\n(the standing share "
        f"alone: {kept.brier_standing:.3f}, {less:.0%} less)\n\n"
        f"{table(['said', 'came', 'of all'], bins)}"
    )
