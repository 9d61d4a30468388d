"""The AEC environment by PettingZoo's own tests, and beyond them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from arena.core import game_names
from arena.errors import UsageError
from arena.train import AECMatch

GAMES = ("toroid", "warlight", "tncc", "hextrategic", "codecharacter")
QUICK = {"codecharacter": {"map_size": 10, "base_tiles": "1,1,8,8", "num_soldiers": 3}}
"""Settings that make a board small, for the games whose steps take long."""
USUAL = "Observation is not a NumPy array|Observation space for each agent probably"
"""What PettingZoo says of all its own games whose observations have masks."""


def made(game: str, **options: Any) -> AECMatch:
    """The environment of a game."""
    return AECMatch(game, settings=QUICK.get(game, {}), **options)


def sampled(env: AECMatch) -> Any:
    """A random legal action of the selected agent; None if it is out."""
    _, _, terminated, truncated, info = env.last(observe=False)
    space = env.action_space(env.agent_selection)
    return None if terminated or truncated else space.sample(info.get("action_mask"))


def finished(env: AECMatch, most: int = 20_000) -> dict[str, float]:
    """Play to the end at random; what each seat was rewarded in all."""
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter(most):
        total[agent] += env.last(observe=False)[1]
        env.step(sampled(env))
    assert not env.agents
    return total


@pytest.mark.parametrize("game", GAMES)
def test_of_pettingzoo(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", USUAL)
        api_test(made(game), num_cycles=60)
    seed_test(lambda: made(game), num_cycles=60)
    assert "Passed API test" in capsys.readouterr().out


def test_every_game_is_here() -> None:
    assert set(game_names()) >= set(GAMES)


@pytest.mark.parametrize(("game", "seats"), [("toroid", 2), ("toroid", 5), ("tncc", 3)])
def test_a_match_is_worth_nothing_in_sum(game: str, seats: int) -> None:
    env = made(game, seats=seats)
    env.reset(seed=3)
    for agent in env.agents:
        env.action_space(agent).seed(1)
    total = finished(env)
    assert sum(total.values()) == pytest.approx(0)
    assert all(-1 <= one <= 1 for one in total.values())
    assert any(total.values())


def test_a_seed_is_that_of_the_command_line() -> None:
    env = made("warlight")
    env.reset(seed=7)
    assert env._face.match.seed == "7"


def test_seats_asked_at_once_learn_nothing_in_between() -> None:
    env = made("hextrategic", actions="text", observations="text")
    env.reset(seed=1)
    before = env.observe("seat_1")
    env.step("move 0 1 5")
    assert env.agent_selection == "seat_1"
    assert env.observe("seat_1") == before


def test_a_pick_that_is_not_offered_loses() -> None:
    env = made("warlight")
    env.reset(seed=1)
    illegal = int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[0])
    loser = env.agent_selection
    env.step(illegal)
    assert all(env.terminations.values())
    assert env.rewards == {agent: -1.0 if agent == loser else 0.0 for agent in env.agents}


def test_rounds_truncate() -> None:
    env = made("tncc", actions="text", rounds=2)
    env.reset(seed=1)
    while not any(env.truncations.values()):
        env.step("wait")
    assert not any(env.terminations.values())
    assert env._face.match.frame is not None
    assert env._face.match.frame["round"] == 2


@pytest.mark.parametrize(
    "options",
    [
        {"seats": 9}, {"rounds": 0}, {"amounts": 1}, {"observations": "pictures"}, {"actions": "x"},
        {"colour": 1}, {"shaping": -1}, {"render_mode": "rgb_array"}, {"settings": {"rings": 3}},
    ],
)  # fmt: skip
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        AECMatch("toroid", **options)
