"""A league for people: its table, its bots, one match."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from arena.bots.program import BotProgram
from arena.cli.text import submission
from arena.cli.text.layout import styled, table, width
from arena.cli.text.repeat import play_command
from arena.cli.text.table import table_text
from arena.league.bots import Submission
from arena.league.league import League
from arena.league.table import LeagueTable
from arena.league.types import (
    Account,
    BotAccount,
    Fixture,
    MatchAccount,
    MatchResult,
    VoidAccount,
    spec_of,
)
from arena.players.entrant import programs
from arena.record.format import PlayerTotals
from arena.text import counted, milliseconds, safe, size_text


def submission_text(found: Submission, file: Path) -> str:
    """What became of a bot that was handed in to the league in `file`; of a refused one, all that
    its author needs, and what its organiser may do."""
    if found.report is None:
        return f"{safe(found.name)}: plays already, unchanged"
    if found.ok:
        passed = f"{safe(found.name)}: {styled('passed', fg='green')}, plays from now on"
        return "\n".join([passed, *submission.warnings(found.report)])
    refused = f"{safe(found.name)}: {styled('refused', fg='red')}"
    lines = [refused, submission.text(found.report)]
    if found.may_be_admitted:
        admit = shlex.join(["arena", "league", "admit", str(file), found.name])
        lines.append(f'its organiser may admit it all the same: {safe(admit)} --reason "…"')
    return "\n".join(lines)


def submissions_text(found: Sequence[Submission]) -> str:
    """What became of all that were handed in, in one line."""
    play = f"{sum(one.ok for one in found)} of {len(found)} play"
    refused = [safe(one.name) for one in found if not one.ok]
    return f"{play}; refused: {', '.join(refused)}" if refused else play


def league_text(found: LeagueTable) -> str:
    """The table, and what stands for it."""
    matches = counted(found.table.games, "match", "matches")
    head = f"{found.game}, league seed {safe(found.seed)}, {matches}"
    if found.pending:
        head += f", {found.pending} planned and without a result"
    if found.void:
        head += f", {found.void} × void"
    if not found.table.standings:
        return f"{head}\n\nno bot plays yet"
    return "\n".join([head, "", *table_text(found.table), "", f"digest {found.digest}"])


def account_text(found: Account) -> str:
    """The bots that were handed in."""
    head = ("bot", "version", "content", "state", "why")
    rows = [
        [safe(one.name), str(one.version), one.content[:12], one.state, _why(one)]
        for one in found.bots
    ]
    listed = table(head, rows, 5, width()) if rows else "no bot was handed in yet"
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
    lines = [f"match {found.match}: {names}, seed {found.seed}, {found.event} round {found.round}"]
    lines += [_void(one) for one in found.voids]
    if found.result is None:
        lines.append("not played yet")
    else:
        lines += ["", safe(found.result.sentence), "", _seats(found), ""]
        lines += _record(found, found.result)
    again = "to play it"
    if found.result is not None:
        again = "to play it again, to the same digest, which that prints"
    return "\n".join([*lines, "", f"{again}:", f"  {found.command}"])


def _void(one: VoidAccount) -> str:
    if one.record is None:
        return f"void, attempt {one.attempt}: {safe(one.reason)}"
    return f"annulled, attempt {one.attempt}: {safe(one.reason)} (its record: {one.record})"


def _record(found: MatchAccount, result: MatchResult) -> list[str]:
    """Where the record lies, and what stands for it."""
    record = shlex.quote(str(found.record))
    return [
        f"record {found.record}",
        f"seal   {result.seal} (of this very record)",
        f"digest {result.digest} (of what was said)",
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


def repeat_command(league: League, fixture: Fixture) -> str:
    """The command that plays a match of a league again, with the league's copies of the bots."""
    places = [league.copy_of(bot) for bot in fixture.seats]
    bots = [BotProgram(name, (), None, None, str(path)) for name, _, path in places]
    spec = replace(spec_of(league.terms), entrants=programs(bots), seed=fixture.seed)
    return play_command(spec, str(league.map_file))
