"""One match from entrants to report: what `play`, series and `bench` all run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from typing import BinaryIO

import msgspec
from msgspec import UNSET, UnsetType

from arena.bots.wasm import command as wasm
from arena.core.clock import Clock
from arena.core.game import AnyGame, Setup
from arena.core.listener import Listener
from arena.core.settings import Settings
from arena.core.table import Table
from arena.errors import UsageError
from arena.match.ahead import prepare_match, terms_of
from arena.match.endless import naming_endless_rules
from arena.match.referee import Referee
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.match.summary import make_report
from arena.players.entrant import Entrant
from arena.record.format import FORMAT, Header, RecordConditions
from arena.record.writer import WRITE_EVERY, Recorder
from arena.sandbox.ahead import end_unused
from arena.sandbox.children import Children
from arena.sandbox.enforcement import enforcement
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.probe import prove_level


async def play_match(
    spec: MatchSpec,
    children: Children | None = None,
    listeners: Iterable[Listener] = (),
    *,
    record: BinaryIO | None = None,
    then: MatchSpec | None = None,
) -> MatchReport:
    """Play one match. Programs among the entrants need `children`. Those of the match that will be
    played with these `then` are prepared meanwhile.

    The record goes to ``spec.replay`` and to the binary file `record`, where they are given.
    Raises UsageError, BotError or ArenaFault; nothing that a program does raises.
    """
    with naming_endless_rules():
        return await _play(spec, children, listeners, record, then)


async def _play(
    spec: MatchSpec,
    children: Children | None,
    listeners: Iterable[Listener],
    record: BinaryIO | None,
    then: MatchSpec | None,
) -> MatchReport:
    listeners = tuple(listeners)
    watched = any(type(one).shown is not Listener.shown for one in listeners)
    every = 0.0 if watched else WRITE_EVERY  # a spectator may make the match wait
    game = spec.find_game()
    setup, budget = spec.setup, game.budget(spec.settings)
    table = Table(game, setup)
    if budget is not None:
        for entrant in spec.entrants:
            entrant.require_countable()
    level = await level_for(spec.entrants, spec.sandbox, children)
    terms = terms_of(spec, level)
    async with AsyncExitStack() as stack:
        stack.callback(table.close)
        players = [
            await stack.enter_async_context(entrant.open(terms.of_seat(seat), children))
            for seat, entrant in enumerate(spec.entrants)
        ]
        names = [one.name for one in spec.entrants]
        header = header_of(spec, names)
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
            if then is not None and then.sandbox == spec.sandbox:
                prepare_match(then, level, children)
        result = await Referee(
            table,
            players,
            listeners=(*recorders, *listeners),
            sequential=spec.sequential,
            clock=spec.clock,
            untimed=spec.untimed,
        ).run()
    marks = [(recorder.digest, recorder.seal) for recorder in recorders[:1]]
    return make_report(spec, game, level, result, *marks[0] if marks else ())


async def level_for(
    entrants: Sequence[Entrant], wish: Level | SandboxMode, children: Children | None
) -> Level:
    """The walls around the programs of a match, proved to stand; none where there is no program.

    Raises UsageError when they cannot be had.
    """
    if not any(entrant.is_program for entrant in entrants):
        return Level.OFF
    if children is None:
        raise UsageError("a match between programs needs a keeper: pass the children of one")
    return await prove_level(children, wish)


def header_of(spec: MatchSpec, names: Sequence[str]) -> Header:
    """The header of the record of the match of a spec, between players of these names."""
    game = spec.find_game()
    return header_for(game, spec.setup, names, spec.clock, spec.start_up, spec.untimed)


def header_for(
    game: AnyGame,
    setup: Setup[Settings],
    names: Sequence[str],
    clock: Clock = Clock.WALL,
    start_up: int = 0,
    untimed: Sequence[int] = (),
) -> Header:
    """The header of the record of a match between players of these names."""
    return Header(
        FORMAT,
        game.name,
        game.rules_version,
        setup.seed,
        msgspec.structs.asdict(setup.settings),
        list(names),
        setup.map,
        UNSET if clock is Clock.WALL else clock,
        start_up or UNSET,
        setup.forfeit or UNSET,
        list(untimed) or UNSET,
    )


def _or_unset(seat: int | None) -> int | UnsetType:
    return UNSET if seat is None else seat
