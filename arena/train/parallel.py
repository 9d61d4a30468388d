"""PettingZoo's parallel interface: all seats act in each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from pettingzoo import ParallelEnv

from arena.core.game import AnyGame
from arena.errors import UsageError
from arena.train.face import FaceOptions, MatchAgents
from arena.train.spaces import END


class ParallelMatch(MatchAgents, ParallelEnv):  # type: ignore[misc]  # the library has no types
    """A match of any game in which all seats that are asked act at once, for PettingZoo::

        env = ParallelMatch("hextrategic")
        observations, infos = env.reset(seed=7)
        while env.agents:
            actions = {agent: policy(observations[agent]) for agent in env.agents}
            observations, rewards, terminations, truncations, infos = env.step(actions)

    A seat that is not asked, or whose answer to this request is whole, can only pass (action 0; as
    text, anything): its action counts for nothing. So games whose seats answer one after the other
    can be played as well, though `AECMatch` suits them better.

    Raises UsageError for wrong options (`FaceOptions`).
    """

    def __init__(self, game: str | AnyGame, **options: Unpack[FaceOptions]) -> None:
        super().__init__(game, options)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a match, as `AECMatch.reset` does."""
        self._face.reset(seed, options)
        self.agents = self.possible_agents[:]
        return self._observe()

    def _observe(self) -> tuple[dict[str, Any], dict[str, Any]]:
        face, seats = self._face, dict(enumerate(self.possible_agents))
        infos = {agent: face.info(seat) for seat, agent in seats.items()}
        seen = {agent: face.observe(seat, infos[agent]) for seat, agent in seats.items()}
        asked = face.match.waiting()
        for seat, agent in seats.items():
            infos[agent]["asked"] = seat in asked
        return seen, infos

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """One action of each agent. Raises UsageError, before any is taken, when that of one that
        is asked is missing, for an agent that does not exist, and for what is not in the space."""
        face, match, agents = self._face, self._face.match, self.agents
        if not agents:
            raise UsageError("the match is over: reset the environment")
        asked = match.waiting()
        if not isinstance(actions, Mapping):
            raise UsageError(f"the actions are a {type(actions).__name__}: give a dict by agents")
        for agent in actions:
            self._checked(agent)
        missing = [agents[seat] for seat in asked if agents[seat] not in actions]
        if missing:
            raise UsageError(f"{missing[0]} is asked: give its action")
        given = {seat: actions.get(agent, END) for seat, agent in enumerate(agents)}
        for seat, action in given.items():
            if seat in asked or face.acts == "picks":
                face.check(action)
        for seat, action in given.items():
            if face.illegal is not None:
                break
            if seat not in asked:
                if face.acts == "picks" and action != END:
                    face.lose(seat)
            elif (text := face.act(seat, action)) is not None:
                match.answer(text, seat)
        over, truncated = face.over, face.truncated
        rewards = dict(zip(agents, face.rewards(), strict=True))
        terminations = dict.fromkeys(agents, over and not truncated)
        truncations = dict.fromkeys(agents, truncated)
        self.agents = [] if over else agents
        observations, infos = self._observe()
        return observations, rewards, terminations, truncations, infos

    def close(self) -> None:
        """Nothing to release."""
