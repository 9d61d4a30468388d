"""Plays one match, from entrants to report, for `play`, series and `bench`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, BinaryIO

import msgspec
from msgspec import UNSET, UnsetType

from arena.bots.wasm import command as wasm
from arena.core.clock import Clock, to_ms
from arena.core.game import AnyGame, Setup
from arena.core.listener import Listener
from arena.core.settings import Settings
from arena.core.table import Table
from arena.core.tally import Drawing, Sum, Tally
from arena.errors import UsageError
from arena.match.endless import naming_endless_rules
from arena.match.referee import FinishedMatch, Referee
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
from arena.players.terms import Grant, PlayerTerms, Timing
from arena.record.format import FORMAT, Header, Origin, RecordConditions
from arena.record.writer import WRITE_EVERY, Recorder
from arena.sandbox.children import Children
from arena.sandbox.enforcement import enforcement
from arena.sandbox.environment import hash_seeds, passed
from arena.sandbox.levels import Level, SandboxWish
from arena.sandbox.prestart import end_unused, prepare
from arena.sandbox.probe import likely_level, prepare_proof, prove_level

if TYPE_CHECKING:
    from arena.record.position import Prefix

# Prestart of a match's programs, up to their gates (`sandbox.prestart`).


async def prepare_first(spec: MatchSpec, children: Children | None) -> None:
    """Prestart the programs of a match, unless the previous match did so already.

    For a caller that has yet to import the code that plays it. Does not prove the level."""
    if children is None or children.keeper.ahead or not spec.has_programs:
        return
    level = await likely_level(children, spec.terms.sandbox)
    if level is not None:
        prepare_proof(children, spec.terms.sandbox, level)
        prepare_match(spec, level, children)


def prepare_match(spec: MatchSpec, level: Level, children: Children) -> None:
    """Prestart the programs of a match."""
    terms = terms_of(spec, level)
    recipes = [
        entrant.recipe(terms.of_seat(seat), children.keeper)
        for seat, entrant in enumerate(spec.entrants)
    ]
    prepare(children, [recipe for recipe in recipes if recipe is not None])


def terms_of(spec: MatchSpec, level: Level) -> PlayerTerms:
    """The terms that a match grants its players, behind the walls of a level."""
    terms, settings = spec.terms, spec.settings
    banks = 1 if spec.position is None else 2  # the bank is full again at a position
    grant = Grant(banks * settings.timebank, settings.time_per_move, terms.timing.start_up)
    return PlayerTerms(
        limits=terms.limits,
        timing=terms.timing,
        level=level,
        # a program that waits for a seat without a clock may compute as long as that takes
        grant=None if spec.untimed else grant,
        budget=spec.find_game().budget(settings),
        keep=spec.keep_files,
        environment=(*hash_seeds(spec.seed), *passed(spec.pass_env)) if spec.has_programs else (),
    )


# The report of a finished match, from the referee's counts.


def make_report(
    spec: MatchSpec,
    game: AnyGame,
    level: Level,
    result: FinishedMatch,
    digest: str = "",
    seal: str = "",
    past: Prefix | None = None,
) -> MatchReport:
    """The report of a match that was played at this level. `digest` and `seal` are from its record;
    empty without one."""
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
        clock=spec.terms.timing.clock,
        players=[
            _player_report(seat, entrant, result, debugged=seat.index == spec.debugged)
            for seat, entrant in zip(result.seats, spec.entrants, strict=True)
        ],
        sandbox=level,
        means=enforcement(level),
        replay=str(spec.replay) if spec.replay else None,
        digest=digest or None,
        seal=seal or None,
        position=origin_of(past),
    )


def _player_report(
    seat: Seat, entrant: Entrant, result: FinishedMatch, *, debugged: bool
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
    """Complaints about the drawings of a seat."""
    if not drawn:
        return []
    from arena.view.drawings import complaints  # imported late: few bots draw

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


async def play_match(
    spec: MatchSpec,
    children: Children | None = None,
    listeners: Iterable[Listener] = (),
    *,
    record: BinaryIO | None = None,
    then: MatchSpec | None = None,
    past: Prefix | None = None,
) -> MatchReport:
    """Play one match. Programs among the entrants need `children`.

    The programs of the next match, `then`, are prestarted meanwhile. The record is written to
    ``spec.replay`` and to the binary file `record`, if given. `past` is what `prefix_of` says of
    the position of the spec, if the caller has proved it. Raises UsageError, BotError or
    ArenaFault; nothing that a program does during the match raises.
    """
    with naming_endless_rules():
        past = _past(spec) if past is None else past
        return await _play(spec, children, listeners, record, then, past)


async def _play(
    spec: MatchSpec,
    children: Children | None,
    listeners: Iterable[Listener],
    record: BinaryIO | None,
    then: MatchSpec | None,
    past: Prefix | None,
) -> MatchReport:
    listeners = (*listeners, *(spec.listen() if spec.listen else ()))
    watched = any(type(one).shown is not Listener.shown for one in listeners)
    every = 0.0 if watched else WRITE_EVERY  # a spectator may delay the match
    game = spec.find_game()
    setup, budget = spec.setup, game.budget(spec.settings)
    table = Table(game, setup)
    if budget is not None:
        for entrant in spec.entrants:
            entrant.require_countable()
    level = await level_for(spec.entrants, spec.terms.sandbox, children)
    terms = terms_of(spec, level)
    async with AsyncExitStack() as stack:
        stack.callback(table.close)
        players = [
            await stack.enter_async_context(entrant.open(terms.of_seat(seat), children))
            for seat, entrant in enumerate(spec.entrants)
        ]
        names = [one.name for one in spec.entrants]
        header = _header(spec, names, past)
        recorders = [
            stack.enter_context(Recorder(target, header, every=every))
            for target in (spec.replay, record)
            if target is not None
        ]
        for recorder in recorders:
            counted_by = wasm.release() if budget else None
            recorder.conditions(
                RecordConditions(enforcement(level), counted_by, _or_unset(spec.debugged))
            )
        if children is not None:
            await end_unused(children)
            if then is not None and then.terms.sandbox == spec.terms.sandbox:
                prepare_match(then, level, children)
        result = await Referee(
            table,
            players,
            listeners=(*recorders, *listeners),
            sequential=spec.terms.sequential,
            clock=spec.terms.timing.clock,
            untimed=spec.untimed,
            past=past,
        ).run()
    marks = [(recorder.digest, recorder.seal) for recorder in recorders[:1]]
    digest, seal = marks[0] if marks else ("", "")
    return make_report(spec, game, level, result, digest, seal, past)


async def level_for(
    entrants: Sequence[Entrant], wish: SandboxWish, children: Children | None
) -> Level:
    """The proven level of the walls around a match's programs; off without a program.

    Raises UsageError when the walls cannot be put up.
    """
    if not any(entrant.is_program for entrant in entrants):
        return Level.OFF
    if children is None:
        raise UsageError("a match between programs needs a keeper: pass its Children")
    return await prove_level(children, wish)


def header_of(spec: MatchSpec, names: Sequence[str]) -> Header:
    """The record header for the match of a spec, between players of these names. Raises UsageError
    for a position that the rules do not lead to."""
    return _header(spec, names, _past(spec))


def _past(spec: MatchSpec) -> Prefix | None:
    """What the match needs of the position at which it begins; None at its start."""
    if spec.position is None:
        return None
    from arena.record.position import prefix_of

    try:
        return prefix_of(spec.position)
    except UsageError as error:
        where = f"round {spec.position.round} of seed {spec.seed}"
        raise UsageError(f"the position in {where} is not valid: {error}") from None


def _header(spec: MatchSpec, names: Sequence[str], past: Prefix | None) -> Header:
    game = spec.find_game()
    header = header_for(game, spec.setup, names, spec.terms.timing, spec.untimed)
    return msgspec.structs.replace(header, position=origin_of(past) or UNSET)


def origin_of(past: Prefix | None) -> Origin | None:
    """How a record names the position at which its match begins."""
    if past is None:
        return None
    return Origin(past.round, sum(map(len, past.exchanges)), past.sha256)


def header_for(
    game: AnyGame,
    setup: Setup[Settings],
    names: Sequence[str],
    timing: Timing = Timing(),  # noqa: B008  # frozen
    untimed: Sequence[int] = (),
) -> Header:
    """The record header for a match between players of these names."""
    return Header(
        format=FORMAT,
        game=game.name,
        rules_version=game.rules_version,
        seed=setup.seed,
        settings=msgspec.structs.asdict(setup.settings),
        players=list(names),
        map=setup.map,
        clock=UNSET if timing.clock is Clock.WALL else timing.clock,
        start_up=timing.start_up or UNSET,
        forfeit=setup.forfeit or UNSET,
        untimed=list(untimed) or UNSET,
    )


def _or_unset(seat: int | None) -> int | UnsetType:
    return UNSET if seat is None else seat
