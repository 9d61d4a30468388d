"""The state of a match: the library's state, and the chance that moves it on.

The library can fail, by raising an error, at an action that it has offered. No seat must gain by
that, so the match goes on from the state before (`move`). Therefore all that a match needs of a new
state is read at once, before anybody is told of the move: the library fails there or not at all.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import fsum

import pyspiel
from msgspec import Struct

from arena.core import Setup
from arena.games.kit import Streams
from arena.games.openspiel import chess, library
from arena.games.openspiel.library import ChessSettings, SpielSettings


class Reading(Struct, frozen=True):
    """What a match needs of a state."""

    ended: bool = False
    """Whether the game is over by its rules."""
    text: str = ""
    legal: dict[int, dict[str, int]] = {}
    """The legal actions of each seat that moves now, by their words."""
    seen: dict[int, str] = {}
    """What seats know: those that move, or where others are told too, all."""


@dataclass(slots=True)
class SpielWorld:
    """The whole state of a match."""

    name: str
    """The library's name of the game."""
    settings: SpielSettings
    seats: int
    rounds: int
    """The most moves of the match."""
    state: pyspiel.State
    """The library's state. It waits for players, or has ended."""
    chance: Streams
    hidden: bool
    """Whether seats see less than everything."""
    whole_past: bool
    """Whether seats are told their information state, which has all that they have seen."""
    done: int = 0
    """Moments so far: what chance or a seat did, or all seats at once. (The library's own count
    leaves chance out in some games.)"""
    reading: Reading = field(default_factory=Reading)
    """What was read of the state."""
    round: int = 0
    """Moves so far. One move is of one seat, or of several at once."""
    moves: list[tuple[int, str]] = field(default_factory=list)
    """The seats that moved last, each with its action."""
    failed: list[tuple[int, str]] = field(default_factory=list)
    """What was tried before the last move, and the library failed at it: seats, each with the word
    of an action."""
    stuck: bool = False
    """Whether the library fails at every legal action, which ends the match as a draw."""
    gained: list[float] = field(default_factory=list)
    """The points after the last move, as the library gives them. (They are kept: what is hidden may
    be drawn anew for a guess, and the last line tells what came of the true match.)"""
    dealt: tuple[int, ...] = ()
    """What chance decides next, before it is drawn: in a match that is guessed."""
    seen: list[str] = field(default_factory=list)
    """What each seat was told last of the state."""
    since: str = ""
    """In chess: the last position before which nothing can come back, in FEN."""
    line: list[str] = field(default_factory=list)
    """In chess: the moves since then, in coordinates."""
    last: str = ""
    """In chess: the last move, in coordinates."""
    lost: tuple[int, str] | None = None
    """In chess: the seat that has lost for want of a legal answer, or by its scores, and why."""
    runs: chess.ScoreRuns = field(default_factory=chess.ScoreRuns)
    """In chess: how long scores have been those of a match that is decided."""
    drawn: bool = False
    """In chess: whether the match was ended as a draw, by the scores of both."""

    def copy(self) -> SpielWorld:
        """An independent copy."""
        twin = copy.copy(self)
        twin.state = self.state.clone()
        twin.chance = self.chance.copy()
        twin.moves, twin.seen, twin.line = self.moves[:], self.seen[:], self.line[:]
        twin.gained, twin.failed = self.gained[:], self.failed[:]
        return twin

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        decided = self.lost is not None or self.drawn or self.stuck
        return decided or self.round >= self.rounds or self.reading.ended

    @property
    def is_chess(self) -> bool:
        """Whether moves and positions are told as UCI writes them."""
        return self.name == chess.CHESS

    @property
    def faults_lose(self) -> bool:
        """Whether a seat loses that does not answer in time, or not legally."""
        return isinstance(self.settings, ChessSettings) and not self.settings.play_on

    @property
    def points(self) -> list[float]:
        """The points so far."""
        if self.lost is not None:
            return [-1.0 if seat == self.lost[0] else 1.0 for seat in range(self.seats)]
        if self.stuck:
            return [fsum(self.gained) / self.seats] * self.seats
        return self.gained[:]


def new_world(kind: pyspiel.GameType, setup: Setup[SpielSettings]) -> SpielWorld:
    """The world of a fresh match, where players move."""
    state = library.begin(setup, kind)
    game = state.get_game()
    kind = game.get_type()  # parameters may have changed it
    hidden = kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    prefers_past = hidden or not kind.provides_observation_string
    world = SpielWorld(
        name=kind.short_name,
        settings=setup.settings,
        seats=setup.seats,
        rounds=setup.settings.max_moves or min(game.max_game_length(), library.MOST_MOVES),
        state=state,
        chance=Streams(setup.seed),
        hidden=hidden,
        whole_past=prefers_past and kind.provides_information_state_string,
        seen=[""] * setup.seats,
    )
    draw_chance(world)
    world.gained = gains(world.state)
    world.reading = read(world)
    world.since = world.reading.text if world.is_chess else ""
    return world


def draw_chance(world: SpielWorld) -> None:
    """Draw what chance decides until players move, or the match ends. An outcome at which the
    library fails is drawn anew."""
    struck = set[int]()
    while world.state.is_chance_node():
        action = drawn(world, struck)
        try:
            advance(world.state, [action])
        except Exception:  # the library's games in Python raise anything
            struck.add(action)
            restore(world, world.done)
        else:
            struck.clear()
            world.done += 1


def drawn(world: SpielWorld, struck: set[int]) -> int:
    """The next outcome of chance, but none of those that are struck. Raises ValueError if none is
    left."""
    if world.dealt:
        first, *rest = world.dealt
        world.dealt = tuple(rest)
        return first
    outcomes, unit = world.state.chance_outcomes(), world.chance["chance"].unit()
    if struck:
        outcomes = [one for one in outcomes if one[0] not in struck]
        unit *= fsum(probability for _, probability in outcomes)
    action: int | None = None
    for action, probability in outcomes:  # noqa: B007  # the last one if the sum is below 1
        unit -= probability
        if unit < 0:
            break
    if action is None:
        raise ValueError("the library fails at all outcomes of chance")
    return action


def gains(state: pyspiel.State) -> list[float]:
    """The points that the library gives for a state."""
    return [float(value) + 0.0 for value in state.returns()]  # -0.0 becomes 0.0


# -- a move ----------------------------------------------------------------------------------


def move(world: SpielWorld, actions: dict[int, int]) -> None:
    """Make the moves of all seats that move now, and draw the chance that follows. Where the
    library fails, others of the legal actions are made (`failed`); where it fails at all, the match
    has ended (`stuck`)."""
    done, dealt = world.done, world.dealt
    world.failed = []
    for tried in attempts(world.reading.legal, actions):
        try:
            make(world, tried)
        except Exception:  # the library's games in Python raise anything
            world.failed += [(seat, word_of(world, seat, action)) for seat, action in tried.items()]
            world.dealt = dealt
            restore(world, done)
        else:
            return
    world.stuck = True


def attempts(legal: dict[int, dict[str, int]], actions: dict[int, int]) -> Iterator[dict[int, int]]:
    """The actions that were answered; if the library fails at them, the other legal ones in their
    order. A seat that has no other one keeps its own."""
    yield actions
    others = {
        seat: [other for other in legal[seat].values() if other != action]
        for seat, action in actions.items()
    }
    for turn in range(max(map(len, others.values()))):
        yield {
            seat: others[seat][turn] if turn < len(others[seat]) else action
            for seat, action in actions.items()
        }


def word_of(world: SpielWorld, seat: int, action: int) -> str:
    """The word of a legal action."""
    return next(word for word, legal in world.reading.legal[seat].items() if legal == action)


def make(world: SpielWorld, actions: dict[int, int]) -> None:
    """Make the moves. Raises whatever the library raises, and then has changed nothing but what
    `restore` mends, and chance."""
    state, last = world.state, ""
    moves = [(seat, state.action_to_string(seat, actions[seat])) for seat in actions]
    if world.is_chess:
        (action,) = actions.values()
        last = chess.coordinates(state, action)
    if state.is_simultaneous_node():
        advance(state, [actions.get(seat, 0) for seat in range(world.seats)])
    else:
        advance(state, list(actions.values()))
    world.done += 1
    draw_chance(world)
    gained, reading = gains(world.state), read(world, 1)
    world.moves, world.last, world.gained, world.reading = moves, last, gained, reading
    world.round += 1
    if world.is_chess:
        world.line.append(last)
        if chess.is_for_good(reading.text):
            world.since, world.line = reading.text, []


def advance(state: pyspiel.State, actions: Sequence[int]) -> None:
    """Do what is done at one moment of a match: one thing, or what all seats do at once."""
    if state.is_simultaneous_node():
        state.apply_actions(actions)
    else:
        state.apply_action(actions[0])


def moments(
    state: pyspiel.State, past: Sequence[pyspiel.PlayerAction]
) -> Iterator[tuple[int, Sequence[pyspiel.PlayerAction]]]:
    """What was done at each moment of a match, with its number in the history: one thing, or what
    all seats did at the same time. The caller moves the state on in between."""
    at = 0
    while at < len(past):
        count = state.num_players() if state.is_simultaneous_node() else 1
        yield at, past[at : at + count]
        at += count


def restore(world: SpielWorld, done: int) -> None:
    """Go back to the first `done` moments of the match, whatever the library has made of the state.
    They are done again, in a game that is made anew too: it may hold chance of its own."""
    broken = world.state
    kind, given = broken.get_game().get_type(), broken.get_game().get_parameters()
    known = kind.parameter_specification  # liars_dice_ir gives one that it does not take
    again = pyspiel.load_game(
        kind.short_name, {name: value for name, value in given.items() if name in known}
    )
    state = library.first_state(again, world.settings)
    for _, steps in islice(moments(state, broken.full_history()), done):
        advance(state, [step.action for step in steps])
    world.state, world.done = state, done


def adjudicate(world: SpielWorld, seat: int, score: int | None) -> None:
    """End a match of chess that its scores have decided, after a move with this score."""
    settings = world.settings
    if not isinstance(settings, ChessSettings) or world.reading.ended:
        return
    world.runs = world.runs.after(seat, score, settings.resign_score, settings.draw_score)
    if 0 < settings.resign_moves <= world.runs.bad[seat]:
        world.lost = seat, "resigned"
    elif 0 < 2 * settings.draw_moves <= world.runs.level and world.round >= 2 * settings.draw_from:
        world.drawn = True


# -- what is read of a state -----------------------------------------------------------------


def read(world: SpielWorld, moves: int = 0) -> Reading:
    """What a match needs of the present state, after so many moves that are not counted yet. Raises
    whatever the library raises, and ValueError where nobody can move."""
    state = world.state
    ended = bool(state.is_terminal())
    over = ended or world.round + moves >= world.rounds
    legal = {} if over else legal_of_all(world)
    all_are_told = over or (world.hidden and not world.whole_past)
    told = range(world.seats) if all_are_told else legal
    return Reading(ended, str(state), legal, {seat: observation(world, seat) for seat in told})


def legal_of_all(world: SpielWorld) -> dict[int, dict[str, int]]:
    """The legal actions of each seat that moves now, by their words. Raises ValueError if there are
    none."""
    state = world.state
    if state.is_simultaneous_node():
        of_each = {seat: legal_of(world, seat) for seat in range(world.seats)}
        found = {seat: legal for seat, legal in of_each.items() if legal}
    else:
        seat = state.current_player()
        found = {seat: legal} if (legal := legal_of(world, seat)) else {}
    if not found:
        raise ValueError("the library offers no action")
    return found


def legal_of(world: SpielWorld, seat: int) -> dict[str, int]:
    """The legal actions of a seat, by their words. Words that would stand for several actions have
    ``#NUMBER`` behind."""
    if world.is_chess:
        return chess.coordinates_of_all(world.state)
    state, found = world.state, dict[str, int]()
    for action in state.legal_actions(seat):
        name = as_word(state.action_to_string(seat, action))
        found[f"{name}#{action}" if name in found else name] = action
    return found


def as_word(text: str) -> str:
    """The text of an action as one word: ``_`` for blanks."""
    text = text.encode("ascii", "backslashreplace").decode()
    return "_".join(text.split()) or "_"


def observation(world: SpielWorld, seat: int, state: pyspiel.State | None = None) -> str:
    """What the seat knows of the state (that of the world if none is given), as the library writes
    it: with hidden information its information state, which has all that it has seen, otherwise
    the present observation."""
    state = state or world.state
    if world.whole_past:
        return str(state.information_state_string(seat))
    if state.get_game().get_type().provides_observation_string:
        return str(state.observation_string(seat))
    return "" if world.hidden else str(state)
