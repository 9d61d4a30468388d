"""Gymnasium's interface: one seat learns, the others are bots."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, SupportsFloat, Unpack

import gymnasium
from msgspec.structs import asdict, replace

from arena.api.conditions import Bot, Conditions, make_spec
from arena.core.arrays import ArrayLayout
from arena.core.game import AnyGame
from arena.core.replies import Answer
from arena.core.rng import Stream
from arena.errors import UsageError
from arena.players.entrant import PythonEntrant
from arena.train.episode import Episode, EpisodePlan, TableEpisode, checked_line, whole_number
from arena.train.face import Face, FaceOptions
from arena.train.hosted import Host, HostedEpisode


class SeatEnv(gymnasium.Env[Any, Any]):
    """One seat of a match against bots, for Gymnasium::

        env = SeatEnv("warlight", ["sample_bots/warlight/simple.py"])
        observation, info = env.reset(seed=7)
        done = False
        while not done:
            action = env.action_space.sample(info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(action)
            done = terminated or truncated
        env.close()

    Bots are those of `arena.play`. Where all of them are Python, nothing is between them and the
    rules. Programs are played as in any match, under `conditions`, and the learner has no clock. At
    the end, `info["report"]` says what became of them. `close` ends them, and so does the end of
    the environment. It is pickled as it was made: without a match.
    """

    def __init__(
        self,
        game: str | AnyGame,
        opponents: Bot | Sequence[Bot],
        *,
        seat: int | None = 0,
        conditions: Conditions | None = None,
        **options: Unpack[FaceOptions],
    ) -> None:
        """`opponents` has a bot for each other seat, in their order, or one for all. `seat` is that
        of the learner; None: drawn by the seed of each match.

        Raises UsageError for wrong options, BotError for a bot that cannot be built.
        """
        given: dict[str, Any] = {"seat": seat, "conditions": conditions, **options}
        self._remake = partial(type(self), game, opponents, **given)
        several: Sequence[Bot] | None = None
        if isinstance(opponents, Sequence) and not isinstance(opponents, str):
            several = opponents
            options.setdefault("seats", len(opponents) + 1)
        self._field = field = _Field(seat)
        self._face = face = Face(game, options, field.begin)
        one: Any = opponents
        others = [one] * (face.plan.seats - 1) if several is None else list(several)
        field.find(face.plan, others, conditions or {})
        self.observation_space, self.action_space = face.spaces()
        self.render_mode = face.render_mode
        self.metadata = {"render_modes": ["ansi", "human"], "name": face.plan.game.name}
        self._finalizer = weakref.finalize(self, field.close)

    @property
    def seat(self) -> int:
        """The seat of the learner in this match."""
        return self._field.seat

    @property
    def layout(self) -> ArrayLayout:
        """What the rows and numbers of observations mean."""
        return self._face.layout

    def meaning(self, action: int) -> str:
        """What an action means, for people."""
        return self._face.actions.meaning(action)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a match, as `AECMatch.reset` does, up to the first request to the learner."""
        super().reset(seed=seed)
        self._check_open()
        self._face.reset(seed, options)
        return self._observe()

    def _check_open(self) -> None:
        if not self._finalizer.alive:
            raise UsageError("the environment is closed: make another")
        if self._field.is_of_another_process:
            raise UsageError(
                "this environment has begun in another process, where its programs play: make it "
                "in the process that uses it"
            )

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """One pick, or one answer as text. Raises ArenaFault for a match that is void: `reset`
        begins another."""
        self._check_open()
        face = self._face
        if face.over:
            raise UsageError("the match is over: reset the environment")
        text = face.act(self.seat, action)
        if text is not None:
            face.match.answer(text, self.seat)
        over, truncated = face.over, face.truncated
        seen, info = self._observe()
        return seen, face.rewards()[self.seat], over and not truncated, truncated, info

    def _observe(self) -> tuple[Any, dict[str, Any]]:
        info = self._face.info(self.seat)
        seen = self._face.observe(self.seat, info)
        if (report := getattr(self._face.match, "report", None)) is not None:
            info["report"] = report
        return seen, info

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied as it was made."""
        return self._remake, ()

    def render(self) -> str | None:
        """The board as spectators see it, as `AECMatch.render` gives it."""
        return self._face.render()

    def close(self) -> None:
        """End the match and all its programs."""
        self._finalizer()


class _Field:
    """The other seats. It knows nothing of the environment, at whose end it is closed."""

    def __init__(self, seat: int | None) -> None:
        self._given = None if seat is None else whole_number("seat", seat, least=0)
        self.seat = self._given or 0
        self._host: Host | None = None
        self._episode: Episode | None = None

    def find(self, plan: EpisodePlan, others: Sequence[Bot], conditions: Conditions) -> None:
        """Find and build the bots. Raises UsageError or BotError."""
        wrong = {"seed", "settings", "map"} & conditions.keys()
        if wrong:
            raise UsageError(f"{min(wrong)} is no condition here: give it beside the conditions")
        if len(others) != plan.seats - 1:
            raise UsageError(f"{len(others)} opponents for {plan.seats} seats: give one less")
        if self._given is not None and not 0 <= self._given < plan.seats:
            raise UsageError(f"seat={self._given!r} is not allowed: 0 to {plan.seats - 1}, or None")
        settings = asdict(plan.settings)
        given: Conditions = {**conditions, "settings": settings, "map": plan.map, "seed": "0"}
        self._spec = make_spec(plan.game, [_absent, *others], given)

    def begin(self, plan: EpisodePlan, seed: str, *, encode: bool) -> Episode:
        """The next match, up to the first request to the learner."""
        if self._given is None:
            self.seat = Stream(seed, "learner").below(plan.seats)
        learner, *others = self._spec.entrants
        entrants = (*others[: self.seat], learner, *others[self.seat :])
        if all(isinstance(one, PythonEntrant) for one in others):
            answerers = [one.answerer() for one in entrants if isinstance(one, PythonEntrant)]
            return SoloEpisode(plan, seed, encode=encode, seat=self.seat, answerers=answerers)
        if self._host is None or self._host.failed:
            self._host = Host(self._spec.terms.sandbox)
        spec = replace(self._spec, entrants=entrants)
        self._episode = HostedEpisode(
            plan, seed, encode=encode, host=self._host, spec=spec, seat=self.seat
        )
        return self._episode

    @property
    def is_of_another_process(self) -> bool:
        """Whether this is a fork, in which the thread that plays the match does not exist."""
        return self._host is not None and self._host.pid != os.getpid()

    def close(self) -> None:
        """End the match, and the thread that plays it. In a fork, nothing."""
        if self.is_of_another_process:
            return
        if self._episode is not None:
            self._episode.close()
        if self._host is not None:
            self._host.close()
            self._host = None


def _absent(lines: list[str]) -> str:
    raise AssertionError("the learner answers")


class SoloEpisode(TableEpisode):
    """A match of one learner against functions."""

    def __init__(
        self,
        plan: EpisodePlan,
        seed: str,
        *,
        encode: bool,
        seat: int,
        answerers: Sequence[Callable[[list[str]], str]],
    ) -> None:
        """`answerers` has a function for each seat; that of the learner is not called."""
        self._seat, self._others = seat, answerers
        super().__init__(plan, seed, encode=encode)

    def waiting(self) -> list[int]:
        """The learner alone."""
        return [] if self.ask is None else [self.ask.seat]

    def _go_on(self) -> None:
        super()._go_on()
        while self.ask is not None and self.ask.seat != self._seat:
            other = self.ask.seat
            text = checked_line(self._others[other](self.lines[other][:]))
            self.lines[other].clear()
            self.table.answer(other, Answer(text))
            super()._go_on()
