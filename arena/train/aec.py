"""PettingZoo's turn by turn interface (AEC): one seat acts after the other."""

from __future__ import annotations

from typing import Any, Unpack

from pettingzoo import AECEnv

from arena.core.game import AnyGame
from arena.errors import UsageError
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
        self._seen: Any = None
        """The observation of the selected agent, which is written once, when it is asked for."""

    def __getattr__(self, name: str) -> Any:
        """What PettingZoo reads of a match does not exist before the first one."""
        known = name in AECEnv.__annotations__ and "_face" in self.__dict__
        raise AttributeError(
            f"there is no match yet, and no {name}: call reset first"
            if known
            else f"{type(self).__name__} has no attribute {name!r}"
        )

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
        ask, self._seen = face.match.ask, None
        if ask is None:
            self.agent_selection = self.agents[0]
            return
        self.agent_selection = agent = self.possible_agents[ask.seat]
        self.infos[agent] = face.info(ask.seat)

    def observe(self, agent: str) -> Any:
        """What the seat was told, and what it has picked so far."""
        if self._seen is not None and agent == self.agent_selection:
            return self._seen
        face = self._face
        if face.match.ask is None or agent != self.agent_selection:
            seat = self._seats[self._checked(agent)]
            return face.observe(seat, face.info(seat))
        self._seen = face.observe(self._seats[agent], self.infos[agent])
        return self._seen

    def step(self, action: Any) -> None:
        """One pick, or one answer as text, of `agent_selection`; None for an agent whose match is
        over. Raises UsageError for what is not in the space, and when all agents are gone."""
        match = self._face.match
        if not self.agents:
            raise UsageError("the match is over: call reset")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        face = self._face
        answer = face.act(self._seats[agent], action)
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {}
        if answer is not None:
            match.answer(answer)
        if match.over:
            ends = self.truncations if face.truncated else self.terminations
            ends.update(dict.fromkeys(self.agents, True))
        if match.over or face.plan.shaping:
            self.rewards = dict(zip(self.agents, face.rewards(), strict=True))
            self._accumulate_rewards()
        self._select()

    def close(self) -> None:
        """Nothing to release."""
