"""The programs of a match, brought to their gates before it begins (`sandbox.ahead`)."""

from __future__ import annotations

from arena.core.clock import NS_PER_MS
from arena.match.spec import MatchSpec
from arena.players.request import Timing
from arena.players.terms import Terms
from arena.sandbox.ahead import prepare
from arena.sandbox.children import Children
from arena.sandbox.levels import Level
from arena.sandbox.probe import likely_level, prepare_proof


async def prepare_first(spec: MatchSpec, children: Children) -> None:
    """Prepare the programs of a match that is about to begin, unless the match before has: for a
    caller that has still to import what plays it. Of the level nothing is proved here."""
    if children.keeper.ahead or not any(entrant.is_program for entrant in spec.entrants):
        return
    level = await likely_level(children, spec.sandbox)
    if level is not None:
        prepare_proof(children, spec.sandbox, level)
        prepare_match(spec, level, children)


def prepare_match(spec: MatchSpec, level: Level, children: Children) -> None:
    """Prepare the programs of a match."""
    terms = terms_of(spec, level)
    recipes = [
        entrant.recipe(terms.of_seat(seat), children.keeper)
        for seat, entrant in enumerate(spec.entrants)
    ]
    prepare(children, [recipe for recipe in recipes if recipe is not None])


def terms_of(spec: MatchSpec, level: Level) -> Terms:
    """What a match grants its players, behind the walls of a level."""
    budget = spec.find_game().budget(spec.settings)
    return Terms(spec.limits, level, timing(spec), budget, spec.keep_files)


def timing(spec: MatchSpec) -> Timing:
    """How the time of each program is kept."""
    bank, increment = spec.settings.timebank, spec.settings.time_per_move
    bank_ns, increment_ns, start_up = (ms * NS_PER_MS for ms in (bank, increment, spec.start_up))
    # what waits for a seat without a clock may compute for as long as that takes
    granted = None if spec.untimed else bank_ns
    return Timing(spec.clock, spec.pondering, granted, increment_ns, start_up)
