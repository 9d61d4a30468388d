"""One seat against bots: functions, classes and programs."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import arena.train
from arena.errors import MachineError, UsageError
from arena.train import SeatEnv
from arena.train.hosted import Host
from tests.support.leftovers import watched_processes

PASSIVE = """
import sys
for line in sys.stdin:
    if line.startswith("go"):
        print("No moves", flush=True)
"""
LEAVES = PASSIVE + "        break\n"


class Counting:
    """A bot with a memory."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, lines: list[str]) -> str:
        assert lines[-1].startswith("go")
        self.asked += 1
        return "build" if self.asked > 1 else "No moves"


def passive(lines: list[str]) -> str:
    return "No moves"


def program(folder: Path, source: str) -> str:
    path = folder / "bot.py"
    path.write_text(source)
    return str(path)


def played(env: SeatEnv, seed: int) -> list[tuple[float, bool, bool]]:
    """The rewards and ends of a match in which the learner always takes its first choice."""
    _, info = env.reset(seed=seed)
    steps: list[tuple[float, bool, bool]] = []
    while not steps or not any(steps[-1][1:]):
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, reward, terminated, truncated, info = env.step(action)
        steps.append((float(reward), terminated, truncated))
    return steps


def passes(env: SeatEnv, times: int) -> None:
    """The learner does nothing, so many times."""
    for _ in range(times):
        env.step("No moves")


def test_a_program_and_a_function_that_do_the_same_give_the_same_match(tmp_path: Path) -> None:
    settings = {"normal_game_turn_per_player": 2}
    direct = SeatEnv("toroid", passive, settings=settings)
    hosted = SeatEnv("toroid", program(tmp_path, PASSIVE), settings=settings)
    one, other = direct.reset(seed=5)[0], hosted.reset(seed=5)[0]
    assert all(np.array_equal(one[key], other[key]) for key in one)
    assert played(direct, 5) == played(hosted, 5)
    hosted.close()


def test_a_program_that_leaves_gets_a_verdict_and_the_match_goes_on(tmp_path: Path) -> None:
    env = SeatEnv("tncc", program(tmp_path, LEAVES), settings={"max_cycles": 3}, actions="text")
    env.reset(seed=1)
    for _ in range(20):
        _, _, terminated, _, info = env.step("No moves")
        if terminated:
            break
    assert info["report"].players[1].stopped == "exited"
    assert info["report"].players[0].name == "learner"
    env.close()


@pytest.mark.dear
def test_the_end_of_an_environment_ends_its_programs(tmp_path: Path) -> None:
    env = SeatEnv("toroid", program(tmp_path, PASSIVE))
    with watched_processes() as started:
        env.reset(seed=1)
        env.reset(seed=2)  # in mid-match
        assert len(started()) > 1  # the keeper and the bot
        env.close()
        env.close()
    with pytest.raises(UsageError, match="closed"):
        env.reset(seed=3)
    other = SeatEnv("toroid", program(tmp_path, PASSIVE))
    other.reset(seed=1)
    field = other._field
    del other
    gc.collect()
    assert field._host is None


def test_a_match_that_the_thread_never_begins_is_void(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its keeper has ended, and the thread with it, and nobody has noticed."""
    env = SeatEnv("tncc", program(tmp_path, PASSIVE), actions="text")
    with watched_processes() as started:
        env.reset(seed=1)
        for process in started():
            if process.children():  # the keeper
                process.kill()
        wait_for_the_end(env)
        noticed = iter([False])
        monkeypatch.setattr(Host, "failed", property(lambda host: next(noticed, True)))
        with pytest.raises(MachineError, match="keeper"):
            env.reset(seed=2)
        env.close()


def test_a_closed_environment_says_so(tmp_path: Path) -> None:
    env = SeatEnv("tncc", program(tmp_path, PASSIVE), actions="text")
    env.reset(seed=1)
    env.close()
    for use in (lambda: env.step("wait"), lambda: env.reset(seed=1)):
        with pytest.raises(UsageError, match="closed: make another"):
            use()


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # it is the case
def test_a_fork_of_an_environment_says_so_and_harms_nothing(tmp_path: Path) -> None:
    """The thread that plays the match is not there: a step would wait for ever."""
    env = SeatEnv("tncc", program(tmp_path, PASSIVE), actions="text")
    env.reset(seed=1)
    ours, theirs = os.pipe()
    if (child := os.fork()) == 0:
        try:
            signal.alarm(20)
            for use in (lambda: env.step("wait"), lambda: env.reset(seed=1)):
                with pytest.raises(UsageError) as refused:
                    use()
                os.write(theirs, f"{refused.value}\n".encode())
            env.close()
            os.write(theirs, b"closed")
        finally:
            os._exit(0)
    os.close(theirs)
    os.waitpid(child, 0)
    with open(ours) as said:
        first, second, end = said.read().split("\n")
    assert first == second
    assert "has begun in another process" in first
    assert end == "closed"
    env.step("wait")
    env.close()


def wait_for_the_end(env: SeatEnv) -> None:
    """Until the thread has ended that plays its matches."""
    assert env._field._host is not None
    env._field._host._thread.join()


@pytest.mark.parametrize("is_over", [False, True])
def test_the_end_of_the_keeper_voids_the_match_and_the_next_has_another(
    is_over: bool, tmp_path: Path
) -> None:
    """Whether the thread of the match has heard of it at the next step, or not yet."""
    env = SeatEnv("tncc", program(tmp_path, PASSIVE), actions="text")
    with watched_processes() as started:
        env.reset(seed=1)
        for process in started():
            if process.children():  # the keeper
                process.kill()
        if is_over:
            wait_for_the_end(env)
        with pytest.raises(MachineError, match="keeper"):
            passes(env, 40)
        with pytest.raises(UsageError, match="reset"):
            env.step("No moves")
        env.reset(seed=1)
        env.step("No moves")
        env.close()


class Interrupted:
    """News that Ctrl-C comes before."""

    def get(self, timeout: float) -> None:
        raise KeyboardInterrupt

    def put(self, news: object) -> None:
        pass


def test_after_an_interrupted_step_there_is_only_a_reset(tmp_path: Path) -> None:
    """The answer was given, and a second one would be for the next request."""
    env: Any = SeatEnv("tncc", program(tmp_path, PASSIVE), actions="text")
    env.reset(seed=1)
    env._face.match._news = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        env.step("No moves")
    with pytest.raises(UsageError, match="reset"):
        env.step("No moves")
    env.reset(seed=1)
    env.step("No moves")
    env.close()


def test_each_match_has_an_object_of_its_own() -> None:
    env = SeatEnv("toroid", Counting, settings={"normal_game_turn_per_player": 2})
    assert played(env, 1) == played(env, 1)


def test_the_seat_is_drawn_by_the_seed() -> None:
    env = SeatEnv("toroid", passive, seats=4, seat=None)
    seats = []
    for seed in range(12):
        env.reset(seed=seed)
        seats.append(env.seat)
    assert set(seats) == {0, 1, 2, 3}


def test_it_is_pickled_as_it_was_made() -> None:
    env = SeatEnv("toroid", passive, rounds=2)
    env.reset(seed=1)
    assert played(pickle.loads(pickle.dumps(env)), 3) == played(env, 3)


@pytest.mark.dear_for("async")
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_vectors(kind: str) -> None:
    make: Any = partial(SeatEnv, "toroid", passive, rounds=2)
    vector: Any = gymnasium.vector
    context = {"context": "spawn"} if kind == "async" else {}
    kinds = {"sync": vector.SyncVectorEnv, "async": vector.AsyncVectorEnv}
    envs = kinds[kind]([make, make], **context)
    observations, infos = envs.reset(seed=[1, 2])
    assert observations["observation"].shape[0] == 2
    masks = infos["action_mask"]
    envs.step(np.array([int(np.flatnonzero(mask)[0]) for mask in masks]))
    envs.close()


@pytest.mark.parametrize(
    ("opponents", "options"),
    [
        ([passive, passive], {"seats": 2}), (passive, {"seat": 2}), (3, {}),
        (passive, {"seat": "1"}), (passive, {"seat": 1.0}), ("none.py", {}), ([], {}),
        (passive, {"conditions": {"seed": 3}}), (passive, {"conditions": {"colour": 3}}),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(opponents: Any, options: Any) -> None:
    with pytest.raises(UsageError):
        SeatEnv("toroid", opponents, **options)


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.startswith("arena.train.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(vars(arena.train), "AECMatch", raising=False)  # delattr would import it
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(UsageError, match=r"AECMatch needs pettingzoo: pip install '\.\[train\]'"):
        arena.train.AECMatch  # noqa: B018


def test_the_libraries_are_not_loaded_with_arena() -> None:
    import subprocess

    code = (
        "import sys, arena, arena.train; arena.train.TextMatch('toroid').reset(seed=1);"
        "print({'numpy', 'gymnasium', 'pettingzoo', 'trio'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
