"""What a page knows of a match from the start: its frames, and what the game says of them.

A story goes into the page as JSON. `static/story.js` reads it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from operator import ne
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from arena.core.faults import own_line
from arena.core.game import AnyGame, Setup
from arena.core.registry import find_game
from arena.core.replies import Reply
from arena.core.settings import parse
from arena.core.steps import Frame, Outcome, Show
from arena.core.view import Event, GameView
from arena.errors import ArenaError, ArenaFault, ReplayError, UsageError
from arena.games.kit import letter
from arena.record.format import Answered, Header, PlayerTotals, Silent, reply_of
from arena.record.reader import Match
from arena.view.chapters import Mark, banks, marks
from arena.view.drawings import Drawings, read_drawings
from arena.view.game import find_view

# The difference between two values of JSON, as small as it packs well.
#
# A patch is a list with the whole new value, or an object with a patch for each part that is
# another one: by key, or by index as text. A patch without a part changes nothing.

Patch: TypeAlias = list[Any] | dict[str, Any]


def patch_between(old: Any, new: Any) -> Patch:
    """The patch that makes `new` of `old`."""
    return {} if old == new else _between(old, new)


def _between(old: Any, new: Any) -> Patch:
    """The same for two that differ."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return {key: _between(old[key], new[key]) for key in new if old[key] != new[key]}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        changed = [i for i, differs in enumerate(map(ne, old, new)) if differs]
        if 2 * len(changed) <= len(new) or isinstance(new[0], list):
            return {str(i): _between(old[i], new[i]) for i in changed}
    return [new]


# What is said of a round besides its frame: to spectators, and as far as a seat knows of it.

Index: TypeAlias = int
"""Of the same in the account for spectators, from 0."""


class RoundAccount(Struct, frozen=True):
    """What spectators are told of a round."""

    orders: list[str]
    events: list[Event]
    standing: list[float | None]


class SeatRoundAccount(Struct, frozen=True, array_like=True):
    """The same as a seat knows it, by what it has in common with that for spectators."""

    orders: list[str | Index]
    events: list[Event | Index]
    standing: Patch


def account(view: GameView[Any], first: Frame, before: Frame | None, frame: Frame) -> RoundAccount:
    """What the game says of a frame, given the first one and the one before, be it as spectators
    see them or as a seat does."""
    return RoundAccount(
        list(view.orders(frame)),
        list(view.events(first.get("board"), before, frame)),
        list(view.standing(frame)),
    )


def in_common(public: RoundAccount, known: RoundAccount) -> SeatRoundAccount:
    """What a seat knows, where spectators are told the public account."""
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
        """Of one moment as several see it, always in the same order."""
        self._first = self._first or frames
        self._before = self._before or [None] * len(frames)
        trios = zip(self._first, self._before, frames, strict=True)
        self._before = frames
        return [account(self._view, *trio) for trio in trios]


# The worlds of a recorded match: its rules, run again on the recorded answers.


def worlds(game: AnyGame, match: Match) -> Iterator[tuple[Any, Frame]]:
    """The world at the very moment of each frame, with that frame, as far as the answers go. The
    world changes when the next is asked for. Raises UsageError and ArenaFault as the game does, and
    ReplayError when the rules do not give the recorded match."""
    given = (one for one in match.records if isinstance(one, Answered | Silent))
    played = worlds_of(game, match.header, given)
    for (world, frame), recorded in zip(played, match.frames, strict=False):
        if frame != recorded:
            raise ReplayError(f"the rules give another round {frame['round']} than the record")
        yield world, frame


def worlds_of(
    game: AnyGame, header: Header, given: Iterator[Answered | Silent]
) -> Iterator[tuple[Any, Frame]]:
    """The worlds of a match that begins with this header, with their frames, for the replies that
    were given. No reply is taken before a frame needs it."""
    settings, forfeit = parse(game.settings, header.settings), header.forfeit is True
    setup = Setup(header.seed, len(header.players), settings, header.map, forfeit)
    world = game.world(setup)
    for frame in _frames(game, world, map(reply_of, given)):
        yield world, frame


def _frames(game: AnyGame, world: Any, replies: Iterator[Reply]) -> Iterator[Frame]:
    """The script's frames, each at the moment when it is shown."""
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
"""Seats from which on colours alone are too many to be told apart."""


class SeatStory(Struct, frozen=True):
    """One player."""

    name: str
    """Of its bot."""
    label: str
    """What the game calls it: ``player1``."""
    letter: str
    colour: str
    """The CSS variable with its colour."""
    fill: str
    """The colour that the game gives it, as ``#rrggbb``; empty: the one that pages have for it."""
    pattern: bool


class Story(Struct, frozen=True):
    """The match."""

    file: str
    """Its name, as a shell reads it."""
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
    """By seat and frame: what a seat sees otherwise than spectators; null: nothing is hidden."""
    told: list[list[SeatRoundAccount]]
    """By seat and frame: what a seat knows of events, orders and standing, where something is
    hidden."""
    pictures: list[str] | None
    """The boards as text, for a game without a script that draws them."""
    unit: str
    """What `standing` counts, one of it; empty for a game without a view."""
    units: str
    """The same in the plural."""
    standing: list[list[float | None]]
    """By frame and seat."""
    events: list[list[Event]]
    orders: list[list[str]]
    marks: list[Mark]
    banks: list[list[int | None]]
    """By frame and seat: the time bank at its last request, in ms."""
    drawings: Drawings
    """What bots drew."""
    outcome: Outcome | None
    totals: list[PlayerTotals | None]
    notes: list[str]
    """What people should know of the record: that it ends early, that it does not fit the rules."""


def tell_story(match: Match, file: str) -> Story:
    """The story of a match. Raises ReplayError for one that there is nothing to show of, and
    ArenaFault for a bug in what its game says of its frames."""
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
        if not _is_its_own(game, match):  # a record may be a stranger's, with anything for frames
            said = f"{type(error).__name__}: {error}"
            raise ReplayError(f"{file} has frames that are none of {game.name} ({said})") from error
        line = own_line(game.package, error.__traceback__)
        raise ArenaFault(
            f"{file} cannot be shown: what {game.name} says of its frames failed"
            f"{line and f' at {line}'} ({error!r}): please report it with the record"
        ) from error


def _is_its_own(game: AnyGame, match: Match) -> bool:
    """Whether the rules give the frames of the record."""
    try:
        return sum(1 for _ in worlds(game, match)) == len(match.frames)
    except (ArenaError, LookupError):
        return False


def packed(story: Story) -> bytes:
    """A story as JSON, in which each frame and each patch is a text with JSON of its own. The page
    unpacks it when it shows it: for all frames of 1,000 turns of Code Character a browser takes 80
    ms of CPU time, and for their texts 6 ms."""
    fields = msgspec.structs.asdict(story)
    fields["frames"] = _texts(story.frames)
    fields["seen"] = story.seen and [_texts(patches) for patches in story.seen]
    return msgspec.json.encode(fields)


def _texts(values: Sequence[Any]) -> list[str]:
    return [msgspec.json.encode(value).decode() for value in values]


def empty_story(match: Match, game: AnyGame, view: GameView[Any] | None) -> Story:
    """The story of a match before its first frame, for a page that follows it."""
    return Story(
        "",
        game.name,
        game.title,
        match.seed,
        dict(match.settings),
        list(_seats(match, view)),
        [],
        [],
        [],
        [[] for _ in match.players] if view and view.seen else None,
        [[] for _ in match.players] if view and view.seen else [],
        None if view else [],
        view.unit if view else "",
        view.units if view else "",
        [],
        [],
        [],
        [],
        [],
        Drawings({}, [], [], [], []),
        None,
        [None for _ in match.players],
        [],
    )


def _story(match: Match, file: str, game: AnyGame, view: GameView[Any] | None) -> Story:
    frames = list(match.frames)
    accounts = list(_accounts(view, frames)) if view else []
    seen, told, doubt = _seen(match, game, view, accounts)
    early = [] if match.outcome else ["The record ends before the match did."]
    return Story(
        shlex.quote(file),
        game.name,
        game.title,
        match.seed,
        dict(match.settings),
        list(_seats(match, view)),
        [frame["round"] for frame in frames],
        frames,
        [game.headline(frame) for frame in frames],
        seen,
        told,
        None if view else [game.picture(frames[0].get("board"), frame) for frame in frames],
        view.unit if view else "",
        view.units if view else "",
        [one.standing for one in accounts],
        [one.events for one in accounts],
        [one.orders for one in accounts],
        marks(match),
        banks(match),
        read_drawings(match),
        match.outcome,
        [match.totals(seat) for seat in range(len(match.players))],
        early + doubt,
    )


def _seats(match: Match, view: GameView[Any] | None) -> Iterator[SeatStory]:
    labels = view.names if view else ()
    colours = view.colours if view else ()
    patterns = len(match.players) >= PATTERNS_FROM or bool(view and view.patterns)
    for seat, name in enumerate(match.players):
        label = labels[seat] if labels else f"player{seat + 1}"
        fill = colours[seat] if colours else ""
        yield SeatStory(name, label, letter(seat), f"--seat-{seat}", fill, patterns)


def _accounts(view: GameView[Any], frames: list[Frame]) -> Iterator[RoundAccount]:
    accounts = Accounts(view)
    for frame in frames:
        yield from accounts.add([frame])


def _seen(
    match: Match, game: AnyGame, view: GameView[Any] | None, public: Sequence[RoundAccount]
) -> tuple[list[list[Patch]] | None, list[list[SeatRoundAccount]], list[str]]:
    """What each seat sees and knows, frame by frame, and why it is not known."""
    if view is None or view.seen is None:
        return None, [], []
    if match.header.rules_version != game.rules_version:
        other = "It was played by other rules than this arena's: what seats saw is not known."
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
        return None, [], [f"What seats saw is not known: {error}. `arena verify` says more."]
    return patches, told, []
