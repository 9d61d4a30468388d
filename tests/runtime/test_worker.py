"""Worker processes: how they end with their arena, and when they are asked to."""

from __future__ import annotations

import multiprocessing
import os
import queue
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from arena.bots.program import BotProgram
from arena.core.registry import GAMES
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.runtime.worker import Keepers, play_in_worker, play_spec, start_worker
from tests.sandbox.programs import linux_only
from tests.support.groups import wait_until
from tests.tiny import TinySettings


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


def spec(seed: str, code: str) -> MatchSpec:
    bot = BotProgram("bot", (sys.executable, "-I", "-S", "-c", code), None, None, "bot")
    return MatchSpec("tiny", programs((bot, bot)), seed, TinySettings(max_rounds=3))


def test_a_keeper_that_has_ended_is_replaced() -> None:
    with Keepers() as keepers:
        first = keepers.find(spec("1", ""))
        assert first is not None
        assert keepers.find(spec("2", "")) is first
        first.process.kill()
        wait_until(first.is_gone)
        second = keepers.find(spec("3", ""))
        assert second is not None
        assert second is not first
        assert not second.is_gone()


@linux_only
def test_a_worker_whose_arena_was_killed_before_it_began_ends() -> None:
    """Then no signal follows any more."""
    reader, writer = os.pipe()
    if (arena := os.fork()) == 0:
        parent = os.getpid()
        if os.fork() == 0:
            while os.getppid() == parent:
                time.sleep(0.001)
            with suppress(BaseException):
                start_worker(parent, queue.SimpleQueue())  # which waits for a core
        os._exit(0)
    os.close(writer)
    os.waitpid(arena, 0)
    with open(reader) as file:
        assert select.select([file], [], [], 60)[0]
        assert file.read() == ""  # it has ended


@linux_only
def test_O07_a_worker_that_cleans_up_takes_no_further_signal(tmp_path: Path) -> None:
    """The executor sends SIGTERM to all workers when the first of them has ended."""
    here = multiprocessing.get_context("fork")
    mute = f"import pathlib, time\npathlib.Path({str(tmp_path / 'up')!r}).touch()\ntime.sleep(60)"
    worker = here.Process(target=play_in_worker, args=(play_spec, spec("1", mute)))
    worker.start()
    try:
        while not (tmp_path / "up").exists():
            time.sleep(0.01)
        (keeper,) = psutil.Process(worker.pid).children()
        keeper.suspend()  # the end of the match takes long
        for _ in range(20):
            os.kill(worker.pid or 0, signal.SIGTERM)
            time.sleep(0.02)
        keeper.resume()
        worker.join(60)
        assert worker.exitcode == 1  # as the worker ends itself, and not by a signal
    finally:
        worker.kill()
