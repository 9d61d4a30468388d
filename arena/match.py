"""One match from bots to report: what `play`, series, `check` and `bench` all run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from arena import books, wasm
from arena.books import Seat, Times
from arena.bots import BotProgram
from arena.clock import NS_PER_MS, Clock
from arena.game import Game, Setup, find_game
from arena.players import Player
from arena.players.launch import open_program
from arena.players.program import Program
from arena.players.request import Timing
from arena.referee import MatchResult, Referee, Spectator
from arena.replay import FORMAT, Conditions, Header, Recorder
from arena.reports import (
    FaultReport,
    InstructionReport,
    MatchReport,
    MatchSpec,
    PlayerReport,
    StderrReport,
    TimeReport,
)
from arena.sandbox.children import Children
from arena.sandbox.choose import choose
from arena.sandbox.levels import Level, means
from arena.table import Table

STDERR_TAIL = 4000
"""Characters of a bot's stderr in a report."""


async def play_match(
    spec: MatchSpec, children: Children, spectator: Spectator | None = None
) -> MatchReport:
    """Play one match between programs.

    Raises UsageError, BotError or ArenaFault; nothing that a bot does raises.
    """
    game = find_game(spec.game)
    game.check_seats(len(spec.bots), on_map=spec.map is not None)
    setup = Setup(spec.seed, len(spec.bots), spec.settings, spec.map)
    table, budget = Table(game, setup), game.budget(spec.settings)
    if budget is not None:
        wasm.require_countable(spec.bots)
    level = await choose(children, spec.sandbox)
    async with AsyncExitStack() as stack:
        stack.callback(table.close)
        programs = [
            await stack.enter_async_context(
                open_program(children, bot, spec.limits, level, timing(spec), budget)
            )
            for bot in spec.bots
        ]
        names = [bot.name for bot in spec.bots]
        recorder = open_recorder(spec.replay, game, setup, names, spec.clock)
        if recorder is not None:
            stack.enter_context(recorder)
            recorder.remark(Conditions(means(level), wasm.release() if budget else None))
        result = await Referee(
            table,
            programs,
            recorder=recorder,
            spectator=spectator,
            sequential=spec.sequential,
            clock=spec.clock,
        ).run()
    return report(spec, game, level, result)


def timing(spec: MatchSpec) -> Timing:
    """How the time of each bot is kept."""
    bank, increment = spec.settings.timebank, spec.settings.time_per_move
    return Timing(spec.clock, spec.pondering, bank * NS_PER_MS, increment * NS_PER_MS)


def open_recorder(
    path: Path | None,
    game: Game,
    setup: Setup,
    names: Sequence[str],
    clock: Clock = Clock.WALL,
) -> Recorder | None:
    """The recorder for a match, its header written; None without a path."""
    if path is None:
        return None
    settings = msgspec.structs.asdict(setup.settings)
    header = Header(
        FORMAT,
        game.name,
        game.rules_version,
        setup.seed,
        settings,
        list(names),
        setup.map,
        UNSET if clock is Clock.WALL else clock,
    )
    return Recorder(path, header)


def report(spec: MatchSpec, game: Game, level: Level, result: MatchResult) -> MatchReport:
    """The report of a finished match."""
    return MatchReport(
        game=game.name,
        seed=spec.seed,
        rules_version=game.rules_version,
        status="completed",
        reason=result.outcome.reason,
        sentence=result.outcome.sentence,
        rounds=result.rounds,
        requests=result.requests,
        wall_ms=round(result.wall_ms, 3),
        clock=spec.clock,
        players=[
            _player_report(seat, bot, result)
            for seat, bot in zip(result.seats, spec.bots, strict=True)
        ],
        sandbox=level,
        means=means(level),
        replay=str(spec.replay) if spec.replay else None,
        digest=result.digest or None,
    )


def _player_report(seat: Seat, bot: BotProgram, result: MatchResult) -> PlayerReport:
    totals = books.totals(seat)
    return PlayerReport(
        seat=seat.index,
        name=bot.name,
        command=bot.command,
        rank=result.outcome.ranks[seat.index],
        points=result.outcome.points[seat.index],
        fate=result.outcome.fates[seat.index],
        stopped=totals.stopped,
        stopped_detail=seat.player.stopped_detail,
        faults=totals.faults,
        first_faults={
            code: FaultReport(fault.round, fault.request, fault.detail)
            for code, fault in seat.faults.items()
        },
        requests=seat.requests,
        time_ms=TimeReport(round(totals.total_ms, 3), round(totals.max_ms, 3)),
        wall_ms=_times(seat.wall),
        thought_ms=_times(seat.cpu),
        delay_ms=_times(seat.delay),
        pondered_ms=totals.pondered_ms,
        instructions=_instructions(seat),
        cpu_ms=totals.cpu_ms,
        peak_memory=totals.peak_memory,
        exit=_exit(seat.player),
        left_behind=isinstance(seat.player, Program) and not seat.player.child.clean,
        last_request=seat.last_request,
        last_answer=seat.last_answer,
        last_answered=seat.last_answered,
        stderr=_stderr(seat.player),
    )


def _times(times: Times) -> TimeReport | None:
    if not times.known:
        return None
    return TimeReport(round(times.total / NS_PER_MS, 3), round(times.most / NS_PER_MS, 3))


def _instructions(seat: Seat) -> InstructionReport | None:
    if seat.instructions is None:
        return None
    return InstructionReport(sum(seat.instructions), max(seat.instructions, default=0))


def _stderr(player: Player) -> list[StderrReport]:
    """The last of what it wrote to stderr, by request."""
    turns = player.stderr.turns() if isinstance(player, Program) else []
    kept: list[StderrReport] = []
    room = STDERR_TAIL
    for turn, text in reversed(turns):
        if room > 0:
            kept.append(StderrReport(turn, text[-room:]))
            room -= len(text)
    return kept[::-1]


def _exit(player: Player) -> dict[str, Any] | None:
    """How the program ended: its code, or the signal (ours, when it stayed too long)."""
    if not isinstance(player, Program) or player.child.exit is None:
        return None
    end = player.child.exit
    if end.signal is None:
        return {"code": end.code}
    return {"signal": end.signal, "by_arena": player.ended_by_arena}
