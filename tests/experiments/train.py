"""How many steps a second of CPU time: environments beside the rules alone, PettingZoo's connect
four, and OpenSpiel's loops in Python.

``python -m tests.experiments.train`` records random matches of each game, and plays them in turns:
in the environment, of which each observation and mask is asked for, and by the rules alone, where a
table and its drafts take the same picks. A step is an action of the environment. ``--matches`` says
how many there are, ``--games`` which games. It needs the extras `train` and `openspiel`, and pygame
for PettingZoo's game.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median, quantiles
from typing import Any, NamedTuple

from arena.core import Answer, Stream, Table
from arena.train import AECMatch
from arena.train.episode import EpisodePlan
from tests.train import GAMES

SPEED_STEPS = 400
"""A match is cut off after so many steps."""
SPEED_GAMES = (*GAMES, "openspiel:connect_four", "openspiel:leduc_poker")
LEAST_STEPS = 100
"""Short matches are played again until there are so many steps in a measurement."""
Play = Callable[[], None]


class RecordedMatch(NamedTuple):
    """Actions of an environment, and the same as answers, each made of picks."""

    seed: int
    actions: list[int]
    answers: list[tuple[int, list[str]]]


class Pace(NamedTuple):
    """Steps a second: by the rules alone, and in the environment."""

    rules: float
    env: float


def recorded(env: AECMatch, seed: int) -> RecordedMatch:
    """A random match."""
    stream, actions, answers = Stream(f"{seed}", "pace"), list[int](), list[tuple[int, list[str]]]()
    env.reset(seed=seed)
    for agent in env.agent_iter(SPEED_STEPS):
        _, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            break
        legal = info["action_mask"].nonzero()[0]
        ends = legal[0] == 0 and stream.below(4) == 0
        writer = env._face.writer(env.possible_agents.index(agent))
        assert writer is not None
        actions.append(int(legal[0 if ends else stream.below(len(legal))]))
        env.step(actions[-1])
        if writer.answer is not None:
            picks = [pick for order in writer.given for pick in order]
            answers.append((env.possible_agents.index(agent), picks))
    return RecordedMatch(seed, actions, answers)


def play_rules(plan: EpisodePlan, match: RecordedMatch) -> None:
    """The picks by the rules alone."""
    table = Table(plan.game, plan.setup(f"{match.seed}"))
    for seat, picks in match.answers:
        draft = table.draft(seat)
        for pick in picks:
            draft = draft.pick(pick)
        assert draft.answer is not None
        table.answer(seat, Answer(draft.answer))
        table.take()


def play_env(env: Any, match: RecordedMatch) -> None:
    """The actions in an AEC environment."""
    env.reset(seed=match.seed)
    for action in match.actions:
        env.last()
        env.step(action)


def pace(play: Play, steps: int) -> float:
    """Steps a second of CPU time."""
    times = 1 + LEAST_STEPS // max(1, steps)
    began = time.process_time()
    for _ in range(times):
        play()
    return times * steps / (time.process_time() - began)


# -- connect four of others ------------------------------------------------------------------


def connect_four_actions(seed: int) -> list[int]:
    """A random match of connect four, by OpenSpiel."""
    import pyspiel

    state, stream = pyspiel.load_game("connect_four").new_initial_state(), Stream(f"{seed}", "c4")
    while not state.is_terminal():
        state.apply_action(stream.choice(state.legal_actions()))
    return list(state.history())


def others() -> Iterator[tuple[str, Callable[[list[int]], None]]]:
    """What plays a match of connect four, by name."""
    import pyspiel
    from open_spiel.python import rl_environment

    game, loop = pyspiel.load_game("connect_four"), rl_environment.Environment("connect_four")

    def bare(actions: list[int]) -> None:
        state = game.new_initial_state()
        for action in actions:
            player = state.current_player()
            state.observation_tensor(player)
            state.legal_actions_mask(player)
            state.apply_action(action)

    def environment(actions: list[int]) -> None:
        loop.reset()
        for action in actions:
            loop.step([action])

    yield "OpenSpiel, states in a loop", bare
    yield "OpenSpiel, rl_environment", environment
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pettingzoo.classic import connect_four_v3
    except ModuleNotFoundError as error:
        print(f"without PettingZoo's connect four: pip install {error.name}")
        return
    env = connect_four_v3.env()
    yield "PettingZoo, connect four", lambda actions: play_env(env, RecordedMatch(0, actions, []))


def spread(numbers: list[float], digits: int = 0) -> str:
    """The median and the middle half."""
    low, _, high = quantiles(numbers)
    return f"{median(numbers):,.{digits}f} ({low:,.{digits}f} to {high:,.{digits}f})"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int, default=30)
    parser.add_argument("--games", nargs="*", default=list(SPEED_GAMES))
    options = parser.parse_args()
    envs = {game: AECMatch(game) for game in options.games}
    plans = {game: EpisodePlan.of(game, {}) for game in options.games}
    paces: dict[str, list[Pace]] = {game: [] for game in options.games}
    rest = {name: (play, list[float]()) for name, play in others()}
    for seed in range(options.matches):
        for game, env in envs.items():
            match = recorded(env, seed)
            if steps := len(match.actions):
                rules = pace(partial(play_rules, plans[game], match), steps)
                found = pace(partial(play_env, env, match), steps)
                paces[game].append(Pace(rules, found))
        actions = connect_four_actions(seed)
        for play, speeds in rest.values():
            speeds.append(pace(partial(play, actions), len(actions)))
    print("steps a second of CPU time: the median of matches, and the middle half of them")
    print(f"{'':26} {'rules alone':>28} {'AECMatch':>28} {'share':>21}")
    for game, ours in paces.items():
        shares = spread([one.env / one.rules for one in ours], 2)
        alone, in_env = spread([one.rules for one in ours]), spread([one.env for one in ours])
        print(f"{game:26} {alone:>28} {in_env:>28} {shares:>21}")
    for name, (_, speeds) in rest.items():
        print(f"{name:55} {spread(speeds):>28}")


if __name__ == "__main__":
    main()
