"""The report of a finished match, from what the referee counted."""

from __future__ import annotations

from collections.abc import Sequence

from arena.core.clock import to_ms
from arena.core.game import AnyGame
from arena.core.tally import Drawing, Sum, Tally
from arena.match.referee import MatchResult
from arena.match.report import (
    ExitReport,
    FaultReport,
    InstructionReport,
    MatchReport,
    PlayerReport,
    StderrReport,
    TimeReport,
)
from arena.match.seat import Seat
from arena.match.spec import MatchSpec
from arena.players.entrant import Entrant
from arena.players.player import Ending
from arena.sandbox.enforcement import enforcement
from arena.sandbox.levels import Level


def make_report(
    spec: MatchSpec,
    game: AnyGame,
    level: Level,
    result: MatchResult,
    digest: str = "",
    seal: str = "",
) -> MatchReport:
    """The report of a match that was played at this level. `digest` and `seal` are those of its
    record, and empty without one."""
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
            _player_report(seat, entrant, result, debugged=seat.index == spec.debugged)
            for seat, entrant in zip(result.seats, spec.entrants, strict=True)
        ],
        sandbox=level,
        means=enforcement(level),
        replay=str(spec.replay) if spec.replay else None,
        digest=digest or None,
        seal=seal or None,
    )


def _player_report(
    seat: Seat, entrant: Entrant, result: MatchResult, *, debugged: bool
) -> PlayerReport:
    totals, tally, player = seat.totals(), seat.tally, seat.player
    return PlayerReport(
        seat=seat.index,
        name=entrant.name,
        command=entrant.command,
        rank=result.outcome.ranks[seat.index],
        points=result.outcome.points[seat.index],
        fate=result.outcome.fates[seat.index],
        stopped=totals.stopped,
        stopped_detail=player.stopped_detail,
        faults={code: fault.count for code, fault in tally.faults.items()},
        first_faults={
            code: FaultReport(fault.round, fault.request, fault.detail)
            for code, fault in tally.faults.items()
        },
        requests=tally.requests,
        time_ms=_times(tally.charged),
        wall_ms=_measured(tally.wall),
        thought_ms=_measured(tally.cpu),
        delay_ms=_measured(tally.delay),
        held_up_ms=_measured(tally.held_up),
        pondered_ms=totals.pondered_ms,
        start_up_ms=totals.start_up_ms,
        instructions=_instructions(tally),
        cpu_ms=totals.cpu_ms,
        peak_memory=totals.peak_memory,
        exit=_exit(player.ending),
        left_behind=player.left_behind,
        last_request=seat.last_request,
        last_answer=seat.last_answer,
        last_answered=seat.last_answered,
        stderr=[StderrReport(request, text) for request, text in totals.stderr],
        untimed=entrant.untimed,
        debugged=debugged,
        not_drawn=not_drawn(totals.drawn, result.rounds),
    )


def not_drawn(drawn: Sequence[Drawing], rounds: int) -> list[str]:
    """What is wrong with the drawings of a seat."""
    if not drawn:
        return []
    from arena.view.drawings import complaints  # few bots draw

    return complaints(drawn, rounds)


def _times(ns: Sum) -> TimeReport:
    return TimeReport(round(to_ms(ns.total), 3), round(to_ms(ns.most), 3))


def _measured(ns: Sum | None) -> TimeReport | None:
    return None if ns is None else _times(ns)


def _instructions(tally: Tally) -> InstructionReport | None:
    counts = tally.instructions
    return None if counts is None else InstructionReport(counts.total, counts.most)


def _exit(ending: Ending | None) -> ExitReport | None:
    if ending is None:
        return None
    if ending.signal is None:
        return ExitReport(code=ending.code)
    return ExitReport(signal=ending.signal, by_arena=ending.by_arena)
