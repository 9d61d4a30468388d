"""PettingZoo's turn by turn interface (AEC): one seat acts after the other."""

from __future__ import annotations

from typing import Any, Unpack

from pettingzoo import AECEnv

from arena.core.game import AnyGame
from arena.train.face import FaceOptions, MatchAgents


class AECMatch(MatchAgents, AECEnv[str, Any, Any]):  # type: ignore[misc]  # the library has no types
    """A match of any game, for PettingZoo::

        env = AECMatch("warlight")
        env.reset(seed=7)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            done = terminated or truncated
            mask = info.get("action_mask")
            env.step(None if done else env.action_space(agent).sample(mask))

    Seats that are asked at once act one after the other, and none learns meanwhile what another has
    answered. All stay agents until the match ends, for only then their result is known; a seat that
    is out is not selected any more.

    Raises UsageError for wrong options (`FaceOptions`).
    """

    def __init__(self, game: str | AnyGame, **options: Unpack[FaceOptions]) -> None:
        super().__init__(game, options)
        self.metadata["is_parallelizable"] = False
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match: that of ``arena play --seed``, if a seed is given. `options` may have
        other `settings` and another `map`, as far as they leave the shapes."""
        self._face.reset(seed, options)
        self._start()

    def _start(self) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._select()

    def _select(self) -> None:
        """Point at the seat that is asked, or at the first agent when the match is over."""
        face = self._face
        self._seen: Any = None
        """The observation of the selected agent, which is written once."""
        if face.over or face.match.ask is None:
            self.agent_selection = self.agents[0]
            return
        self.agent_selection = self.possible_agents[face.match.ask.seat]
        self._seen, self.infos[self.agent_selection] = face.observe(face.match.ask.seat)

    def observe(self, agent: str) -> Any:
        """What the seat was told, and what it has picked so far."""
        if agent == self.agent_selection and self._seen is not None:
            return self._seen
        return self._face.observe(self._seats[agent])[0]

    def step(self, action: Any) -> None:
        """One pick, or one answer as text, of `agent_selection`."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        face, match = self._face, self._face.match
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {}
        answer = face.act(self._seats[agent], action)
        if answer is not None:
            match.answer(answer)
        self._reward()
        self._select()

    def _reward(self) -> None:
        if self._face.over:
            ends = self.truncations if self._face.truncated else self.terminations
            ends.update(dict.fromkeys(self.agents, True))
        self.rewards = dict(zip(self.agents, self._face.rewards(), strict=True))
        self._accumulate_rewards()

    def close(self) -> None:
        """Nothing to release."""
