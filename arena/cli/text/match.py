"""The end of a match for people: the result, what it cost, what went wrong."""

from __future__ import annotations

import shlex

from arena.cli.text.layout import styled, table, width
from arena.games.kit.wire import points_text
from arena.match.report import PROTOCOL, MatchReport, PlayerReport
from arena.sandbox.levels import Level
from arena.text import counted, distinct, joined, milliseconds, safe, size_text

LAST_LINES = 10
"""Lines of the stderr of a stopped program that are shown."""
HELD_UP_MS = 20.0
HELD_UP_SHARE = 0.2
"""A bot was held up when so much of its time, and such a share of it, it was ready and not run."""


def match_text(report: MatchReport) -> str:
    """The end of a match for people: who won, why, what it cost, what went wrong."""
    counts = ["instructions", "most"] if report.players[0].instructions else []
    head = ["", "bot", "rank", "points", "time", "slowest", "cpu", "memory", *counts, "fate"]
    names = names_of(report)
    rows = [_row(player, name) for player, name in zip(report.players, names, strict=True)]
    lines = [
        styled(report.sentence, bold=True),
        f"{report.game}, seed {report.seed}, {counted(report.rounds, 'round')}{_origin(report)}, "
        f"{counted(report.requests, 'request')} in {milliseconds(report.wall_ms)}"
        f"{_walls(report)}",
        "",
        table(head, rows, 2, width()),
        *_held_up(report, names),
        *_untimed(report, names),
        *_faults(report, names),
        *_strangers(report, names),
        *_not_drawn(report, names),
        *_spoken(report, names),
    ]
    if report.replay:
        replay = shlex.quote(report.replay)
        lines += ["", f"replay: {report.replay} (arena view {replay}, arena verify {replay})"]
        lines += [f"digest: {report.digest}"] if report.digest else []
        lines += [f"seal: {report.seal}"] if report.seal else []
    return "\n".join(lines)


def _origin(report: MatchReport) -> str:
    """In which round it began, if it was played from a position."""
    return f" (played from round {report.position.round})" if report.position else ""


def _walls(report: MatchReport) -> str:
    """Which walls stood, if any were asked for."""
    level = report.sandbox
    return "" if level is Level.OFF else f", sandbox: {level}"


def _row(player: PlayerReport, name: str) -> list[str]:
    return [
        f"player{player.seat + 1}",
        name,
        str(player.rank),
        points_text(player.points),
        milliseconds(player.time_ms.total),
        milliseconds(player.time_ms.max),
        milliseconds(player.cpu_ms),
        size_text(player.peak_memory) if player.peak_memory else "-",
        *_counts(player),
        player.fate.value + (f", {player.stopped}" if player.stopped else ""),
    ]


def names_of(report: MatchReport) -> list[str]:
    """The bots by seat, told apart where two have one name."""
    return distinct([safe(player.name) for player in report.players])


def _held_up(report: MatchReport, names: list[str]) -> list[str]:
    """Who lost time that was the machine's, where an answer was missed."""
    lines = []
    for player, name in zip(report.players, names, strict=True):
        delay, wall = player.delay_ms, player.wall_ms
        if not delay or not wall or "timeout" not in player.faults:
            continue
        if delay.total > max(HELD_UP_MS, wall.total * HELD_UP_SHARE):
            lines.append(
                f"  player{player.seat + 1} {name}: ready but not run for "
                f"{milliseconds(delay.total)} of its {milliseconds(wall.total)} "
                f"(at most {milliseconds(delay.max)} in one request)"
            )
    return ["", "held up by a busy machine:", *lines] if lines else []


def _strangers(report: MatchReport, names: list[str]) -> list[str]:
    """A word on each bot that did not play at all."""
    lines = [
        f"player{player.seat + 1} {name} {why}: {advice(report, player)}"
        for player, name in zip(report.players, names, strict=True)
        if (why := stranger(player))
    ]
    return ["", *lines] if lines else []


def advice(report: MatchReport, player: PlayerReport) -> str:
    """How to find out why it did not play."""
    return f"arena check {report.game} {shlex.quote(safe(player.command))} says why"


def stranger(player: PlayerReport) -> str:
    """Why a bot seems not to play this game; empty when it does."""
    if player.exit is None:
        return ""  # a person, or a function
    if player.requests and not player.last_answered:
        return "gave no answer in the whole match"
    refused = sum(count for code, count in player.faults.items() if code not in PROTOCOL)
    if player.requests and refused >= player.requests:
        return "gave answers that the rules refused (is it a bot for another game?)"
    return ""


def _counts(player: PlayerReport) -> list[str]:
    """Instructions of the match, and the most of one answer."""
    counts = player.instructions
    return [f"{counts.total:,}", f"{counts.max:,}"] if counts else []


def _faults(report: MatchReport, names: list[str]) -> list[str]:
    """Every kind of fault with its count and first example; the last words of who was stopped."""
    lines: list[str] = []
    for player, name in zip(report.players, names, strict=True):
        who = f"player{player.seat + 1} {name}"
        for code, count in sorted(player.faults.items()):
            first = player.first_faults[code]
            lines.append(
                f"  {who}: {count} × {code}, first in round {first.round}: {safe(first.detail)}"
            )
        if player.left_behind and not player.debugged:
            late = "was not gone two seconds after it was killed"
            lines.append(f"  {who} {late}: see whether it still runs")
        if player.stopped:
            lines.append(f"  {who} last request: {safe(player.last_request[:200])}")
            lines.append(
                f"  {who} last answered request {player.last_answered} of {player.requests}"
                f": {safe(player.last_answer[:200]) or '(nothing)'}"
            )
            lines += _stderr(player)[-LAST_LINES:]
            lines += _again(report, player)
    return ["", "faults:", *lines] if lines else []


def _not_drawn(report: MatchReport, names: list[str]) -> list[str]:
    """What was left out of what bots drew into the replay."""
    lines = [
        f"player{player.seat + 1} {name}: {safe(note)}"
        for player, name in zip(report.players, names, strict=True)
        for note in player.not_drawn
    ]
    return ["", *lines] if lines else []


def _again(report: MatchReport, player: PlayerReport) -> list[str]:
    """How to run a program that was stopped on the same lines, in a debugger perhaps."""
    if not report.replay or player.exit is None:
        return []
    words = ["arena", "rerun", report.replay, "--player", str(player.seat + 1), player.command]
    return [f"  to find out why: {safe(shlex.join(words))}"]


def _spoken(report: MatchReport, names: list[str]) -> list[str]:
    """Who wrote more to stderr than is shown, and where to read it."""
    wrote = [
        one.seat for one in report.players if len(_stderr(one)) > (LAST_LINES if one.stopped else 0)
    ]
    if not wrote:
        return []
    bots = joined(f"player{seat + 1} {names[seat]}" for seat in wrote)
    where = "the lines stderr of the replay have" if report.replay else "--json or --replay shows"
    return ["", f"{bots} wrote to stderr: {where} it by turn, --show-stderr prints it as it comes"]


def _untimed(report: MatchReport, names: list[str]) -> list[str]:
    """Who played under other conditions than the rest."""
    lines = [
        f"player{player.seat + 1} {name} had no clock{_debugged(player)}"
        for player, name in zip(report.players, names, strict=True)
        if player.untimed
    ]
    return ["", *lines] if lines else []


def _debugged(player: PlayerReport) -> str:
    """That it had a debugger. (A process that is killed in one goes when the debugger lets it.)"""
    held = ", which still holds it" if player.left_behind else ""
    return f", for a debugger{held}" if player.debugged else ""


def _stderr(player: PlayerReport) -> list[str]:
    return [
        f"    stderr, request {turn.request}: {line}"
        for turn in player.stderr
        for line in safe(turn.text).splitlines()
    ]
