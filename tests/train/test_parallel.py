"""The parallel environment by PettingZoo's own tests, and beyond them."""

from __future__ import annotations

import warnings

import pytest

from arena.errors import UsageError
from arena.train import ParallelMatch
from tests.train import ALL_GAMES, QUICK

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # with pygame it imports its own games, in a deprecated way
    from pettingzoo.test import parallel_api_test
    from pettingzoo.test.seed_test import parallel_seed_test


@pytest.mark.parametrize("game", ALL_GAMES)
def test_of_pettingzoo(game: str) -> None:
    settings = QUICK.get(game, {})
    parallel_api_test(ParallelMatch(game, settings=settings), num_cycles=40)
    parallel_seed_test(lambda: ParallelMatch(game, settings=settings), num_cycles=40)


def test_all_who_are_asked_act_at_once() -> None:
    env = ParallelMatch("hextrategic", actions="text", rounds=2)
    _, infos = env.reset(seed=1)
    assert [infos[agent]["asked"] for agent in env.agents] == [True, True]
    _, _, _, truncations, _ = env.step(dict.fromkeys(env.agents, "No moves"))
    assert not any(truncations.values())
    _, rewards, terminations, truncations, _ = env.step(dict.fromkeys(env.agents, "No moves"))
    assert all(truncations.values())
    assert not any(terminations.values())
    assert set(rewards.values()) == {0.0}
    assert env.agents == []


def test_who_is_not_asked_can_only_pass() -> None:
    env = ParallelMatch("toroid")
    _, infos = env.reset(seed=1)
    (idle,) = (agent for agent in env.agents if not infos[agent]["asked"])
    assert list(infos[idle]["action_mask"].nonzero()[0]) == [0]
    asked = next(agent for agent in env.agents if agent != idle)
    legal = int(infos[asked]["action_mask"].nonzero()[0][0])
    _, rewards, *_ = env.step({idle: 1, asked: legal})
    assert rewards == {idle: -1.0, asked: 0.0}


def test_a_missing_action_is_named() -> None:
    env = ParallelMatch("hextrategic")
    env.reset(seed=1)
    for actions, words in (
        ({"seat_0": 0}, "seat_1 is asked: give its action"),
        ({"seat_0": 0, "seat_1": 0, "seat_2": 0}, "there is no agent 'seat_2'"),
        ([0, 0], "give a dict by agents"), ({"seat_0": 0, "seat_1": 1.5}, "not in the space"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=words):
            env.step(actions)  # type: ignore[arg-type]  # wrong on purpose
    assert env._face.match.waiting() == [0, 1]
