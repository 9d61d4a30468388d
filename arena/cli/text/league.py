"""A league for people: its table, its bots, one match."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from arena.bots.program import BotProgram
from arena.cli.text import submission
from arena.cli.text.layout import say, styled, table, width
from arena.cli.text.live import REDRAW, progress_bar, rate_text, span_text
from arena.cli.text.table import MOST_CROSSED, play_command, table_text
from arena.errors import ReplayError
from arena.league.audit import AuditProgress
from arena.league.league import League
from arena.league.meta import (
    BOT_HEAD,
    CYCLE_HEAD,
    LIKE_HEAD,
    SEAT_HEAD,
    LeagueField,
    bot_rows,
    cycle_rows,
    cyclic_sentence,
    like_rows,
    like_sentence,
    maps_sentence,
    seat_rows,
)
from arena.league.table import LeagueTable, league_table
from arena.league.types import (
    BotAccount,
    LeagueAccount,
    MatchAccount,
    MatchResult,
    PlannedMatch,
    VoidAccount,
    spec_of,
)
from arena.players.entrant import programs
from arena.record.format import PlayerTotals
from arena.record.reader import Match
from arena.text import counted, milliseconds, safe, size_text

if TYPE_CHECKING:  # what judges imports Trio, which no reader of a league needs
    from rich.progress import Progress as Bar

    from arena.league.bots import LeagueSubmission
    from arena.league.judge import Judge, Progress


def submission_text(found: LeagueSubmission, file: Path | None) -> str:
    """What became of a bot that was handed in to the league in `file` (None: to a site); of a
    refused one, all that its author needs, and what its organiser may do."""
    if found.report is None:
        return f"{safe(found.name)}: plays already, unchanged"
    if found.ok:
        passed = f"{safe(found.name)}: {styled('passed', fg='green')}, plays from now on"
        return "\n".join([passed, *submission.warnings(found.report)])
    refused = f"{safe(found.name)}: {styled('refused', fg='red')}"
    lines = [refused, submission.text(found.report)]
    if found.may_be_admitted and file is not None:
        admit = shlex.join(["arena", "league", "admit", str(file), found.name])
        lines.append(f'the organiser can still admit it: {safe(admit)} --reason "…"')
    return "\n".join(lines)


def submissions_text(found: Sequence[LeagueSubmission], left: Sequence[str] = ()) -> str:
    """What became of all that were handed in, in one line; those in `left` were not tested."""
    text = f"{sum(one.ok for one in found)} of {len(found) + len(left)} play"
    if refused := [safe(one.name) for one in found if not one.ok]:
        text += f"; refused: {', '.join(refused)}"
    if left:
        text += f"; not tested, so hand them in again: {shlex.join(map(safe, left))}"
    return text


def league_text(found: LeagueTable) -> str:
    """The table, and what stands for it."""
    matches = counted(found.table.games, "match", "matches")
    head = f"{found.game}, league seed {safe(str(found.seed))}, {matches}"
    if found.pending:
        head += f", {found.pending} planned without a result"
    if found.void:
        head += f", {found.void} × void"
    if not found.table.standings:
        return f"{head}\n\nno bot plays yet"
    return "\n".join([head, "", *table_text(found.table), "", f"digest {found.digest}"])


MOST_ROWS = 10
"""Cycles, and pairs of bots that answer alike, that are listed; --json has all."""


def field_text(found: LeagueField) -> str:
    """The field as a whole: cycles, the mixture that no bot beats, seats and maps."""
    field = found.field
    matches = counted(field.games, "match", "matches")
    lines = [
        f"{found.game}, league seed {safe(str(found.seed))}, {matches} in "
        f"{counted(field.blocks, 'block')}, {counted(field.pairs, 'pair')}",
        "",
        cyclic_sentence(field),
    ]
    cycles = cycle_rows(field)
    if cycles:
        lines += ["", _field_table(CYCLE_HEAD, cycles[:MOST_ROWS])]
    if len(cycles) > MOST_ROWS:
        lines.append(f"and {len(cycles) - MOST_ROWS} more: --json has all")
    lines += ["", _field_table(BOT_HEAD, bot_rows(field))]
    if field.seats:
        lines += ["", _field_table(SEAT_HEAD, seat_rows(field), left=2)]
    lines += ["", maps_sentence(field)] if field.maps else []
    if found.likeness:
        rows = like_rows(found.likeness)
        lines += ["", like_sentence(found.likeness), ""]
        lines.append(_field_table(LIKE_HEAD, rows[:MOST_ROWS], left=2))
        if len(rows) > MOST_ROWS:
            lines.append(f"and {len(rows) - MOST_ROWS} more: --json has all")
    lines += ["", *map(safe, field.notes)] if field.notes else []
    return "\n".join([*lines, "", f"digest {found.digest}"])


def _field_table(head: tuple[str, ...], rows: list[tuple[str, ...]], left: int = 1) -> str:
    return table(head, [tuple(map(safe, row)) for row in rows], left, width())


def account_text(found: LeagueAccount) -> str:
    """The bots that were handed in."""
    head = ("bot", "version", "content", "state", "why")
    rows = [
        [safe(one.name), str(one.version), one.content[:12], one.state, _why(one)]
        for one in found.bots
    ]
    listed = table(head, rows, 5, width()) if rows else "no bot has been handed in yet"
    played = counted(found.played, "match", "matches")
    return f"{found.game}, {played} played, {found.pending} planned\n\n{listed}"


def _why(bot: BotAccount) -> str:
    """The reasons of the organiser."""
    reasons = {"admitted": bot.admitted, "withdrawn": bot.withdrawn}
    return "; ".join(
        safe(f"{deed}: {why}" if why else deed).replace("\n", " ")
        for deed, why in reasons.items()
        if why is not None
    )


def match_text(found: MatchAccount) -> str:
    """One match: what became of it, where its record lies, how to play it again."""
    names = " against ".join(safe(seat.name) for seat in found.seats)
    seed = "" if found.seed is None else f"seed {found.seed}, "
    lines = [f"match {found.match}: {names}, {seed}{found.event} round {found.round}"]
    lines += [_void(one) for one in found.voids]
    if found.result is None:
        return "\n".join([*lines, "not played yet"])
    lines += ["", safe(found.result.sentence), "", _seats(found), ""]
    lines += [*_record(found, found.result), ""]
    lines += ["to play it again, to the same digest, which that prints:", f"  {found.command}"]
    return "\n".join(lines)


def _void(one: VoidAccount) -> str:
    if one.record is None:
        return f"void, attempt {one.attempt}: {safe(one.reason)}"
    return f"annulled, attempt {one.attempt}: {safe(one.reason)} (its record: {one.record})"


def _record(found: MatchAccount, result: MatchResult) -> list[str]:
    """Where the record lies, and what stands for it."""
    record = shlex.quote(str(found.record))
    return [
        f"record {found.record}",
        f"seal   {result.seal} (of this record alone)",
        f"digest {result.digest} (of the conversation)",
        "",
        "to look at it, to prove it:",
        f"  arena view {record}",
        f"  arena verify {record}",
    ]


def _seats(found: MatchAccount) -> str:
    rows = [
        [
            f"player{number}",
            safe(seat.name),
            str(result.rank),
            f"{result.points:g}",
            result.fate,
            safe(result.detail) or "-",
            ", ".join(f"{count} {code}" for code, count in result.faults.items()) or "-",
            *_used(totals),
        ]
        for number, (seat, result, totals) in enumerate(
            zip(found.seats, found.result.seats if found.result else (), found.totals, strict=True),
            1,
        )
    ]
    head = ("", "bot", "rank", "points", "fate", "stopped", "faults")
    return table((*head, "time", "slowest", "cpu", "memory"), rows, 2, width())


def _used(totals: PlayerTotals | None) -> list[str]:
    """What a bot used, as far as its record tells."""
    if totals is None:
        return ["-"] * 4
    times = totals.total_ms, totals.max_ms, totals.cpu_ms
    memory = totals.peak_memory
    return [*map(milliseconds, times), size_text(memory) if memory else "-"]


def repeat_command(league: League, fixture: PlannedMatch) -> str:
    """The command that plays a match of a league again, with the league's copies of the bots, and
    their names in its record: the digest covers them."""
    try:
        names = Match.ending(league.record(fixture.number)).players
    except ReplayError:  # not played, or its record has gone
        names = tuple(map(league.seat_name, fixture.seats))
    bots = [
        BotProgram(name=name, argv=(), cwd=None, files=None, command=str(league.copy_of(bot)[2]))
        for name, bot in zip(names, fixture.seats, strict=True)
    ]
    spec = replace(league.begun(spec_of(league.terms), fixture), entrants=programs(bots))
    origin = league.book.name(fixture.round) if league.book else ""
    words = [word for name in names for word in ("--as", name)]
    return f"{play_command(spec, str(league.map_file), origin)} {safe(shlex.join(words))}"


# How a run of a league goes on, and what it came to.


@contextmanager
def shown(progress: Progress, *, quiet: bool, log_every: int) -> Iterator[Callable[[], None]]:
    """Show how it goes on: a bar on a terminal, elsewhere a line now and then. Call what this
    gives after each match."""
    if quiet:
        yield lambda: None
    elif sys.stderr and sys.stderr.isatty():
        with progress_bar() as bar:
            yield _every(REDRAW, _draws(progress, bar))
    else:
        yield _every(log_every, lambda: say(progress_text(progress), err=True))


@contextmanager
def shown_proofs(*, quiet: bool) -> Iterator[Callable[[AuditProgress], None]]:
    """Show how a proof goes on, on a terminal: a bar, with the seconds that are left."""
    if quiet or not (sys.stderr and sys.stderr.isatty()):
        yield lambda progress: None
        return
    with progress_bar() as bar:
        task = bar.add_task("record", total=None, standing="")
        began, found = time.monotonic(), AuditProgress(0, 0, 0)

        def draw() -> None:
            seconds = max(time.monotonic() - began, 1e-6)
            left = (found.total - found.done) * seconds / max(found.done, 1)
            rest = f"{rate_text(found.done / seconds)}, {span_text(left)} left"
            if found.wrong:
                rest += f", {found.wrong} wrong"
            bar.update(task, total=found.total, completed=found.done, standing=rest)
            bar.refresh()

        maybe = _every(REDRAW, draw)

        def advance(progress: AuditProgress) -> None:
            nonlocal found
            found = progress
            maybe()

        yield advance


def _every(seconds: float, act: Callable[[], None]) -> Callable[[], None]:
    """Does it, but not more often than that."""
    last = time.monotonic()

    def maybe() -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= seconds:
            last = now
            act()

    return maybe


def _draws(progress: Progress, bar: Bar) -> Callable[[], None]:
    task = bar.add_task("match", total=None, standing="")

    def draw() -> None:
        bar.update(
            task,
            description=progress.stage or "match",
            total=progress.total,
            completed=progress.done,
            standing=_standing(progress),
        )
        bar.refresh()

    return draw


def progress_text(progress: Progress) -> str:
    """One line: ``120 of 400 matches, 3.1/s, 1:30 min left, best: a 75 %, b 50 %``."""
    of = "" if progress.total is None else f" of {progress.total}"
    stage = f"{progress.stage}: " if progress.stage else ""
    return f"{stage}{progress.done}{of} matches, {_standing(progress)}"


def _standing(progress: Progress) -> str:
    left = progress.seconds_left
    best = [f"{safe(name)} {share:.0%}".replace("%", " %") for name, share in progress.leaders()]
    ended = [f"{count} {why}" for why, count in progress.ended.most_common(3)]
    words = [
        rate_text(progress.rate),
        *([f"{span_text(left)} left"] if left is not None else []),
        *([f"best: {', '.join(best)}"] if best else []),
        *([f"stopped: {', '.join(ended)}"] if ended else []),
    ]
    return ", ".join(words)


def summary(judge: Judge, *, interrupted: bool = False) -> str:
    """What a run came to, and the table after it."""
    progress = judge.progress
    lines = [f"{counted(progress.played, 'match', 'matches')} played, {rate_text(progress.rate)}"]
    if not (progress.played or judge.unplayed or judge.stopped or interrupted):
        lines = ["nothing is left to play: all planned matches have results (--rounds plays more)"]
    if judge.stopped:
        lines.append("stopped as requested: run it again to continue")
    elif interrupted:
        lines.append("interrupted: all results are kept; run it again to continue")
    for why, count in judge.unplayed.items():
        lines.append(f"{counted(count, 'match', 'matches')} left out: {safe(why)}")
    found = league_table(judge.league, most_crossed=MOST_CROSSED)
    return "\n".join([*lines, "", league_text(found)])
