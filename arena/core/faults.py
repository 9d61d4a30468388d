"""Bugs of a game: the match is void, and the report names the line of the game's own code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from arena.core.game import AnyGame
from arena.errors import ArenaError, ArenaFault


@contextmanager
def blamed(game: AnyGame, part: str, seed: str | None = None) -> Iterator[None]:
    """Turn an exception out of a part of the game into an ArenaFault with the file and line. What
    the game raises on purpose, as a UsageError, passes."""
    try:
        yield
    except ArenaError:
        raise
    except (Exception, SystemExit) as error:
        raise game_fault(game, error, part, seed) from error


def game_fault(
    game: AnyGame, error: BaseException, part: str, seed: str | None = None
) -> ArenaFault:
    """The error to raise for a bug in a part of a game."""
    line = own_line(game.package, error.__traceback__)
    return ArenaFault(
        f"{part} of {game.name} failed{line and f' at {line}'} ({error!r}): the match is void, "
        f"please report it with the seed{'' if seed is None else f' {seed!r}'} and the settings"
    )


def own_line(package: str, trace: TracebackType | None) -> str:
    """``FILE:LINE`` of the innermost frame in the code of a package; empty when there is none."""
    found = ""
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if f"{module}.".startswith(f"{package}."):
            found = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found
