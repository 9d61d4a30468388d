"""How many steps a second of CPU time: environments beside the rules alone, PettingZoo's connect
four, and OpenSpiel's loops in Python.

``python -m tests.train.speed`` plays the same random matches in each environment and by its rules
alone, one in turn after the other, so that both meet the same load. A step is one action of the
environment; the rules alone make the same picks, which a table and its drafts take. It needs the
extras ``train`` and ``openspiel``, and pygame for PettingZoo's game.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from arena.core.replies import Answer
from arena.core.rng import Stream
from arena.core.table import Table
from arena.train import AECMatch
from arena.train.episode import EpisodePlan

SPEED_MATCHES = 30
"""Different matches of each game."""
SPEED_STEPS = 400
"""A match is cut off after so many steps."""
LIBRARY_GAMES = ("openspiel:connect_four", "openspiel:leduc_poker")


class RecordedMatch(NamedTuple):
    """Actions of an environment, and the same as answers, each made of picks."""

    seed: int
    actions: list[Any]
    answers: list[tuple[int, list[str]]]


def recorded(game: str, seed: int) -> RecordedMatch:
    """A random match."""
    env, stream = AECMatch(game), Stream(f"{seed}", game)
    env.reset(seed=seed)
    actions, answers = list[Any](), list[tuple[int, list[str]]]()
    for agent in env.agent_iter(SPEED_STEPS):
        _, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            break
        legal = info["action_mask"].nonzero()[0]
        end = 0 if legal[0] == 0 and stream.below(4) == 0 else stream.below(len(legal))
        action, seat = int(legal[end]), env.possible_agents.index(agent)
        writer = env._face.writer(seat)
        assert writer is not None
        env.step(action)
        actions.append(action)
        if writer.answer is not None:
            answers.append((seat, [pick for order in writer.given for pick in order]))
    return RecordedMatch(seed, actions, answers)


def play_rules(game: str, match: RecordedMatch) -> None:
    """The rules alone."""
    plan = EpisodePlan.of(game, {})
    table = Table(plan.game, plan.setup(f"{match.seed}"))
    for seat, picks in match.answers:
        draft = table.draft(seat)
        for pick in picks:
            draft = draft.pick(pick)
        assert draft.answer is not None
        table.answer(seat, Answer(draft.answer))
        table.take()


def play_env(env: Any, match: RecordedMatch) -> None:
    """An AEC environment, of which every observation is asked for."""
    env.reset(seed=match.seed)
    for action in match.actions:
        env.last()
        env.step(action)


def play_text_rules(game: str, match: RecordedMatch, texts: list[tuple[int, str]]) -> None:
    """The rules alone, with whole answers."""
    plan = EpisodePlan.of(game, {})
    table = Table(plan.game, plan.setup(f"{match.seed}"))
    for seat, text in texts:
        table.answer(seat, Answer(text))
        table.take()


def steps_a_second(play: Callable[[], None], steps: int) -> float:
    """In CPU time."""
    began = time.process_time()
    play()
    return steps / (time.process_time() - began)
