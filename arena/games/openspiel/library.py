"""What is used of OpenSpiel: which games there are, their parameters as settings, and a game made
of both.

The parameters of a game become its settings, with these exceptions: the number of players is that
of the seats, seeds come from the seed of the match, files of the host are not read, and nothing
writes escape codes. A text of several lines, as a map, has ``\\n`` between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Annotated, Any

import msgspec
import pyspiel
from msgspec import Meta

from arena.core import SettingError, Settings, Setup, Stream, decimal_range
from arena.games.kit import joined
from arena.games.openspiel.chess import CHESS, MATE_SCORE, first_position

FAMILY = "openspiel:"
"""What the names of its games begin with."""
OUR_VERSION = 1
"""Incremented with every change of our part that could make an old record play differently."""
SEAT_PARAMETERS = ("players", "num_players", "numPlayers")
SEED_PARAMETERS = ("rng_seed", "seed")
LEFT_OUT = {
    *("boards_file", "filename", "instances_file", "puzzles_root", "word_list_file"),
    "ansi_color_output",
    *SEAT_PARAMETERS,
    *SEED_PARAMETERS,
}
IDENTIFIERS = {"50_move_rule": "fifty_move_rule"}
"""Names of settings for parameters whose name is not an identifier."""
ONLY_SEATS = {
    "chinese_checkers": (2, 3, 4, 6),
    "go_fish": tuple(range(2, 10)),
    "pathfinding": (2,),
    "python_dynamic_routing": (5,),
    "python_liars_poker": (2,),
    "snake": (2, 4),
    "tiny_hanabi": (2,),
}
"""Games that are for fewer numbers of seats than they say, at least by their defaults.
(Go fish for ten cannot be dealt in one of 30 matches: the library offers no further card.)"""
DEFAULTS = {("pathfinding", "grid"): "A.*..**\n..*....\nB...*ab"}
"""Instead of defaults that are for one seat."""
ONE_FOR_EACH_SEAT = {"blind", "stack"}
"""Parameters with a number for each seat. The last one stands for seats that are left out."""
PYTHON_PREFIX = "python_"
"""Begins the names of games that the library writes in Python, all but one."""
CHAT_GAME = "chat_game"
MEAN_FIELD_IN_PYTHON = "python_mfg_"
MEAN_FIELD = "it is a mean field game, which has no number of seats"
MOST_MOVES = 100_000
SETTINGS_PREFIX = "Settings_"
"""Begins the names of the types of settings."""


class SpielSettings(Settings, frozen=True, kw_only=True):
    """The settings of every game of OpenSpiel."""

    max_moves: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_MOVES)] | None,
        Meta(
            description="moves after which the match ends with the points so far",
            extra={"default": "the longest match that the game allows"},
        ),
    ] = None


def _escaped(text: str) -> str:
    return "\\n".join(text.strip("\n").split("\n"))


def _text(given: str) -> str:
    """A text of one line. Raises SettingError where bots could not read it back."""
    text = _escaped(given)
    if not text.isascii() or not text.isprintable() or text != " ".join(text.split()):
        raise SettingError(f"{given!r} is not ASCII text with single blanks: write \\n for a line")
    return text


class ChessSettings(SpielSettings, frozen=True, kw_only=True):
    """What chess has besides the parameters of the library."""

    fen: Annotated[
        str,
        Meta(
            max_length=100,
            description="the position that the match begins with, in FEN",
            extra={"allowed": "a position in FEN", "read": _text},
        ),
    ] = ""
    play_on: Annotated[
        bool,
        Meta(
            description="whether the first legal move is taken where an answer is missing or "
            "illegal; otherwise that loses"
        ),
    ] = False
    resign_moves: Annotated[
        int,
        Meta(
            ge=0,
            le=1000,
            description="moves in a row scored -resign_score or worse by their own seat with which "
            "it has lost; 0: never",
        ),
    ] = 0
    resign_score: Annotated[
        int, Meta(ge=1, le=MATE_SCORE, description="for resign_moves, in hundredths of a pawn")
    ] = 600
    draw_moves: Annotated[
        int,
        Meta(
            ge=0,
            le=1000,
            description="moves in a row of each seat, scored within draw_score of 0, with which "
            "the match is drawn; 0: never",
        ),
    ] = 0
    draw_score: Annotated[
        int, Meta(ge=0, le=MATE_SCORE, description="for draw_moves, in hundredths of a pawn")
    ] = 10
    draw_from: Annotated[
        int,
        Meta(ge=0, le=10_000, description="moves of each seat before which nothing is drawn so"),
    ] = 40


def substitutes(settings: SpielSettings) -> bool:
    """Whether a legal move is taken where an answer is missing; in chess only on demand."""
    return not isinstance(settings, ChessSettings) or settings.play_on


ADJUDICATION = ("resign_moves", "resign_score", "draw_moves", "draw_score", "draw_from")
"""The settings of chess that say when scores end a match."""
OWN_SETTINGS: dict[str, type[SpielSettings]] = {CHESS: ChessSettings}
"""The games with further settings than the parameters of the library."""


@cache
def registered(in_python: bool) -> dict[str, pyspiel.GameType]:
    """All games of the library by their short names, with or without those that it writes in
    Python: to import these takes half a second, since they need numpy."""
    if in_python:
        import open_spiel.python.games  # noqa: F401  # importing registers them
    return {kind.short_name: kind for kind in pyspiel.registered_games()}


@cache
def games() -> dict[str, pyspiel.GameType]:
    """The games that can be played here, by their short names, in alphabetical order."""
    found = sorted(registered(in_python=True).items())
    return {name: kind for name, kind in found if unplayable(kind) is None}


def find_kind(name: str) -> pyspiel.GameType | None:
    """The library's game of that short name, which need not be playable; None if there is none."""
    return registered(name.startswith(PYTHON_PREFIX) or name == CHAT_GAME).get(name)


def unplayable(kind: pyspiel.GameType) -> str | None:
    """Why a registered game cannot be played here; None if it can."""
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        return MEAN_FIELD
    if kind.max_num_players < 2:
        return "it is for one player"
    if not kind.default_loadable:
        return "it is made of another game, or of a file"
    if kind.short_name == CHAT_GAME:
        return "its moves are made by a language model"
    return None


def refusal(name: str) -> str | None:
    """Why the library's game of that name cannot be played; None if there is no such game."""
    if name.startswith(MEAN_FIELD_IN_PYTHON):
        return MEAN_FIELD
    kind = find_kind(name)
    return unplayable(kind) if kind else None


def seats_of(kind: pyspiel.GameType) -> tuple[int, ...]:
    """The possible numbers of players."""
    span = range(max(2, kind.min_num_players), kind.max_num_players + 1)
    return ONLY_SEATS.get(kind.short_name, tuple(span))


def rules_version() -> int:
    """Our version and that of the library in one number: 1020002 is 1 with open_spiel 2.0.2."""
    major, minor, patch = (int(part) for part in [*pyspiel.__version__.split("."), "0"][:3])
    return OUR_VERSION * 10**6 + major * 10**4 + minor * 100 + patch


def installs(version: int) -> str:
    """The command that installs the library of a rules version; empty if our part is another."""
    ours, theirs = divmod(version, 10**6)
    major, (minor, patch) = theirs // 10**4, divmod(theirs % 10**4, 100)
    return f"pip install open_spiel=={major}.{minor}.{patch}" if ours == OUR_VERSION else ""


# -- parameters as settings ------------------------------------------------------------------


@cache
def settings_type(name: str) -> type[SpielSettings]:
    """The settings of a game by its short name: a struct with a field for each parameter."""
    fields = [
        (IDENTIFIERS.get(key, key), *_field(key, DEFAULTS.get((name, key), default)))
        for key, default in sorted(find_kind(name).parameter_specification.items())  # type: ignore[union-attr]
        if key not in LEFT_OUT
    ]
    made: Any = msgspec.defstruct(
        SETTINGS_PREFIX + name,
        fields,
        bases=(OWN_SETTINGS.get(name, SpielSettings),),
        module=__name__,
        frozen=True,
        kw_only=True,
    )
    return made  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    """The type of the settings of a game by its name, for values from another process."""
    short = name.removeprefix(SETTINGS_PREFIX)
    if short == name or find_kind(short) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return settings_type(short)


def _field(name: str, default: Any) -> tuple[Any, Any]:
    """The annotation and the default of a parameter."""
    said = f"the parameter {name} of OpenSpiel"
    if isinstance(default, bool):
        return Annotated[bool, Meta(description=said)], default
    if isinstance(default, int):
        most = max(20, 3 * abs(default))  # texts of larger boards are not ASCII, as breakthrough's
        return Annotated[int, Meta(ge=min(default, 0), le=most, description=said)], default
    if isinstance(default, float):
        most = max(100, int(10 * abs(default)))
        return Annotated[Decimal, decimal_range(-most, most, said)], Decimal(str(default))
    text = Meta(max_length=2000, description=said, extra={"allowed": "a text", "read": _text})
    return Annotated[str, text], _escaped(default)


def parameters(kind: pyspiel.GameType, settings: SpielSettings) -> Iterator[tuple[str, Any]]:
    """The names of parameters of the library with their values in these settings."""
    for name in kind.parameter_specification:
        if name not in LEFT_OUT:
            value = getattr(settings, IDENTIFIERS.get(name, name))
            if isinstance(value, Decimal):
                value = float(value)
            yield name, value.replace("\\n", "\n") if isinstance(value, str) else value


def begin(setup: Setup[SpielSettings], kind: pyspiel.GameType) -> pyspiel.State:
    """The first state of a set-up. Raises SettingError where the library refuses the parameters."""
    specified = kind.parameter_specification
    given = {
        name: value
        for name, value in parameters(kind, setup.settings)
        if _differs(value, specified[name])
    }
    for name in specified:
        if name in SEAT_PARAMETERS:
            given[name] = setup.seats
        elif name in SEED_PARAMETERS:
            given[name] = Stream(setup.seed, name).below(2**31 - 1)
        elif name == "ansi_color_output":
            given[name] = False
        elif name in ONE_FOR_EACH_SEAT:
            given[name] = _for_each_seat(given.get(name, specified[name]), setup.seats)
    try:
        game = pyspiel.load_game(kind.short_name, given)
        state = first_state(game, setup.settings)
    except pyspiel.SpielError as error:
        problem = str(error).strip().splitlines()[-1][:200]
    else:
        if game.num_players() == setup.seats:
            return state
        problem = f"it is for {game.num_players()} players"
    shown = joined(f"{name}={value!r}" for name, value in given.items())
    raise SettingError(
        f"OpenSpiel cannot play {kind.short_name} with {shown} ({problem}): give other values"
    )


def first_state(game: pyspiel.Game, settings: SpielSettings) -> pyspiel.State:
    """The first state of a game, which in chess may be given. Raises SettingError."""
    if isinstance(settings, ChessSettings):
        return first_position(settings.fen, game)
    return game.new_initial_state()


def _differs(value: Any, default: Any) -> bool:
    return bool(value != (default.strip("\n") if isinstance(default, str) else default))


def _for_each_seat(value: str, seats: int) -> str:
    numbers = value.split()
    return " ".join([*numbers, *numbers[-1:] * (seats - len(numbers))])
