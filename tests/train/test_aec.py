"""The AEC environment by PettingZoo's own tests, and beyond them."""

from __future__ import annotations

import copy
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from arena.core import game_names
from arena.core.game import AnyGame
from arena.errors import UsageError
from arena.train import AECMatch
from tests.tiny import TINY
from tests.train import ALL_GAMES, GAMES, QUICK

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # with pygame it imports its own games, in a deprecated way
    from pettingzoo.test import api_test, render_test, seed_test
    from pettingzoo.utils.wrappers import BaseWrapper

USUAL = "Observation is not a NumPy array|Observation space for each agent probably"
"""What PettingZoo says of all its own games whose observations have masks."""


DEAR = pytest.mark.dear


def made(game: str | AnyGame, **options: Any) -> AECMatch:
    """The environment of a game."""
    name = game if isinstance(game, str) else game.name
    return AECMatch(game, **{"settings": QUICK.get(name, {}), **options})


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


def passes_api_test(env: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Raises AssertionError, or what PettingZoo warns of."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", USUAL)
        api_test(env, num_cycles=60)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("game", ALL_GAMES)
def test_of_pettingzoo(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    passes_api_test(made(game), capsys)
    seed_test(lambda: made(game), num_cycles=60)


class InDict(BaseWrapper):  # type: ignore[misc]  # the library has no types
    """The text as a part of a dict. PettingZoo's test reads the `dtype` of any other observation,
    and a `str` has none."""

    def observation_space(self, agent: str) -> spaces.Dict:
        """Always the same object, as the test wants."""
        kept = self.__dict__.setdefault("kept", {})
        inner = self.env.observation_space(agent)
        return kept.setdefault(agent, spaces.Dict({"text": inner}))  # type: ignore[no-any-return]

    def observe(self, agent: str) -> dict[str, str]:
        """The text by a name."""
        return {"text": self.env.observe(agent)}


@pytest.mark.parametrize(
    ("game", "actions"),
    [("tncc", "picks"), ("toroid", "text"), pytest.param("warlight", "text", marks=DEAR)],
)
def test_of_pettingzoo_with_text(
    game: str, actions: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def make() -> AECMatch:
        return made(game, observations="text", actions=actions, rounds=3)

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Action space for each agent probably should be")
        passes_api_test(InDict(make()), capsys)
    seed_test(make, num_cycles=40)


def test_of_pettingzoo_without_offers(capsys: pytest.CaptureFixture[str]) -> None:
    """A game that says nothing but its rules: its text as codes, answers as text."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Action space for each agent probably should be")
        passes_api_test(made(TINY, actions="text"), capsys)
    with pytest.raises(UsageError, match="no offers to pick from"):
        AECMatch(TINY)


@pytest.mark.parametrize("game", ALL_GAMES[:6])
def test_pictures_by_pettingzoo(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(partial(made, game))
    env, printing = made(game, render_mode="ansi"), made(game, render_mode="human")
    for one in (env, printing):
        one.reset(seed=1)
        while one._face.match.frame is None or not one._face.match.frame["round"]:
            one.action_space(one.agent_selection).seed(1)
            one.step(sampled(one))
    picture = env.render()
    capsys.readouterr()
    printing.render()
    assert picture
    assert capsys.readouterr().out == f"{picture}\n"


def test_every_game_is_here() -> None:
    assert set(game_names()) >= set(GAMES)


@pytest.mark.dear_for("toroid-5")
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


def test_shaping_pays_on_the_way_what_it_takes_at_the_end() -> None:
    """What is paid for the standing adds up to nothing: the result counts."""
    totals = []
    for shaping in (0.0, 0.5):
        env = made("toroid", shaping=shaping, settings={"normal_game_turn_per_player": 6})
        env.reset(seed=3)
        for agent in env.agents:
            env.action_space(agent).seed(1)
        paid = False
        total = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, ended, _, _ = env.last(observe=False)
            total[agent] += reward
            paid |= bool(reward) and not ended
            env.step(sampled(env))
        assert paid == bool(shaping)
        totals.append(total)
    assert totals[0] == pytest.approx(totals[1], abs=0.5)
    assert sum(totals[1].values()) == pytest.approx(0)


def turns_of(env: AECMatch) -> int:
    return int(getattr(env._face.plan.settings, "normal_game_turn_per_player"))  # noqa: B009


def test_options_of_a_reset() -> None:
    env = made("toroid")
    env.reset(seed=1, options={"settings": {"normal_game_turn_per_player": 1}, "mine": 3})
    assert turns_of(env) == 1
    env.reset(seed=1)
    assert turns_of(env) > 1
    for options, words in (
        ({"settings": {"countries_per_player": 7}}, "shape of observations"),
        ({"settings": {"rings": 3}}, "rings"), ({"settings": 3}, "settings"),
        ({"map": "none.json"}, "none.json"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=words):
            env.reset(seed=1, options=options)
    env.last()


def test_a_match_is_copied_as_it_is() -> None:
    env = made("warlight")
    env.reset(seed=1)
    for agent in env.agents:
        env.action_space(agent).seed(1)
    for _ in range(40):
        env.step(sampled(env))
    other = copy.deepcopy(env)
    for key, part in env.last()[0].items():
        assert np.array_equal(part, other.last()[0][key])
    assert other.infos.keys() == env.infos.keys()


@pytest.mark.parametrize("action", ["go", None, 1.5, -1, 10**6, np.array([1, 2]), {}])
def test_what_is_no_action_is_refused_and_loses_nothing(action: Any) -> None:
    env = made("toroid")
    env.reset(seed=1)
    agent = env.agent_selection
    with pytest.raises(UsageError, match="is not in the space: give a whole number from 0 to"):
        env.step(action)
    assert (env.agent_selection, env.terminations[agent]) == (agent, False)
    env.step(sampled(env))


@pytest.mark.parametrize("action", [3, None, "two\nlines"])
def test_what_is_no_answer_is_refused_and_loses_nothing(action: Any) -> None:
    env = made("toroid", actions="text")
    env.reset(seed=1)
    with pytest.raises(UsageError, match="is not one line of text"):
        env.step(action)
    env.step("No moves")


def test_what_needs_a_match_says_so() -> None:
    env = made("toroid", rounds=1)
    with pytest.raises(UsageError, match="call reset first"):
        env.step(0)
    with pytest.raises(UsageError, match="call reset first"):
        env.observe("seat_0")
    with pytest.raises(UsageError, match="call reset first"):
        made("toroid", render_mode="ansi").render()
    with pytest.raises(AttributeError, match="call reset first"):
        env.last()
    env.reset(seed=1)
    with pytest.raises(UsageError, match="no agent 'seat_9': there are seat_0 and seat_1"):
        env.observe("seat_9")
    with pytest.raises(UsageError, match="no agent"):
        env.action_space("seat_9")
    with pytest.raises(UsageError, match="there is no action 1000: they go from 0 to"):
        env.meaning(1000)
    for seed in ("7", 1.5):
        with pytest.raises(UsageError, match="give a whole number"):
            env.reset(seed=seed)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(UsageError, match="give a dict"):
        env.reset(options=3)  # type: ignore[arg-type]  # wrong on purpose
    env.reset(seed=np.int64(1))  # type: ignore[arg-type]  # as libraries draw them
    finished(env)
    with pytest.raises(UsageError, match="the match is over: call reset"):
        env.step(0)


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
        {"seats": 9}, {"seats": "2"}, {"rounds": 0}, {"amounts": 1}, {"observations": "pictures"},
        {"actions": "x"}, {"colour": 1}, {"shaping": -1}, {"render_mode": "rgb_array"},
        {"settings": {"rings": 3}}, {"settings": 3}, {"map": {}}, {"map": "none"},
        {"shaping": float("nan")}, {"rounds": True}, {"rounds": 2.0}, {"amounts": "5"},
    ],
)  # fmt: skip
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        AECMatch("toroid", **options)


def test_numbers_of_numpy_are_numbers() -> None:
    """Those who try out values draw them with numpy."""
    two, five, tenth = np.int64(2), np.int32(5), np.float32(0.1)
    options: dict[str, Any] = {"seats": two, "rounds": two, "amounts": five, "shaping": tenth}
    env = AECMatch("toroid", **options)
    env.reset(seed=1)
    assert env.action_space("seat_0") == made("toroid", amounts=5).action_space("seat_0")
