"""Bugs of a game, which make the match void: ArenaFaults that name the line of the game's code."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import msgspec

from arena.core.game import AnyGame, Setup
from arena.core.replies import Reply
from arena.core.settings import Settings
from arena.core.steps import Ask, Fate, Note, Outcome, Script, Show, Stop, Tell
from arena.errors import ArenaError, ArenaFault


@contextmanager
def attribute_errors_to(game: AnyGame, part: str, seed: str | None = None) -> Iterator[None]:
    """Turn an exception from a part of the game into an ArenaFault with the file and line.

    Errors that the game raises on purpose, such as UsageError, pass through."""
    try:
        yield
    except ArenaError:
        raise
    except (Exception, SystemExit) as error:
        raise game_fault(game, error, part, seed) from error


def game_fault(
    game: AnyGame, error: BaseException, part: str, seed: str | None = None
) -> ArenaFault:
    """The ArenaFault for a bug in a part of a game."""
    line = own_line(game.package, error.__traceback__)
    return ArenaFault(
        f"{part} of {game.name} failed{line and f' at {line}'} ({error!r}): the match is void, "
        f"please report it with the seed{'' if seed is None else f' {seed!r}'} and the settings"
    )


def own_line(package: str, trace: TracebackType | None) -> str:
    """``FILE:LINE`` of the innermost frame in the code of a package; empty without one."""
    found = ""
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if f"{module}.".startswith(f"{package}."):
            found = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


# Invalid steps: what is wrong with one, and which line of the script gave it.
#
# This code runs only after a failure: when a step makes the referee fail, the script is played
# again up to that step.


def find_malformed(
    game: AnyGame, script: Script, history: Iterable[tuple[Reply, ...]], setup: Setup[Settings]
) -> ArenaFault | None:
    """The fault for the first malformed step of a fresh script that is sent these replies; None
    when all steps are valid."""
    replies = iter(history)
    try:
        step: Any = next(script)
        while True:
            if problem := problem_of(step, setup.seats):
                return ArenaFault(
                    f"the rules of {game.name} gave a malformed step at "
                    f"{_line(game.package, script)}: {problem}: the match is void, please report "
                    f"it with the seed {setup.seed!r} and the settings"
                )
            step = script.send(next(replies)) if isinstance(step, tuple) else next(script)
    except StopIteration:  # end of the replies or of the script
        return None


def malformed_outcome(game: AnyGame, problem: str, seed: str | None) -> ArenaFault:
    """The fault for an invalid outcome. It names the script's first line: the script has ended."""
    code = getattr(game.script, "__code__", None)
    at = f" at {code.co_filename}:{code.co_firstlineno}" if code else ""
    return ArenaFault(
        f"the script of {game.name}{at} gave a malformed outcome: {problem}: the match is void, "
        f"please report it with the seed{'' if seed is None else f' {seed!r}'} and the settings"
    )


def problem_of(step: object, seats: int) -> str | None:
    """What is wrong with a step, or with requests; None if valid."""
    match step:
        case tuple():
            found = next((p for one in step if (p := _problem_of_request(one, seats))), None)
            return found or _problem_of_requests(step)
        case Tell(seat, line):
            return _no_seat(seat, seats) or _no_line(line)
        case Note(seat=seat):
            return _no_seat(seat, seats)
        case Stop(seat, why):
            return _no_seat(seat, seats) or _no_reason(why)
        case Show(frame):
            return _no_frame(frame)
        case Ask():
            return "an Ask by itself: yield a tuple of them, or use `yield from ask(…)`"
    return f"{step!r} is not a step"


def problem_of_outcome(outcome: object, seats: int) -> str | None:
    """What is wrong with the outcome that a script returned; None if valid."""
    if not isinstance(outcome, Outcome):
        return f"the script returned {outcome!r}, not an Outcome"
    fields = {"ranks": int, "points": (int, float), "fates": Fate}
    for name, kind in fields.items():
        given = getattr(outcome, name)
        if not isinstance(given, tuple | list) or len(given) != seats:
            return f"the {name} of an Outcome are one for each of {seats} seats, not {given!r}"
        for one in given:
            if not isinstance(one, kind):  # type: ignore[arg-type]  # a type or a tuple of them
                return f"the {name} of an Outcome cannot be {one!r}"
    if not all(1 <= rank <= seats for rank in outcome.ranks):
        return f"the ranks of {seats} seats are from 1 to {seats}, not {outcome.ranks!r}"
    if not all(map(math.isfinite, outcome.points)):
        return f"the points of an Outcome are finite, not {outcome.points!r}"
    for name in ("reason", "sentence"):
        text = getattr(outcome, name)
        if not isinstance(text, str) or "\n" in text:
            return f"the {name} of an Outcome is one line of text, not {text!r}"
    return None


def _problem_of_requests(asks: tuple[Ask, ...]) -> str | None:
    if not asks:
        return "an empty tuple of requests: yield at least one Ask"
    seats = [ask.seat for ask in asks]
    twice = next((seat for seat in seats if seats.count(seat) > 1), None)
    return None if twice is None else f"player{twice + 1} is asked twice at once"


def _no_reason(why: object) -> str | None:
    return None if why == "timeouts" else f"a Stop is for 'timeouts', not for {why!r}"


def _problem_of_request(request: object, seats: int) -> str | None:
    if not isinstance(request, Ask):
        return f"{request!r} among the requests is not an Ask"
    return _no_seat(request.seat, seats) or _no_line(request.line(0))


def _no_seat(seat: object, seats: int) -> str | None:
    if isinstance(seat, int) and 0 <= seat < seats:
        return None
    return f"a seat is a number from 0 to {seats - 1}, not {seat!r}"


def _no_line(line: object) -> str | None:
    if isinstance(line, str) and "\n" not in line and line.isascii():
        return None
    return f"{line!r} is not one line of ASCII text"


def _no_frame(frame: Any) -> str | None:
    for key in ("round", "rounds"):
        if not isinstance(frame, dict) or not isinstance(frame.get(key), int):
            return f"a frame needs a whole number {key!r}"
    try:
        msgspec.json.encode(frame)
    except TypeError as error:
        return f"a frame must be plain JSON ({error})"
    return None


def _line(package: str, script: Any) -> str:
    """``FILE:LINE`` of the innermost generator in the code of a package."""
    found = ""
    while script is not None and getattr(script, "gi_frame", None) is not None:
        frame = script.gi_frame
        if f"{frame.f_globals.get('__name__', '')}.".startswith(f"{package}."):
            found = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        script = script.gi_yieldfrom
    return found
