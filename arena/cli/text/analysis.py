"""What ``arena analyse`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.cli.text.layout import shortened, styled, table, width
from arena.text import counted, safe
from arena.view.chances import LEAST, ChanceModel
from arena.workbench.analysis import (
    Analysis,
    RoundChances,
    SeatFault,
    TurningPointReport,
    WhatIf,
)
from arena.workbench.fitting import Calibration

ROWS = 16
"""Rounds of the table at most."""
ANSWERS_SHOWN = 6
"""Answers of a round that are shown."""
SHOWN = 160
"""Characters of a request or an answer."""
KNOWS = (
    "Chances and forces are of the whole board, not of what the player knew of it: before you call "
    "an\nanswer wrong, look at what arena view shows of that round with the player's eyes."
)
"""Whose knowledge it is."""


def percent(chance: float) -> str:
    """A chance for people; 0 % and 100 % are said of nothing that may still change."""
    return f"{min(99, max(1, round(100 * chance)))} %"


def analysis_text(found: Analysis, player: int | None = None) -> str:
    """How the match ended, the chances over it, and the turning points, of one player if that is
    asked for."""
    title = f"{safe(found.replay)}: {found.game}, " + " against ".join(map(safe, found.players))
    end = "The record ends before the match does." if found.end is None else safe(found.end)
    faults = [one for one in found.faults if player in (None, one.seat + 1)]
    points = [one for one in found.turning_points if player in (None, one.seat + 1)]
    parts = ["\n".join([title, end, *_faults(found, faults)])]
    if found.rounds:
        head = ["round", *(f"player{seat + 1}" for seat in range(len(found.players)))]
        rows = [[str(one.round), *map(percent, one.chances)] for one in _some(found, points)]
        parts.append(table(head, rows, columns=width()))
    parts += [_point(found, one) for one in points]
    return "\n\n".join([*parts, KNOWS if points else _nothing(found, player)])


def _faults(found: Analysis, faults: Sequence[SeatFault]) -> Iterator[str]:
    """A line for each program that was stopped, and one for the other faults of each seat."""
    others = dict[int, list[SeatFault]]()
    for one in faults:
        if one.stopped:
            when = f"{_name(found, one.seat)} was stopped in round {one.round}"
            yield styled(f"{when}: {one.code}, {_short(one.detail)}", bold=True)
        else:
            others.setdefault(one.seat, []).append(one)
    for seat, kinds in others.items():
        counts = ", ".join(f"{one.count} × {one.code}" for one in kinds)
        first = min(kinds, key=lambda one: one.round)
        yield (
            f"{_name(found, seat)} made faults: {counts}; the first in round {first.round}: "
            f"{_short(first.detail)}"
        )


def _name(found: Analysis, seat: int) -> str:
    return f"player{seat + 1} ({safe(found.players[seat])})"


def _nothing(found: Analysis, player: int | None) -> str:
    """Why there is no turning point."""
    if not found.rounds:
        return (
            f"{found.game} has no model of chances, so no round can be named.\narena analyse "
            "--fit can make one of many records, if the game has points that tell who is ahead."
        )
    if len(found.rounds) == 1:
        return "No turning point: no round was played to its end."
    whose, cost = "" if player is None else f" of player{player}", round(100 * LEAST)
    return (
        f"No turning point{whose}: no player's answers cost it {cost} percentage points of its "
        "chance for good."
    )


def _some(found: Analysis, points: Sequence[TurningPointReport]) -> Iterator[RoundChances]:
    """The rounds of the table: some evenly, the first and the last, and those of turning points."""
    every = max(1, -(-len(found.rounds) // ROWS))
    marked = {number for one in points for number in (one.round - 1, one.round, one.last)}
    last = len(found.rounds) - 1
    for i, one in enumerate(found.rounds):
        if i % every == 0 or i == last or one.round in marked:
            yield one


def _point(found: Analysis, one: TurningPointReport) -> str:
    chance, forces = (" to ".join(map(percent, pair)) for pair in (one.chances, one.forces))
    is_long = one.last > one.round
    when = f"rounds {one.round} to {one.last}" if is_long else f"round {one.round}"
    head = f"{when}, {_name(found, one.seat)}: chance {chance}, forces {forces}"
    if one.regained is not None:
        head += f", won back in round {one.regained}"
    more = len(one.exchanges) - ANSWERS_SHOWN
    said = [
        f"  {_short(asked)}: {'no answer in time' if answer is None else _short(answer)}"
        for asked, answer in one.exchanges[:ANSWERS_SHOWN]
    ] + ([f"  and {more} more"] if more > 0 else [])
    began = [f"  It began in round {one.round}:"] if is_long else []
    lines = [styled(head, bold=True), *began, *said, f"  {safe(one.rerun)}", f"  {safe(one.cut)}"]
    return "\n".join(lines)


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
    if found.chance is not None:
        text += f" (chance by the model: {percent(found.chance)})"
    if found.distinct == found.games:
        return text
    return f"{text}\n{_equal(found)}"


def _equal(found: WhatIf) -> str:
    """What is said where matches are the same."""
    if found.distinct == 1:
        return (
            f"All {found.games} matches are the same one, and tell no more than one does: the bots "
            "draw no chance of their own"
        )
    return f"Only {found.distinct} of them differ from each other"


def fit_text(model: ChanceModel, kept: Calibration | None) -> str:
    """The weights, and the calibration on matches that were not fitted to."""
    rows = [[term, f"{weight:.3f}"] for term, weight in model.weights.items()]
    fitted = counted(model.matches, "match", "matches")
    text = f"{model.game}, fitted to {fitted}\n\n{table(['term', 'weight'], rows)}"
    if kept is None:
        return f"{text}\n\nToo few seeds to tell its calibration: give 4 or more."
    bins = [[percent(one.said), percent(one.came), f"{one.weight:.1%}"] for one in kept.bins]
    less = 1 - kept.brier / kept.brier_standing if kept.brier_standing else 0.0
    return (
        f"{text}\n\nOn these matches, by models of other seeds of them: expected "
        f"calibration error {kept.ece:.3f}, Brier score {kept.brier:.3f}\n(the standing share "
        f"alone: {kept.brier_standing:.3f}, {less:.0%} less)\n\n"
        f"{table(['said', 'came', 'of all'], bins)}"
    )
