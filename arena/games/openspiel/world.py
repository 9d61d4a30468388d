"""The state of a match: the library's state, and the chance that moves it on."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import pyspiel

from arena.core import Setup
from arena.games.kit import Streams
from arena.games.openspiel import chess, library
from arena.games.openspiel.library import ChessSettings, SpielSettings


@dataclass(slots=True)
class SpielWorld:
    """The whole state of a match."""

    name: str
    """The library's name of the game."""
    settings: SpielSettings
    seats: int
    rounds: int
    """The most moves of the match."""
    state: Any
    """The library's state (`pyspiel.State`). It waits for players, or has ended."""
    chance: Streams
    hidden: bool
    """Whether seats see less than everything."""
    whole_past: bool
    """Whether seats are told their information state, which has all that they have seen."""
    round: int = 0
    """Moves so far. One move is of one seat, or of several at once."""
    moves: list[tuple[int, str]] = field(default_factory=list)
    """The seats that moved last, each with its action."""
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
        twin.gained = self.gained[:]
        return twin

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        ended = self.lost is not None or self.drawn or self.round >= self.rounds
        return ended or bool(self.state.is_terminal())

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
        return self.gained[:]

    @property
    def movers(self) -> list[int]:
        """The seats that move now, at the same time."""
        if self.state.is_simultaneous_node():
            return [seat for seat in range(self.seats) if self.state.legal_actions(seat)]
        return [self.state.current_player()]


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
    world.gained = gains(state)
    world.since = str(state) if world.is_chess else ""
    return world


def draw_chance(world: SpielWorld) -> None:
    """Draw what chance decides until players move, or the match ends."""
    state = world.state
    while state.is_chance_node():
        if world.dealt:
            state.apply_action(world.dealt[0])
            world.dealt = world.dealt[1:]
            continue
        outcomes, drawn = state.chance_outcomes(), world.chance["chance"].unit()
        for action, probability in outcomes:  # noqa: B007  # the last one if the sum is below 1
            drawn -= probability
            if drawn < 0:
                break
        state.apply_action(action)


def gains(state: Any) -> list[float]:
    """The points that the library gives for a state."""
    return [float(value) + 0.0 for value in state.returns()]  # -0.0 becomes 0.0


def move(world: SpielWorld, actions: dict[int, int]) -> None:
    """Make the moves of all seats that move now, and draw the chance that follows."""
    state = world.state
    world.moves = [(seat, state.action_to_string(seat, actions[seat])) for seat in actions]
    if world.is_chess:
        (action,) = actions.values()
        world.last = chess.coordinates(state, action)
    if state.is_simultaneous_node():
        state.apply_actions([actions.get(seat, 0) for seat in range(world.seats)])
    else:
        (action,) = actions.values()
        state.apply_action(action)
    world.round += 1
    draw_chance(world)
    world.gained = gains(state)
    if world.is_chess:
        world.line.append(world.last)
        if chess.is_for_good(state):
            world.since, world.line = str(state), []


def adjudicate(world: SpielWorld, seat: int, score: int | None) -> None:
    """End a match of chess that its scores have decided, after a move with this score."""
    settings = world.settings
    if not isinstance(settings, ChessSettings) or world.state.is_terminal():
        return
    world.runs = world.runs.after(seat, score, settings.resign_score, settings.draw_score)
    if 0 < settings.resign_moves <= world.runs.bad[seat]:
        world.lost = seat, "resigned"
    elif 0 < 2 * settings.draw_moves <= world.runs.level and world.round >= 2 * settings.draw_from:
        world.drawn = True


def observation(world: SpielWorld, seat: int, state: Any = None) -> str:
    """What the seat knows of the state (that of the world if none is given), as the library writes
    it: with hidden information its information state, which has all that it has seen, otherwise
    the present observation."""
    state = state or world.state
    if world.whole_past:
        return str(state.information_state_string(seat))
    if state.get_game().get_type().provides_observation_string:
        return str(state.observation_string(seat))
    return "" if world.hidden else str(state)
