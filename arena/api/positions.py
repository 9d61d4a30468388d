"""Positions and books for matches that do not begin at their start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from arena.api.conditions import (
    Bots,
    Conditions,
    listed,
    make_spec,
    new_seed,
    require_names_and_values,
)
from arena.core.game import AnyGame
from arena.core.rng import Stream
from arena.core.settings import parse
from arena.errors import UsageError
from arena.match.spec import MatchSpec
from arena.record.position import (
    Position,
    check_opening,
    free_settings,
    is_opening,
    prefix_of,
    read_positions,
)
from arena.text import counted, joined

Positions: TypeAlias = str | Path | Sequence[Position]
"""A file of positions, or the positions themselves."""


def find_position(given: str | Path | Position) -> Position:
    """The position of a file that has one, or ``FILE:LINE`` of one that has several; a position is
    returned as it is. The rules prove it. Raises UsageError."""
    position = given if isinstance(given, Position) else _in_file(str(given))
    prefix_of(position)
    return position


def _in_file(name: str) -> Position:
    path, _, line = name.rpartition(":")
    if not Path(name).exists() and path and line.isdecimal():
        return _at_line(path, int(line))
    found = read_positions(name)
    if len(found) > 1:
        raise UsageError(f"{name} has {len(found)} positions: name one by its line, as {name}:1")
    return found[0]


def _at_line(path: str, line: int) -> Position:
    found = read_positions(path)
    if not 1 <= line <= len(found):
        raise UsageError(f"{path} has {counted(len(found), 'position')}: give {path}:1 to its last")
    return found[line - 1]


def find_positions(given: Positions) -> tuple[Position, ...]:
    """The positions of a file, or those given. Raises UsageError when there is none."""
    found = tuple(read_positions(given) if isinstance(given, str | Path) else given)
    if not found:
        raise UsageError("there are no positions: give some")
    return found


def times_of(conditions: Conditions, game: AnyGame) -> dict[str, Any]:
    """The settings in the conditions that may differ from those of a position: those of time, and
    those that adjudicate matches (`Game.adjudication`). Raises UsageError for any other setting,
    and for a map: these come with the position."""
    settings = conditions.get("settings", {})
    require_names_and_values(settings)
    if conditions.get("map") is not None:
        raise UsageError("the map comes with the position: leave out --map")
    free = free_settings(game)
    for name in settings:
        if name not in free:
            raise UsageError(
                f"the setting {name} comes with the position: only {joined(free, 'and')} may differ"
            )
    return dict(settings)


def at_position(spec: MatchSpec, position: Position, times: Mapping[str, Any]) -> MatchSpec:
    """The match of a spec, played from a position, with these time settings instead of its own."""
    game = position.find_game()
    return replace(
        spec,
        position=position,
        seed=position.seed,
        map=position.map,
        settings=parse(game.settings, {**position.settings, **times}),
        terms=replace(spec.terms, forfeit=spec.terms.forfeit or position.forfeit),
    )


def spec_at(game: str, bots: Bots, position: Position, conditions: Conditions) -> MatchSpec:
    """The spec of a match from a position, as `make_spec`. Raises UsageError for conditions that
    come with the position."""
    if conditions.get("seed") is not None:
        raise UsageError("the seed comes with the position: leave out --seed")
    given = len(listed(bots))
    if given != position.seats:
        raise UsageError(
            f"the position has {counted(position.seats, 'seat')}, and {counted(given, 'bot')} "
            f"{'is' if given == 1 else 'are'} given: name {position.seats}"
        )
    return _spec(game, bots, position, conditions)


def _spec(
    game: str,
    bots: Bots,
    position: Position,
    conditions: Conditions,
    seats: int | None = None,
) -> MatchSpec:
    if game != position.game:
        raise UsageError(f"the position is one of {position.game}, not of {game}: name that game")
    found = position.find_game()
    times = times_of(conditions, found)
    settings = {**position.settings, **times}
    is_counted = found.budget(parse(found.settings, settings)) is not None
    asked: Conditions = {
        **conditions,
        "settings": settings,
        "map": position.map,
        "meter": "instructions" if is_counted else "time",
    }
    return at_position(make_spec(game, bots, asked, seats=seats), position, times)


# Books: positions from which the matches of a series begin.


@lru_cache(maxsize=2)
def _book_order(seed: str, count: int) -> list[int]:
    """The order of a book. Kept, because for 100,000 positions it takes 0.1 s, at each match."""
    order = list(range(count))
    Stream(seed, "book").shuffle(order)
    return order


class Book(Struct, frozen=True):
    """Positions from which matches begin, in an order that a seed decides."""

    positions: tuple[Position, ...]
    seed: str
    times: dict[str, Any] = {}
    """Time settings that differ from those of the positions."""
    file: str = "POS"
    """The file of the positions, as messages name it."""

    @property
    def seats(self) -> int:
        """The number of seats of all positions."""
        return self.positions[0].seats

    def name(self, block: int) -> str:
        """How ``--from`` names the position of a block."""
        return f"{self.file}:{self.index(block) + 1}"

    def index(self, block: int) -> int:
        """Which position a block has, both from 0: none comes twice before all have come."""
        again, place = divmod(block, len(self.positions))
        return _book_order(f"{self.seed}.{again}", len(self.positions))[place]

    def begin(self, spec: MatchSpec, block: int) -> MatchSpec:
        """The match of a spec as a match of that block."""
        return at_position(spec, self.positions[self.index(block)], self.times)


def find_book(given: Positions, game: str) -> tuple[Position, ...]:
    """The positions of a book for a game. Raises UsageError unless all are of that game, and for as
    many seats. (The rules prove each when a match begins there.)"""
    found = find_positions(given)
    for number, one in enumerate(found, 1):
        if one.game != game:
            raise UsageError(f"position {number} of the book is one of {one.game}, not of {game}")
        if one.seats != found[0].seats:
            raise UsageError(
                f"position {number} of the book is for {one.seats} seats, the first one for "
                f"{found[0].seats}: make a book for each number"
            )
    return found


def prove_book(positions: Sequence[Position], free: Mapping[str, Any] | None = None) -> None:
    """Let the rules prove each position of a book, at which all programs must still run, also with
    these of the `free_settings`. Raises UsageError, naming the position. (Openings of chess without
    moves are proved by their FEN alone, all but the first: 100,000 take 5 s instead of a minute.)
    """
    for number, one in enumerate(positions, 1):
        gone = frozenset[int]()
        try:
            if number > 1 and is_opening(one, positions[0].rules_version):
                check_opening(one)
            else:
                gone = prefix_of(one).gone
                if free:  # they are told, so the digest is another
                    prefix_of(replace(one, settings={**one.settings, **free}, digest=""))
        except UsageError as error:
            raise UsageError(f"position {number} of the book: {error}") from None
        if gone:
            raise UsageError(
                f"position {number} of the book: the program of player{min(gone) + 1} was stopped "
                "before it: leave it out"
            )


def book_spec(
    game: str, bots: Bots, positions: Sequence[Position], conditions: Conditions
) -> tuple[MatchSpec, Book]:
    """The spec of a series from a book, with all bots as its entrants, and the book. Raises
    UsageError for conditions that come with the positions."""
    first, given = positions[0], len(listed(bots))
    if given < first.seats:
        raise UsageError(
            f"the book is for {first.seats} seats, and {counted(given, 'bot')} "
            f"{'is' if given == 1 else 'are'} given: name {first.seats} or more"
        )
    own = conditions.get("seed")
    seed = new_seed() if own is None else str(own)
    spec = replace(_spec(game, bots, first, conditions, first.seats), seed=seed)
    return spec, Book(tuple(positions), spec.seed, times_of(conditions, first.find_game()))
