"""A single match from its command line: its players, and what the terminal shows meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from msgspec.structs import replace

from arena.api.conditions import make_spec, renamed
from arena.cli import parameters
from arena.cli.text import live
from arena.core.game import AnyGame
from arena.core.listener import Listener
from arena.core.registry import find_game
from arena.errors import UsageError
from arena.match.spec import MatchSpec
from arena.players.debugged import DebuggedEntrant
from arena.players.entrant import HumanEntrant, ProgramEntrant, named_human
from arena.text import counted

Show = AbstractContextManager[list[Listener]]


def prepare(game: str, bots: Sequence[str], options: dict[str, Any]) -> tuple[MatchSpec, Show]:
    """The requested match, and its display. Raises what `make_spec` raises."""
    found = find_game(game)
    persons = [named_human(bot) for bot in bots]
    parameters.refuse_together(options)
    if any(persons):
        parameters.refuse_for_people(options)
    if options["debug"]:
        parameters.refuse_to_debug(bots, options)
    timed = options["timebank"] is not None
    entrants = [
        bot if name is None else HumanEntrant(name, timed=timed)
        for bot, name in zip(bots, persons, strict=True)
    ]
    asked, position = parameters.conditions(options), options["position"]
    if position is None:
        spec = make_spec(found, entrants, asked)
    else:
        from arena.api.positions import spec_at

        spec = spec_at(game, entrants, position, asked)
    if names := options["names"]:
        if len(names) != len(spec.entrants):
            raise UsageError(f"--as names each bot: give it {counted(len(spec.entrants), 'time')}")
        spec = replace(spec, entrants=tuple(map(renamed, spec.entrants, names)))
    spec = replace(spec, replay=options["replay"])
    if any(persons) and not options["live"]:
        return _seated(found, spec, options["show_stderr"])
    if options["debug"]:
        spec = _debugged(spec, options["debug"] - 1)
    if any(persons):  # rounds in the terminal would show what their pages hide
        return spec, _stderr_alone(options)
    if options["watch"]:
        from arena.cli.text import boards

        return spec, boards.board(found, spec.seed)
    return spec, _rounds(found, spec, options)


@contextmanager
def _rounds(game: AnyGame, spec: MatchSpec, options: dict[str, Any]) -> Iterator[list[Listener]]:
    with live.rounds(game, options["as_json"] or spec.debugged is not None, spec.seed) as shown:
        if options["show_stderr"]:
            from arena.cli.text.live import StderrLines, printer

            shown = [*shown, StderrLines(printer(shown))]
        yield shown


@contextmanager
def _stderr_alone(options: dict[str, Any]) -> Iterator[list[Listener]]:
    from arena.cli.text.live import StderrLines, printer

    yield [StderrLines(printer([]))] if options["show_stderr"] else []


def _debugged(spec: MatchSpec, seat: int) -> MatchSpec:
    from arena.cli.text.terminal import at_terminal, waiting_for

    entrants, bot = list(spec.entrants), spec.entrants[seat]
    if isinstance(bot, ProgramEntrant):
        bot = ProgramEntrant(at_terminal(bot.program))
    entrants[seat] = DebuggedEntrant(bot, waiting_for(bot.name, seat))
    return replace(spec, entrants=tuple(entrants))


def _seated(game: AnyGame, spec: MatchSpec, show_stderr: bool) -> tuple[MatchSpec, Show]:
    """The match with its persons at this terminal, where several take turns."""
    from arena.cli.text.human import TerminalDesk
    from arena.cli.text.terminal import kept_terminal

    count = sum(isinstance(one, HumanEntrant) for one in spec.entrants)
    desk = TerminalDesk(game, count)
    entrants = tuple(
        HumanEntrant(one.name, desk, one.timed) if isinstance(one, HumanEntrant) else one
        for one in spec.entrants
    )

    @contextmanager
    def show() -> Iterator[list[Listener]]:
        from arena.cli.text.live import StderrLines

        with kept_terminal():
            yield [StderrLines(desk.show)] if show_stderr else []

    terms = replace(spec.terms, sequential=spec.terms.sequential or count > 1)
    return replace(spec, entrants=entrants, terms=terms), show()
