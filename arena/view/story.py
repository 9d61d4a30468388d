"""Build the story of a match for a page: its frames, and what the game says about them.

The page contains the story as JSON, which `static/story.js` reads.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from operator import ne
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from arena.core.faults import own_line
from arena.core.game import AnyGame
from arena.core.registry import find_game
from arena.core.replies import Reply
from arena.core.steps import Frame, Outcome, Show
from arena.core.view import Event, GameView, find_view
from arena.errors import ArenaError, ArenaFault, ReplayError, UsageError
from arena.games.kit import letter
from arena.record.format import Answered, Header, PlayerTotals, Silent
from arena.record.reader import Match
from arena.view.chances import find_model, match_chances, turning_points
from arena.view.chapters import Mark, banks, marks
from arena.view.drawings import Drawings, read_drawings

# Patches between two JSON values, in a form that compresses well.
#
# A patch is a list with the whole new value, or an object with a patch for each changed part: by
# key, or by index as text. An empty patch changes nothing.

Patch: TypeAlias = list[Any] | dict[str, Any]


def patch_between(old: Any, new: Any) -> Patch:
    """The patch that turns `old` into `new`."""
    return {} if old == new else _between(old, new)


def _between(old: Any, new: Any) -> Patch:
    """Like `patch_between`, for two values that differ."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return {key: _between(old[key], new[key]) for key in new if old[key] != new[key]}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        changed = [i for i, differs in enumerate(map(ne, old, new)) if differs]
        if 2 * len(changed) <= len(new) or isinstance(new[0], list):
            return {str(i): _between(old[i], new[i]) for i in changed}
    return [new]


# The account of a round (orders, events, standing): for spectators, and as far as a seat knows it.

Index: TypeAlias = int
"""Index of the same item in the spectators' account, from 0."""


class RoundAccount(Struct, frozen=True):
    """The account of a round for spectators."""

    orders: list[str]
    events: list[Event]
    standing: list[float | None]


class SeatRoundAccount(Struct, frozen=True, array_like=True):
    """The account as a seat knows it, which refers to the spectators' account by index."""

    orders: list[str | Index]
    events: list[Event | Index]
    standing: Patch


def account(view: GameView[Any], first: Frame, before: Frame | None, frame: Frame) -> RoundAccount:
    """What the game says of a frame, given the first and the previous one, all as spectators or all
    as a seat sees them."""
    return RoundAccount(
        list(view.orders(frame)),
        list(view.events(first.get("board"), before, frame)),
        list(view.standing(frame)),
    )


def in_common(public: RoundAccount, known: RoundAccount) -> SeatRoundAccount:
    """A seat's account, with indices where it agrees with the public account."""
    orders = {text: number for number, text in enumerate(public.orders)}
    events = {event: number for number, event in enumerate(public.events)}
    return SeatRoundAccount(
        [orders.get(text, text) for text in known.orders],
        [events.get(event, event) for event in known.events],
        patch_between(public.standing, known.standing),
    )


class Accounts:
    """The accounts of a match, frame by frame."""

    def __init__(self, view: GameView[Any]) -> None:
        self._view = view
        self._first: Sequence[Frame] = ()
        self._before: Sequence[Frame | None] = ()

    def add(self, frames: Sequence[Frame]) -> list[RoundAccount]:
        """The accounts of one moment, from the frames of several viewers in a fixed order."""
        self._first = self._first or frames
        self._before = self._before or [None] * len(frames)
        trios = zip(self._first, self._before, frames, strict=True)
        self._before = frames
        return [account(self._view, *trio) for trio in trios]


# The worlds of a recorded match: its rules, run again on the recorded replies.


def worlds(game: AnyGame, match: Match) -> Iterator[tuple[Any, Frame]]:
    """Yield the world at each frame, with that frame, as far as the replies go. The same world
    changes when the next one is requested. Raises UsageError and ArenaFault like the game, and
    ReplayError when the rules do not reproduce the recorded match."""
    given = (one for one in match.records if isinstance(one, Answered | Silent))
    played = worlds_of(game, match.header, given)
    for (world, frame), recorded in zip(played, match.frames, strict=False):
        if frame != recorded:
            raise ReplayError(f"the rules give a different round {frame['round']} than the record")
        yield world, frame


def worlds_of(
    game: AnyGame, header: Header, given: Iterator[Answered | Silent]
) -> Iterator[tuple[Any, Frame]]:
    """Yield the worlds of a match with this header, with their frames, for the given replies. No
    reply is taken before a frame needs it."""
    world = game.world(header.setup(game))
    for frame in _frames(game, world, (record.reply for record in given)):
        yield world, frame


def _frames(game: AnyGame, world: Any, replies: Iterator[Reply]) -> Iterator[Frame]:
    """Yield the script's frames, each when it is shown."""
    script = game.script(world)
    try:
        step = next(script)
        while True:
            if type(step) is Show:
                yield step.frame
            if type(step) is tuple:
                given = tuple([reply for _, reply in zip(step, replies, strict=False)])
                if len(given) < len(step):
                    return
                step = script.send(given)
            else:
                step = next(script)
    except StopIteration:
        return


PATTERNS_FROM = 5
"""Number of seats from which colours alone cannot be distinguished."""


class SeatStory(Struct, frozen=True):
    """One player."""

    name: str
    """Name of the bot."""
    label: str
    """Name of the seat in the game: ``player1``."""
    letter: str
    colour: str
    """CSS variable with the seat's colour."""
    fill: str
    """Colour assigned by the game, as ``#rrggbb``; empty: the default colour of pages."""
    pattern: bool


class TurnMark(Struct, frozen=True, array_like=True):
    """A turning point: a round whose answers cost a seat much of its chance."""

    index: int
    """The index of the frame that shows the effect."""
    seat: int
    chances: tuple[int, ...]
    """The chance before the round and after `last`, in per cent."""
    forces: tuple[int, ...]
    """The same of the share in the forces."""
    last: int
    """The round in which the fall ends."""


class Story(Struct, frozen=True):
    """A match as a page shows it."""

    file: str
    """Name of the record's file, as a shell reads it."""
    game: str
    title: str
    seed: str
    settings: dict[str, Any]
    seats: list[SeatStory]
    rounds: list[int]
    """The number of the round of each frame."""
    frames: list[Frame]
    headlines: list[str]
    seen: list[list[Patch]] | None
    """Patches from the spectators' to each seat's frames, by seat and frame; null: nothing is
    hidden."""
    told: list[list[SeatRoundAccount]]
    """What each seat knows of events, orders and standing, by seat and frame, where something is
    hidden."""
    pictures: list[str] | None
    """The boards as text, for a game without a script that draws them."""
    unit: str
    """Unit of `standing` in the singular; empty for a game without a view."""
    units: str
    """Unit of `standing` in the plural."""
    standing: list[list[float | None]]
    """Standing by frame and seat."""
    chances: list[list[int]]
    """The chance of each seat to win in per cent, by frame and seat; empty without a model."""
    turns: list[TurnMark]
    """The turning points, in the order of frames."""
    events: list[list[Event]]
    orders: list[list[str]]
    marks: list[Mark]
    banks: list[list[int | None]]
    """Time bank at the last request, in ms, by frame and seat."""
    drawings: Drawings
    """Drawings of bots."""
    outcome: Outcome | None
    totals: list[PlayerTotals | None]
    notes: list[str]
    """Notes on the record for people: that it ends early, or that it does not fit the rules."""


def tell_story(match: Match, file: str) -> Story:
    """The story of a match. Raises ReplayError when there is nothing to show, and ArenaFault for a
    bug in the game's view."""
    if not match.frames:
        raise ReplayError(f"{file} ends before the first round: there is nothing to show")
    try:
        game = find_game(match.game)
    except UsageError as error:
        raise ReplayError(f"{file}: {error}") from None
    try:
        return _story(match, file, game, find_view(game))
    except ArenaError:
        raise
    except Exception as error:
        if not _is_its_own(game, match):  # an untrusted record may have any frames
            said = f"{type(error).__name__}: {error}"
            raise ReplayError(
                f"{file} has frames that do not belong to {game.name} ({said})"
            ) from error
        line = own_line(game.package, error.__traceback__)
        raise ArenaFault(
            f"{file} cannot be shown: what {game.name} says of its frames failed"
            f"{line and f' at {line}'} ({error!r}): please report it with the record"
        ) from error


def _is_its_own(game: AnyGame, match: Match) -> bool:
    """Whether the rules reproduce the frames of the record."""
    try:
        return sum(1 for _ in worlds(game, match)) == len(match.frames)
    except (ArenaError, LookupError):
        return False


def packed(story: Story) -> bytes:
    """A story as JSON in which each frame and each patch is a string of JSON. The page parses each
    when it shows it: for all frames of 1,000 turns of Code Character a browser takes 80 ms of CPU
    time, for their strings 6 ms."""
    fields = msgspec.structs.asdict(story)
    fields["frames"] = _texts(story.frames)
    fields["seen"] = story.seen and [_texts(patches) for patches in story.seen]
    return msgspec.json.encode(fields)


def _texts(values: Sequence[Any]) -> list[str]:
    return [msgspec.json.encode(value).decode() for value in values]


def empty_story(match: Match, game: AnyGame, view: GameView[Any] | None) -> Story:
    """The story of a match before its first frame, for a page that follows it."""
    return Story(
        file="",
        game=game.name,
        title=game.title,
        seed=match.seed,
        settings=dict(match.settings),
        seats=list(_seats(match, view)),
        rounds=[],
        frames=[],
        headlines=[],
        seen=[[] for _ in match.players] if view and view.seen else None,
        told=[[] for _ in match.players] if view and view.seen else [],
        pictures=None if view else [],
        unit=view.unit if view else "",
        units=view.units if view else "",
        standing=[],
        chances=[],
        turns=[],
        events=[],
        orders=[],
        marks=[],
        banks=[],
        drawings=Drawings(shapes={}, values=[], sides=[], moments=[], notes=[]),
        outcome=None,
        totals=[None for _ in match.players],
        notes=[],
    )


def _story(match: Match, file: str, game: AnyGame, view: GameView[Any] | None) -> Story:
    frames = list(match.frames)
    accounts = list(_accounts(view, frames)) if view else []
    seen, told, doubt = _seen(match, game, view, accounts)
    chances, turns = _chances(match, game, view)
    early = [] if match.outcome else ["The record ends before the match did."]
    pictures = None if view else [game.picture(frames[0].get("board"), one) for one in frames]
    return Story(
        file=shlex.quote(file),
        game=game.name,
        title=game.title,
        seed=match.seed,
        settings=dict(match.settings),
        seats=list(_seats(match, view)),
        rounds=[frame["round"] for frame in frames],
        frames=frames,
        headlines=[game.headline(frame) for frame in frames],
        seen=seen,
        told=told,
        pictures=pictures,
        unit=view.unit if view else "",
        units=view.units if view else "",
        standing=[one.standing for one in accounts],
        chances=chances,
        turns=turns,
        events=[one.events for one in accounts],
        orders=[one.orders for one in accounts],
        marks=marks(match),
        banks=banks(match),
        drawings=read_drawings(match),
        outcome=match.outcome,
        totals=[match.totals(seat) for seat in range(len(match.players))],
        notes=early + doubt,
    )


def _chances(
    match: Match, game: AnyGame, view: GameView[Any] | None
) -> tuple[list[list[int]], list[TurnMark]]:
    """The chances of winning by frame, and the turning points; empty without a model for them."""
    model = find_model(game) if view and match.header.rules_version == game.rules_version else None
    if model is None or view is None:
        return [], []
    found = match_chances(model, view, match.frames)
    points = sorted(turning_points(match, found), key=lambda one: (one.index, one.seat))
    turns = [
        TurnMark(one.index, one.seat, _percent(one.chances), _percent(one.forces), one.last)
        for one in points
    ]
    return [list(_percent(row)) for row in found.chances], turns


def _percent(shares: Sequence[float]) -> tuple[int, ...]:
    return tuple(round(100 * share) for share in shares)


def _seats(match: Match, view: GameView[Any] | None) -> Iterator[SeatStory]:
    labels = view.names if view else ()
    colours = view.colours if view else ()
    patterns = len(match.players) >= PATTERNS_FROM or bool(view and view.patterns)
    for seat, name in enumerate(match.players):
        label = labels[seat] if labels else f"player{seat + 1}"
        fill = colours[seat] if colours else ""
        yield SeatStory(
            name=name,
            label=label,
            letter=letter(seat),
            colour=f"--seat-{seat}",
            fill=fill,
            pattern=patterns,
        )


def _accounts(view: GameView[Any], frames: list[Frame]) -> Iterator[RoundAccount]:
    accounts = Accounts(view)
    for frame in frames:
        yield from accounts.add([frame])


def _seen(
    match: Match, game: AnyGame, view: GameView[Any] | None, public: Sequence[RoundAccount]
) -> tuple[list[list[Patch]] | None, list[list[SeatRoundAccount]], list[str]]:
    """What each seat sees and knows, frame by frame; if this is unknown, notes that say why."""
    if view is None or view.seen is None:
        return None, [], []
    if match.header.rules_version != game.rules_version:
        other = (
            "The match was played under another rules version than this arena has: what seats saw "
            "is unknown."
        )
        return None, [], [other]
    seats = range(len(match.players))
    patches: list[list[Patch]] = [[] for _ in seats]
    told: list[list[SeatRoundAccount]] = [[] for _ in seats]
    accounts = Accounts(view)
    try:
        for said, (world, frame) in zip(public, worlds(game, match), strict=False):
            seen = [view.seen(world, seat, frame) for seat in seats]
            for seat, known in enumerate(accounts.add(seen)):
                patches[seat].append(patch_between(frame, seen[seat]))
                told[seat].append(in_common(said, known))
    except (ReplayError, UsageError, ArenaFault) as error:
        return None, [], [f"What seats saw is unknown: {error}. `arena verify` says more."]
    return patches, told, []
