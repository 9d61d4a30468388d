"""Many matches at once, over processes."""

from __future__ import annotations

import os
import signal
from functools import partial
from itertools import pairwise
from multiprocessing import active_children
from typing import Any

import numpy as np
import pytest

from arena.errors import ArenaFault, UsageError
from arena.train import AECMatch, ManyTurns, MatchVector, ParallelMatch, SeatEnv

SHORT = partial(AECMatch, "toroid", rounds=2)


def first_choices(turns: ManyTurns) -> Any:
    """The first possible action of each mask."""
    assert turns.masks is not None
    return turns.masks.argmax(axis=-1)


def played(make: Any, steps: int, jobs: int) -> list[ManyTurns]:
    """The turns of three matches in which all take their first choice."""
    with MatchVector(make, 3, jobs=jobs) as vector:
        turns = [vector.reset(seed=5)]
        for _ in range(steps):
            turns.append(vector.step(first_choices(turns[-1])))
    return turns


@pytest.mark.dear
def test_processes_play_what_one_environment_plays() -> None:
    turns, env = played(SHORT, 30, jobs=2), SHORT()
    env.reset(seed=6)
    ends = 0
    for before, after in pairwise(turns):
        agent = env.agent_selection
        seen = env.observe(agent)
        assert env.possible_agents[before.asked[1]] == agent
        assert np.array_equal(before.observations["observation"][1], seen["observation"])
        assert before.masks is not None
        assert np.array_equal(before.masks[1], seen["action_mask"])
        env.step(int(seen["action_mask"].argmax()))
        assert list(after.rewards[1]) == list(env.rewards.values())
        assert (after.terminations[1], after.truncations[1]) == (
            env.terminations[agent],
            env.truncations[agent],
        )
        if env.terminations[agent] or env.truncations[agent]:
            ends += 1
            env.reset()
    assert ends > 0


@pytest.mark.dear
def test_seats_that_act_at_once() -> None:
    turns = played(partial(ParallelMatch, "hextrategic", rounds=1), 6, jobs=1)
    assert turns[0].asked.shape == (3, 2)
    assert turns[0].observations["observation"].shape[:2] == (3, 2)
    assert any(one.truncations.all() for one in turns)


@pytest.mark.dear
def test_text() -> None:
    make = partial(AECMatch, "tncc", observations="text", actions="text", rounds=1)
    with MatchVector(make, 2, jobs=1) as vector:
        turns = vector.reset(seed=1)
        assert turns.masks is None
        assert all("go action" in text for text in turns.observations)
        turns = vector.step(["wait", "wait"])
        assert turns.rewards.shape == (2, 2)


@pytest.mark.dear
def test_a_process_that_dies_is_named_and_all_end() -> None:
    vector = MatchVector(SHORT, 4, jobs=2)
    turns = vector.reset(seed=1)
    victim, other = (hand.process for hand in vector._hands)
    assert victim.pid is not None
    os.kill(victim.pid, signal.SIGKILL)
    with pytest.raises(ArenaFault, match=r"played the matches 0 to 1, was ended by SIGKILL"):
        vector.step(first_choices(turns))
    assert not other.is_alive()
    with pytest.raises(UsageError, match="closed"):
        vector.reset()
    vector.close()


@pytest.mark.dear
def test_what_an_environment_refuses_is_raised() -> None:
    with MatchVector(SHORT, 2, jobs=1) as vector:
        vector.reset(seed=1)
        with pytest.raises(UsageError, match="3 actions for 2 matches"):
            vector.step([0, 0, 0])
        with pytest.raises(UsageError, match="not in the space"):
            vector.step([0, 10_000])
        with pytest.raises(UsageError, match="closed"):
            vector.step([0, 0])
    assert not [one for one in active_children() if one.name == "arena-matches"]


@pytest.mark.dear
def test_an_interrupted_step_ends_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Ctrl-C does, at any point."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    vector = MatchVector(SHORT, 2, jobs=2)
    turns, processes = vector.reset(seed=1), [hand.process for hand in vector._hands]
    monkeypatch.setattr(vector._hands[1], "receive", interrupt)
    with pytest.raises(KeyboardInterrupt):
        vector.step(first_choices(turns))
    assert not [one for one in processes if one.is_alive()]
    with pytest.raises(UsageError, match="closed"):
        vector.step(first_choices(turns))


@pytest.mark.dear
def test_wrong_calls_take_no_step_and_close_nothing() -> None:
    with MatchVector(SHORT, 2, jobs=1) as vector:
        vector.reset(seed=1)
        for wrong, words in ((None, "no list"), (3, "no list"), ([0, 0, 0], "3 actions")):
            with pytest.raises(UsageError, match=words):
                vector.step(wrong)  # type: ignore[arg-type]  # wrong on purpose
        with pytest.raises(UsageError, match="whole number"):
            vector.reset(seed="1")  # type: ignore[arg-type]  # wrong on purpose
        with vector._busy, pytest.raises(UsageError, match="another thread"):
            vector.reset(seed=1)
        assert vector.step([0, 0]).rewards.shape == (2, 2)


@pytest.mark.parametrize(
    ("make", "words"), [(lambda: AECMatch("toroid"), "partial"), ("toroid", "function")]
)
def test_what_cannot_be_sent_to_a_process_is_refused(make: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        MatchVector(make, 1, jobs=1)


@pytest.mark.parametrize(("matches", "jobs"), [(0, 1), (2, -1), (2, 0), (2.5, 1), ("2", 1)])
def test_wrong_numbers(matches: Any, jobs: Any) -> None:
    with pytest.raises(UsageError, match="whole numbers from 1"):
        MatchVector(SHORT, matches, jobs=jobs)


@pytest.mark.dear
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (partial(AECMatch, "chess"), "chess"),
        (partial(SeatEnv, "toroid", " ".join), "vectors of Gymnasium"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_refused(make: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        MatchVector(make, 1, jobs=1)
