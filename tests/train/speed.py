"""How many steps a second of CPU time: environments beside the rules alone, PettingZoo's connect
four and OpenSpiel's own loop in Python.

``python -m tests.train.speed`` takes turns among them, so that all meet the same load.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from pettingzoo.classic import connect_four_v3

from arena.core.registry import find_game
from arena.core.replies import Answer
from arena.core.rng import Stream
from arena.core.table import Table
from arena.train import AECMatch
from arena.train.episode import EpisodePlan
from tests.train.test_aec import GAMES

SLICE = 0.2
"""Seconds of CPU time at a time."""
TURNS = 3


def picked_by_rules(game: str) -> Iterator[None]:
    """The rules alone: a table, drafts, random picks of the offers."""
    plan, stream, match = EpisodePlan.of(game, {}), Stream("0", game), 0
    while True:
        match += 1
        table = Table(plan.game, plan.setup(f"{match}"))
        while table.outcome is None:
            table.take()
            for ask in table.asked:
                draft = table.draft(ask.seat)
                while not draft.done:
                    may_end = draft.answer is not None
                    if may_end and stream.below(4) == 0:
                        break
                    pick = draft.offer.random_pick(stream)
                    if pick is None:
                        break
                    draft = draft.pick(pick)
                    yield
                table.answer(ask.seat, Answer(draft.answer or ""))


def picked_in(env: Any) -> Iterator[None]:
    """An AEC environment, random legal actions."""
    stream = Stream("0", "picks")
    while True:
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                legal = observation["action_mask"].nonzero()[0]
                end = 0 if legal[0] == 0 and stream.below(4) == 0 else stream.below(len(legal))
                env.step(int(legal[end]))
                yield


def answered_by_rules(game: str) -> Iterator[None]:
    """The rules alone: a table and random whole answers."""
    plan, stream, match = EpisodePlan.of(game, {}), Stream("0", game), 0
    while True:
        match += 1
        table = Table(plan.game, plan.setup(f"{match}"))
        while table.outcome is None:
            table.take()
            for ask in table.asked:
                text = plan.game.random_answer(table.world, ask, stream)
                table.answer(ask.seat, Answer(text))
                yield


def answered_in(env: AECMatch) -> Iterator[None]:
    """An AEC environment with text, the same answers."""
    stream = Stream("0", "answers")
    while True:
        env.reset()
        for _ in env.agent_iter():
            _, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            match = env._face.match
            assert match.table is not None
            assert match.ask is not None
            env.step(match.plan.game.random_answer(match.table.world, match.ask, stream))
            yield


def openspiel() -> Iterator[None]:
    """OpenSpiel's connect four, in a loop of Python."""
    import pyspiel

    stream, game = Stream("0", "spiel"), pyspiel.load_game("connect_four")
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            player = state.current_player()
            state.observation_tensor(player)
            state.apply_action(stream.choice(state.legal_actions(player)))
            yield


def steps_a_second(runs: dict[str, Iterator[None]]) -> dict[str, float]:
    """Steps of each in a second of CPU time, taken in turns."""
    steps, spent = dict.fromkeys(runs, 0), dict.fromkeys(runs, 0.0)
    for run in runs.values():
        next(run)
    for _ in range(TURNS):
        for name, run in runs.items():
            began = time.process_time()
            while (took := time.process_time() - began) < SLICE:
                next(run)
                steps[name] += 1
            spent[name] += took
    return {name: steps[name] / spent[name] for name in runs}


def main() -> None:
    runs: dict[str, Iterator[None]] = {
        "pettingzoo connect four": picked_in(connect_four_v3.env()),
        "openspiel connect four": openspiel(),
    }
    for game in GAMES:
        find_game(game)
        runs[f"{game} rules, picks"] = picked_by_rules(game)
        runs[f"{game} AEC, picks, arrays"] = picked_in(AECMatch(game))
        runs[f"{game} rules, answers"] = answered_by_rules(game)
        runs[f"{game} AEC, answers, text"] = answered_in(
            AECMatch(game, observations="text", actions="text")
        )
    for name, speed in steps_a_second(runs).items():
        print(f"{name:32} {speed:10.0f}")


if __name__ == "__main__":
    main()
