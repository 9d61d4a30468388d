"""One match for a learner, without processes and without any library: who is asked next, what that
seat was told, and what the end is worth.

The environments for PettingZoo and Gymnasium and the text face are thin layers over it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from math import inf
from numbers import Real
from operator import index
from pathlib import Path
from typing import Any, TypedDict

from msgspec import Struct
from msgspec.structs import replace

from arena.api.conditions import game_of, new_seed, read_map, settings_for
from arena.core.arrays import TEXT_ARRAYS, ArrayEncoder, ArrayLayout, GameArrays
from arena.core.game import AnyGame, Setup
from arena.core.lines import trim_written
from arena.core.ranking import shares
from arena.core.replies import Answer, Silence, Why
from arena.core.settings import Settings
from arena.core.steps import Ask, Asks, Frame, Note, Outcome, Show, Stop, Tell
from arena.core.table import Table
from arena.core.view import find_view
from arena.errors import UsageError


class EpisodeOptions(TypedDict, total=False):
    """What all environments take besides the game."""

    seats: int
    """The number of seats; the fewest that the game knows if absent."""
    settings: Mapping[str, Any]
    """Settings of the game by name, as text or typed."""
    map: str | Path | Mapping[str, Any] | None
    """A map file, or its content."""
    rounds: int | None
    """The round after which an episode is truncated; None: as long as the rules let it last."""
    shaping: float
    """How much of the change of its standing a seat is given as a reward on the way. The standing
    is that of spectators, so it also tells what is hidden. 0 if absent: the result is all."""


class EpisodePlan(Struct, frozen=True):
    """What is played, but for the seed."""

    game: AnyGame
    seats: int
    settings: Settings
    map: Any = None
    rounds: int | None = None
    shaping: float = 0.0
    arrays: GameArrays = TEXT_ARRAYS
    """How the game becomes arrays: `ARRAYS` in `arrays.py` beside its script, else by its text."""

    @classmethod
    def of(cls, game: str | AnyGame, options: EpisodeOptions) -> EpisodePlan:
        """The plan with these options. Raises UsageError."""
        for name in options:
            if name not in EpisodeOptions.__annotations__:
                known = ", ".join(EpisodeOptions.__annotations__)
                raise UsageError(f"there is no option {name!r}: give some of {known}")
        game, content = game_of(game), read_map(options.get("map"))
        seats = options.get("seats", min(game.numbers(on_map=content is not None)))
        seats = whole_number("seats", seats, least=1)
        rounds, shaping = options.get("rounds"), options.get("shaping", 0.0)
        if rounds is not None:
            rounds = whole_number("rounds", rounds, least=1)
        if not isinstance(shaping, Real) or not 0 <= shaping < inf:
            raise UsageError(f"shaping={shaping!r} is not allowed: give a number from 0")
        settings = settings_for(game, options.get("settings", {}), counted=False)
        module = game.own_module("arrays")
        arrays = TEXT_ARRAYS if module is None else module.ARRAYS
        plan = cls(game, seats, settings, content, rounds, float(shaping), arrays)
        game.check_setup(plan.setup(""))
        return plan

    def changed(self, options: Mapping[str, Any] | None) -> EpisodePlan:
        """The plan with the `settings` and the `map` that are among the options of a reset. Others
        are left to wrappers. Raises UsageError for what needs other shapes."""
        given: Mapping[str, Any] = {} if options is None else options
        if not isinstance(given, Mapping):
            raise UsageError(f"options={given!r:.80} is not allowed: give a dict")
        if not {"settings", "map"} & given.keys():
            return self
        named: Any = given.get("settings", {})
        fields = {**_plain(self.settings), **named} if isinstance(named, Mapping) else named
        content = read_map(given["map"]) if "map" in given else self.map
        new = replace(self, settings=settings_for(self.game, fields, counted=False), map=content)
        if new.layout != self.layout:
            raise UsageError(
                "these options change the shape of observations or actions: make another "
                "environment"
            )
        return new

    def setup(self, seed: str) -> Setup[Settings]:
        """The set-up of a match."""
        return Setup(seed, self.seats, self.settings, self.map)

    @property
    def layout(self) -> ArrayLayout:
        """The shape of arrays."""
        return self.arrays.layout(self.setup(""))

    @property
    def agents(self) -> list[str]:
        """The names of the seats for libraries, which want a number: ``seat_0``."""
        return [f"seat_{seat}" for seat in range(self.seats)]


def _plain(settings: Settings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in settings.__struct_fields__}


def whole_number(name: str, given: Any, *, least: int) -> int:
    """The number of an option, also one of numpy. Raises UsageError for what is none, or less than
    `least`."""
    try:
        number = least - 1 if isinstance(given, bool) else index(given)
    except TypeError:
        number = least - 1
    if number < least:
        raise UsageError(f"{name}={given!r} is not allowed: give a whole number from {least}")
    return number


def checked_seed(seed: Any) -> int:
    """The seed as a number. Raises UsageError for one that is no whole number."""
    try:
        return index(seed)
    except TypeError:
        raise UsageError(f"seed={seed!r} is not allowed: give a whole number") from None


class Seeds:
    """The seeds of one match after the other: that of a `reset(seed)` is used as it is, so that
    ``arena play --seed`` plays the same match; those that follow derive from it."""

    def __init__(self) -> None:
        self._source = random.Random(new_seed())

    def next(self, seed: int | None) -> str:
        """The seed of the next match. Raises UsageError for one that is no whole number."""
        if seed is None:
            return str(self._source.randrange(10**9))
        seed = checked_seed(seed)
        self._source = random.Random(seed)
        return str(seed)


class Episode:
    """What is known of one match while it is played. `TableEpisode` plays it without processes."""

    def __init__(self, plan: EpisodePlan, seed: str, *, encode: bool = False) -> None:
        """With `encode`, the lines to each seat go to its encoder, too."""
        self.plan, self.seed, self.encode = plan, seed, encode
        self.table: Table[Any] | None = None
        """The match, at `ask`."""
        self.lines: list[list[str]] = [[] for _ in range(plan.seats)]
        """What each seat was told since its last answer, its open request last."""
        self.encoders: list[ArrayEncoder] = [
            plan.arrays.encoder(plan.setup(""), seat) for seat in range(plan.seats) if encode
        ]
        self.frame: Frame | None = None
        """What spectators saw last."""
        self.board: Any = None
        self.truncated = False
        """Whether the episode ended after the number of rounds that the caller set."""
        self.ask: Ask | None = None
        """The request that is answered next; None at the end."""
        self.outcome: Outcome | None = None
        self._standing: Callable[[Frame], Iterable[float | None]] = _no_standing
        if plan.shaping and (view := find_view(plan.game)):
            self._standing = view.standing

    @property
    def over(self) -> bool:
        """Whether the match has ended, or the episode was truncated."""
        return self.ask is None

    def waiting(self) -> list[int]:
        """The seats whose answers are awaited."""
        return [] if self.ask is None else [self.ask.seat]

    def answer(self, text: str, seat: int | None = None) -> None:
        """Answer the request `ask`, or that of another seat that is asked. The rules judge the
        text, as that of a bot. Raises UsageError when it is not one line, or the seat is not asked.
        """
        if self.ask is None:
            raise UsageError("the match is over: reset the environment")
        if seat is None:
            seat = self.ask.seat
        elif seat not in self.waiting():
            raise UsageError(f"player{seat + 1} is not asked: answer the open request")
        line = checked_line(text)
        self.lines[seat].clear()
        self._move_on(seat, line)

    def _move_on(self, seat: int, text: str) -> None:
        raise NotImplementedError

    def abandon(self) -> None:
        """End the episode here, without a result."""
        self.ask = None

    def close(self) -> None:
        """End the match, if it still runs."""

    def tell(self, seat: int, line: str) -> None:
        """A line went to a seat."""
        self.lines[seat].append(line)
        if self.encoders:
            self.encoders[seat].hear(line)

    def show(self, frame: Frame) -> None:
        """A round ended."""
        if self.frame is None:
            self.board = frame.get("board")
        self.frame = frame
        limit = self.plan.rounds
        self.truncated = limit is not None and frame["round"] >= limit

    def picture(self) -> str:
        """The board as spectators see it, as text."""
        return "" if self.frame is None else self.plan.game.picture(self.board, self.frame)

    # -- rewards -----------------------------------------------------------------------------

    def results(self) -> list[float]:
        """What the end is worth to each seat: the share of the others that rank below it less the
        share of those above, from −1 to 1. They add up to 0. All 0 before the end."""
        if self.outcome is None:
            return [0.0] * self.plan.seats
        return [2 * share - 1 for share in shares(self.outcome.ranks)]

    def potentials(self) -> list[float]:
        """What the position is worth by the chart of spectators, weighed by `shaping`: the share of
        each seat less the mean of the others'. All 0 at the end, where the result counts."""
        if self.frame is None or self.outcome is not None:
            return [0.0] * self.plan.seats
        standing = [one or 0.0 for one in self._standing(self.frame)]
        total, others = sum(standing), max(1, self.plan.seats - 1)
        if not total:
            return [0.0] * self.plan.seats
        return [self.plan.shaping * (one - (total - one) / others) / total for one in standing]


def checked_line(text: str) -> str:
    """The answer, trimmed. Raises UsageError when it is not one line of text."""
    if not isinstance(text, str) or "\n" in (line := trim_written(text)):
        raise UsageError(f"the answer {text!r:.80} is not one line of text: give one")
    return line


def _no_standing(frame: Frame) -> Iterable[float | None]:
    return ()


class TableEpisode(Episode):
    """A match in which all seats are answered by the caller, one after the other; of those asked at
    once, none learns what another has answered before all have."""

    table: Table[Any]

    def __init__(self, plan: EpisodePlan, seed: str, *, encode: bool = False) -> None:
        """Begin a match."""
        super().__init__(plan, seed, encode=encode)
        self.table = Table(plan.game, plan.setup(seed))
        self._answers: list[tuple[int, str]] = []
        self._stopped: set[int] = set()
        self.problems: list[tuple[int, str]] = []
        """What was wrong with the last answers that the rules judged: the seat, and why."""
        self._go_on()

    def waiting(self) -> list[int]:
        """The seats whose answers are awaited, in the order of their requests."""
        return [] if self.ask is None else [ask.seat for ask in self.table.waiting()]

    def _move_on(self, seat: int, text: str) -> None:
        self._answers.append((seat, text))
        self.table.answer(seat, Answer(text))
        self._go_on()

    def _go_on(self) -> None:
        """Take in what happened, up to the next request to a seat whose player was not stopped."""
        table = self.table
        while True:
            asked = table.waiting()
            if len(asked) == len(table.asked):  # the last answer moved the match on
                self._take_in(asked)
            self.ask = asked[0] if asked and not self.truncated else None
            if self.ask is None or self.ask.seat not in self._stopped:
                return
            table.answer(self.ask.seat, Silence(Why.STOPPED))

    def _take_in(self, asked: Asks) -> None:
        self.problems = []
        for step in self.table.take():
            if type(step) is Tell:
                self.tell(step.seat, step.line)
            elif type(step) is Show:
                self.show(step.frame)
            elif type(step) is Stop:
                self._stopped.add(step.seat)
            elif type(step) is Note and step.fault:
                self.problems.append((step.seat, step.detail))
        bank, self.outcome = self.plan.settings.timebank, self.table.outcome
        self.truncated = self.truncated and self.outcome is None
        for ask in asked:
            self.tell(ask.seat, ask.line(bank))

    def __reduce__(self) -> tuple[Any, ...]:
        """A match is pickled and copied as its answers, since its script is a generator."""
        return _played_again, (self.plan, self.seed, self.encode, self._answers)


def _played_again(
    plan: EpisodePlan, seed: str, encode: bool, answers: list[tuple[int, str]]
) -> TableEpisode:
    episode = TableEpisode(plan, seed, encode=encode)
    for seat, text in answers:
        episode.answer(text, seat)
    return episode
