"""A match from Python: from ordinary code, and inside Trio."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import trio

import arena
from arena.api import inside
from arena.core.game import AnyGame
from arena.core.steps import Fate, Frame, Outcome, Script, Show
from arena.record.verify import verify
from arena.sandbox import session
from tests.api.conftest import one, two
from tests.support.leftovers import watched_processes
from tests.tiny import TINY, TinyWorld, frame

SETTINGS = {"max_rounds": 3}
SLEEPER = "import time\ntime.sleep(99)\n"


def test_a_match_of_functions() -> None:
    match = arena.play("tiny", [one, two], seed=7, settings=SETTINGS)
    assert match.report.status == "completed"
    assert match.report.players[1].rank == 1
    assert match.header.seed == match.report.seed == "7"
    assert match.rounds == 3
    assert match.complete
    assert [given.reply for given in match.answers(1)] == [arena.Answer("2")] * 3


def test_a_record_of_its_own_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    kept = arena.play("tiny", [one, two], seed=7, settings=SETTINGS, replay=path)
    assert verify(path).ok
    assert kept.digest == verify(path).digest == kept.report.digest
    in_memory = arena.play("tiny", [one, two], seed=7, settings=SETTINGS)
    assert in_memory.digest == kept.digest
    assert in_memory.report.replay is None


def test_listeners_hear_it() -> None:
    rounds: list[int] = []

    class Rounds(arena.Listener):
        async def shown(self, frame: Frame) -> None:
            rounds.append(frame["round"])

    arena.play("tiny", [one, two], settings=SETTINGS, listeners=[Rounds()])
    assert rounds == [0, 1, 2, 3]


async def test_inside_trio() -> None:
    match = await arena.play_async("tiny", [one, two], seed=7, settings=SETTINGS)
    assert match.rounds == 3


async def test_a_blocking_call_inside_trio_is_refused() -> None:
    with pytest.raises(arena.UsageError, match=r"use arena\.play_async"):
        arena.play("tiny", [one, two])
    with pytest.raises(arena.UsageError, match=r"use arena\.check_async"):
        arena.check("tiny", one)
    with pytest.raises(arena.UsageError, match=r"use arena\.series\(…\)\.play_async\(\)"):
        list(arena.series("tiny", [one, two], games=1))


async def test_an_error_inside_trio_comes_alone() -> None:
    """Not in a group, as nurseries make them."""
    with pytest.raises(arena.BotError, match="cannot start"):
        await arena.play_async("tiny", ["/bin/true --x", "no_such_program --y"])


async def test_a_cancelled_match_leaves_nothing(tmp_path: Path) -> None:
    bot = tmp_path / "sleeper.py"
    bot.write_text(SLEEPER)
    with watched_processes(), trio.move_on_after(1) as scope:
        await arena.play_async("tiny", [bot, bot])
    assert scope.cancelled_caught


def changed(**parts: Any) -> AnyGame:
    return dataclasses.replace(TINY, **parts)


def ends_at_once(world: TinyWorld) -> Script:
    yield Show(frame(world))
    return Outcome((1, 2), (1.0, 0.0), (Fate.SURVIVED,) * 2, "other", "Other rules.")


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_game_that_is_given_is_played(jobs: int) -> None:
    """Not the installed one of its name."""
    game = changed(script=ends_at_once, headline=str, picture=no_picture)
    assert arena.play(game, [one, two]).report.reason == "other"
    series = list(arena.series(game, [one, two], games=2, jobs=jobs))
    assert [report.reason for report in series] == ["other", "other"]
    assert arena.play("tiny", [one, two]).report.reason == "max_rounds"


def no_picture(board: Any, frame: Frame) -> str:
    return ""


def test_a_game_that_other_processes_cannot_have() -> None:
    game = changed(headline=lambda frame: "")  # as a function in a function
    arena.play(game, [one, two])
    with pytest.raises(arena.UsageError, match="cannot be sent to worker processes"):
        list(arena.series(game, [one, two], games=2, jobs=2))


def _refuse_to_launch(*_: object, **__: object) -> None:
    raise AssertionError("a keeper was started")


def test_functions_need_no_keeper(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is started where no seat is a program, by any way to play."""
    monkeypatch.setattr(session, "launch_keeper", _refuse_to_launch)
    monkeypatch.setattr(inside, "launch_keeper", _refuse_to_launch)
    assert arena.play("tiny", [one, two], seed=1).report.players[0].requests
    assert trio.run(lambda: arena.play_async("tiny", [one, two], seed=1)).report.rounds
    assert len(list(arena.series("tiny", [one, two], games=2, seed=1))) == 2
    with pytest.raises(AssertionError, match="was started"):
        arena.play("tiny", [one, "/bin/true"], seed=1)
