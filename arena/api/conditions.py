"""The conditions of matches that a caller may set, their checks, and the resulting spec."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.bots.wasm import command as wasm
from arena.core.clock import Clock
from arena.core.faults import attribute_errors_to
from arena.core.game import AnyGame, Game
from arena.core.jsontext import decode_json
from arena.core.limits import Limits
from arena.core.registry import find_game, installed_game
from arena.core.settings import Settings, convert, parse
from arena.errors import MapError, UsageError, did_you_mean
from arena.match.spec import MatchSpec
from arena.players.debugged import DebuggedEntrant
from arena.players.entrant import (
    LONGEST_NAME,
    Entrant,
    HumanEntrant,
    ProgramEntrant,
    PythonEntrant,
    RecordedEntrant,
)
from arena.players.terms import Terms, Timing
from arena.sandbox.levels import SANDBOX_MODES, SandboxName, SandboxWish
from arena.sandbox.usage.delays import delay_is_known
from arena.text import joined, size_text

# The limit of an answer: time, or the instructions of WebAssembly bots.


def require_names_and_values(settings: object) -> None:
    """Raise UsageError unless the settings are a mapping."""
    if not isinstance(settings, Mapping):
        raise UsageError(f"settings={settings!r} is not allowed: give names and values, as a dict")


def settings_for(game: AnyGame, changes: Mapping[str, Any], *, counted: bool) -> Settings:
    """The settings of the game; `counted`: instructions count instead of time. Raises UsageError
    when the settings do not allow that."""
    require_names_and_values(changes)
    keys = ", ".join(game.metered)
    if counted and not game.metered:
        raise UsageError(f"{game.name} counts time only: leave out --meter instructions")
    if counted and wasm.library() is None:
        raise UsageError(f"--meter instructions needs the library wasmtime: {wasm.INSTALL}")
    with attribute_errors_to(game, "a setting"):
        settings: Settings = parse(
            game.settings, {**game.metered, **changes} if counted else changes
        )
    with attribute_errors_to(game, "the budget"):
        is_counted = game.budget(settings) is not None
    if counted and not is_counted:
        raise UsageError(
            f"with --meter instructions {keys} must be a number of instructions: change or omit it"
        )
    if is_counted and not counted:
        raise UsageError(f"{keys} is given in instructions: add --meter instructions")
    return settings


Bot: TypeAlias = str | Path | BotProgram | Callable[[list[str]], str] | type[Any] | Entrant
"""A bot: a word as on the command line (a file, a folder, a quoted command), a program that was
already found, a function from lines to an answer, a class of objects that are such functions (each
match and seat gets one of its own), or any other entrant, as from `python_bot`."""
Bots: TypeAlias = Sequence[Bot] | Mapping[str, Bot]
"""Bots in their order, or by the names that they shall have."""


def python_bot(make: Callable[[], Callable[[list[str]], str]], name: str = "") -> Entrant:
    """A bot in Python that is made anew for each match and seat, by a call of `make`, whatever the
    number of jobs::

        arena.series("warlight", [python_bot(partial(Searcher, depth=3), "deep"), "other.py"], …)

    What is made is called with the lines since its last request, and returns one line. With more
    than one job, `make` must stand in a module, as must classes. Raises UsageError for what cannot
    be called, or an invalid name.
    """
    if not callable(make):
        raise UsageError(f"{make!r} cannot be called: give a class or another maker of bots")
    usual = getattr(make, "__name__", "") or getattr(getattr(make, "func", None), "__name__", "bot")
    return PythonEntrant(_valid_name(name) if name else usual, None, make)


def _valid_name(name: str) -> str:
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise UsageError(f"{name!r} is no name of a bot: give one printable line")
    if len(name) > LONGEST_NAME:
        raise UsageError(f"the name {name!r} is too long: give at most {LONGEST_NAME} characters")
    return name


ENTRANTS = (ProgramEntrant, PythonEntrant, RecordedEntrant, HumanEntrant, DebuggedEntrant)
LARGEST_MAP = 4 << 20
"""Maximum bytes of a map, which is in the first line of a record."""
ENGINE_START_UP = 10_000
"""Milliseconds that chess engines have to start, unless the caller says otherwise: GUIs wait until
an engine is ready (`readyok`), and some load for a second."""

MeterName: TypeAlias = Literal["time", "instructions"]
T = TypeVar("T", bound=Struct)


class Conditions(TypedDict, total=False):
    """How matches are played. Missing keys have the defaults of ``arena play``."""

    seed: str | int
    """The seed of all randomness. Drawn if absent."""
    settings: Mapping[str, Any]
    """Settings of the game by name, as text or typed."""
    map: str | Path | Mapping[str, Any] | None
    """A map file, or its content."""
    memory: str | int
    """The limit of each bot, as ``"512M"`` or in bytes."""
    sandbox: str | SandboxWish
    """The walls around each bot: ``off``, ``auto`` or ``strict``."""
    clock: str | Clock
    """The clock by which time banks are charged: ``fair``, ``wall`` or ``cpu``. If absent, ``fair``
    where the system can measure it, else ``wall``."""
    meter: MeterName
    """What limits an answer."""
    pondering: bool
    """Whether bots may run between requests."""
    sequential: bool
    """Whether bots are asked one after the other, never two at once."""
    start_up: int
    """Milliseconds from the start of a bot to its first answer that are not charged to its time
    bank. If absent, 0, or `ENGINE_START_UP` with chess engines."""
    forfeit: bool
    """Whether a bot that was stopped (a crash, a limit, missed answers) ranks below all others, and
    a match with one bot left ends. If absent, in games that put a legal move in place of a missing
    answer, as those of OpenSpiel."""
    keep_files: str | Path | None
    """A new folder for the files that bots write."""
    pass_env: Sequence[str]
    """Names of variables of the arena's own environment that bots and their builds get."""


def make_spec(
    game: str | AnyGame, bots: Bots, conditions: Conditions, *, seats: int | None = None
) -> MatchSpec:
    """The spec of the first match. Finds and builds the bots, which may take a while.

    `seats` is the number of bots per match; `bots` may list more. Raises UsageError for invalid
    conditions, BotError for a bot that cannot be built.
    """
    game = game_of(game)
    names, bots = names_of(bots), listed(bots)
    spec = empty_spec(game, seats or len(bots), conditions)
    entrants = tuple(find_entrant(bot, spec.terms.sandbox, spec.pass_env) for bot in bots)
    entrants = tuple(map(renamed, entrants, names or [one.name for one in entrants]))
    for entrant in entrants if _counted(conditions.get("meter", "time")) else ():
        entrant.require_countable()
    if conditions.get("start_up") is None and any(map(_is_engine, entrants)):
        timing = replace(spec.terms.timing, start_up=ENGINE_START_UP)
        spec = replace(spec, terms=replace(spec.terms, timing=timing))
    return replace(spec, entrants=entrants)


def _is_engine(entrant: Entrant) -> bool:
    return isinstance(entrant, ProgramEntrant) and entrant.program.engine


def empty_spec(game: AnyGame, seats: int, conditions: Conditions) -> MatchSpec:
    """The spec of a match under these conditions, without entrants. Raises UsageError."""
    _refuse_unknown(conditions)
    game.check_seats(seats, on_map=conditions.get("map") is not None)
    counted = _counted(conditions.get("meter", "time"))
    settings = settings_for(game, conditions.get("settings", {}), counted=counted)
    if conditions.get("forfeit") is None:
        conditions = {**conditions, "forfeit": game.substitutes(settings)}
    return MatchSpec(
        game=game.name,
        given_game=None if game is installed_game(game.name) else game,
        entrants=(),
        seed=_seed(conditions.get("seed")),
        settings=settings,
        map=read_map(conditions.get("map")),
        terms=terms_from(conditions),
        keep_files=_kept_files(conditions.get("keep_files")),
        pass_env=check_passed(conditions.get("pass_env", ())),
    )


def terms_from(conditions: Conditions) -> Terms:
    """The terms that the conditions state. Raises UsageError."""
    given: dict[str, Any] = {key: one for key, one in conditions.items() if one is not None}
    timing = _part(Timing, {"clock": usual_clock(), **given})
    if timing.clock is Clock.FAIR and not delay_is_known():
        raise UsageError("this system does not report how long a program waits: use --clock wall")
    sandbox = sandbox_mode(given.pop("sandbox", "off"))
    limits = _part(Limits, given)
    return replace(_part(Terms, given), limits=limits, timing=timing, sandbox=sandbox)


def _part(kind: type[T], given: Mapping[str, Any]) -> T:
    """Those of the given conditions that are fields of `kind`, checked."""
    fields = kind.__struct_fields__
    return parse(kind, {key: value for key, value in given.items() if key in fields})


def game_of(game: str | AnyGame) -> AnyGame:
    """The game, given by name or as an object. Raises UsageError."""
    if isinstance(game, Game):
        return game
    if not isinstance(game, str):
        raise UsageError(f"{game!r} is not a game: give its name")
    return find_game(game)


def listed(bots: Bots) -> Sequence[Bot]:
    """The bots in their order. Raises UsageError unless they are a list, or have names."""
    if isinstance(bots, Mapping):
        return list(bots.values())
    if isinstance(bots, str | bytes) or not isinstance(bots, Sequence):
        raise UsageError(
            f"{bots!r} is not a list of bots: give one, as in ['my_bot.py', 'other.js']"
        )
    return bots


def names_of(bots: Bots) -> list[str]:
    """The names by which the bots are given; empty if they have their own. Raises UsageError."""
    return [_valid_name(name) for name in bots] if isinstance(bots, Mapping) else []


def renamed(entrant: Entrant, name: str) -> Entrant:
    """The entrant under that name. Raises UsageError for a seat of a record."""
    if entrant.name == name:
        return entrant
    if isinstance(entrant, ProgramEntrant):
        return ProgramEntrant(dataclasses.replace(entrant.program, name=name))
    if isinstance(entrant, PythonEntrant | HumanEntrant):
        return replace(entrant, name=name)
    raise UsageError(f"{entrant.name} cannot be renamed {name!r}: give it in a list")


def seats_of(game: AnyGame, bots: int, given: int | None, *, on_map: bool) -> int:
    """The number of bots in each match of a series, unless `given`: all bots, or the fewest that
    the game supports. Raises UsageError."""
    known = game.numbers(on_map=on_map)
    if given is None:
        return min(known) if bots > min(known) and bots not in known else bots
    if given not in known or given > bots:
        wanted = joined((str(number) for number in known if number <= bots), "or")
        raise UsageError(f"seats={given} is not allowed for {bots} bots: give {wanted}")
    return given


def _refuse_unknown(conditions: Conditions) -> None:
    for name in conditions:
        if name not in Conditions.__annotations__:
            known = did_you_mean(name, Conditions.__annotations__)
            raise UsageError(f"there is no condition {name!r}: {known}")


def usual_clock() -> Clock:
    """The best clock of this system."""
    return Clock.FAIR if delay_is_known() else Clock.WALL


def _counted(meter: str) -> bool:
    return bool(convert("meter", meter, MeterName) == "instructions")


def _seed(given: str | int | None) -> str:
    if given == "":
        raise UsageError("the seed is empty: give a text or a number, or leave it out")
    return new_seed() if given is None else str(given)


def find_entrant(bot: Bot, mode: SandboxWish, pass_env: Sequence[str] = ()) -> Entrant:
    """The entrant for a bot. Programs are built behind the walls of `mode`, with the variables of
    `pass_env`."""
    if isinstance(bot, str | Path):
        return ProgramEntrant(find_bot(str(bot), sandbox=mode, pass_env=pass_env))
    if isinstance(bot, BotProgram):
        return ProgramEntrant(bot)
    if isinstance(bot, ENTRANTS):
        return bot
    if isinstance(bot, type):
        return python_bot(bot)
    if callable(bot):
        return PythonEntrant(getattr(bot, "__name__", "function"), bot)
    raise UsageError(f"{bot!r} is not a bot: give a file, a folder, a quoted command or a function")


def check_passed(names: Sequence[str]) -> tuple[str, ...]:
    """The names of variables to pass on. Raises UsageError for one that is not set."""
    checked: tuple[str, ...] = convert("pass_env", names, tuple[str, ...])
    for name in checked:
        if name not in os.environ:
            raise UsageError(
                f"there is no variable {name!r} to pass on: set it first, or leave the name out"
            )
    return checked


def sandbox_mode(given: str | SandboxWish) -> SandboxWish:
    """The sandbox mode of that name. Raises UsageError."""
    if isinstance(given, SandboxWish):
        return given
    return SANDBOX_MODES[convert("sandbox", given, SandboxName)]


def new_seed() -> str:
    """A random seed, short enough to retype."""
    return str(int.from_bytes(os.urandom(8), "big") % 10**9)


def read_map(given: str | Path | Mapping[str, Any] | None) -> Any:
    """The content of a map file, or the content itself if given. Raises MapError."""
    if not isinstance(given, str | Path):
        return given
    from arena.record.source import open_plain

    path = Path(given)
    try:
        with open_plain(path) as file:
            text = file.read(LARGEST_MAP + 1)
        if len(text) > LARGEST_MAP:
            raise MapError(f"the map {path} is larger than {size_text(LARGEST_MAP)}: name another")
        return decode_json(text, msgspec.json.Decoder())
    except OSError as error:
        raise MapError(f"cannot read the map {path}: {error.strerror}: name another") from None
    except ValueError as error:
        raise MapError(f"the map {path} is not JSON: {error}") from None


def _kept_files(given: str | Path | None) -> Path | None:
    """The folder for kept files. Raises UsageError if it cannot be used."""
    if given is None:
        return None
    from arena.players.kept import new_folder  # with Trio, which few matches need so early

    return new_folder(Path(given).absolute())
