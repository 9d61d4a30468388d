"""Pools: matches as they come, in this process or in workers, and what becomes of a dead one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, _base
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from arena.bots.program import BotProgram
from arena.core.registry import GAMES
from arena.errors import BotError, MachineError
from arena.match.referee import Fairness
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import PythonEntrant, programs
from arena.players.terms import Terms
from arena.runtime.pool import Aborted, LocalPool, Played, open_pool, with_next
from arena.runtime.worker import play_spec
from arena.sandbox import prestart
from arena.sandbox.child import Prepared
from arena.sandbox.children import Children
from arena.sandbox.levels import Level, SandboxMode, SandboxWish
from arena.sandbox.prestart import PrestartSpec
from tests.hostile.arena_runs import strongest
from tests.sandbox.programs import linux_only
from tests.support.leftovers import watched_processes
from tests.tiny import TinySettings

HONEST = "while read -r line; do case $line in go*) echo 1;; esac; done"
"""A bot for the shell, which starts in a tenth of what Python takes."""


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


def spec(seed: str, code: str = HONEST, run: Sequence[str] = ("/bin/sh", "-c")) -> MatchSpec:
    bot = BotProgram("bot", (*run, code), None, None, "bot")
    return MatchSpec("tiny", programs((bot, bot)), seed, TinySettings(max_rounds=3))


def played(specs: list[MatchSpec], jobs: int, *, pin: bool = False) -> list[tuple[int, Played]]:
    with open_pool(jobs, pin=pin) as pool:
        return list(pool.play(enumerate(specs)))


def reported(
    specs: list[MatchSpec], jobs: int, *, pin: bool = False
) -> list[tuple[int, MatchReport]]:
    """All of them fair."""
    return [(i, one) for i, one in played(specs, jobs, pin=pin) if isinstance(one, MatchReport)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_matches_are_taken_as_there_is_room(jobs: int) -> None:
    """Of a plan without end no more is taken than is played, and what waits for a worker."""
    taken = 0

    def plan() -> Iterator[tuple[str, MatchSpec]]:
        nonlocal taken
        while True:
            taken += 1
            yield f"match {taken}", spec(str(taken))

    with open_pool(jobs) as pool:
        results = pool.play(plan())
        keys = {next(results)[0] for _ in range(5)}
    assert len(keys) == 5
    assert 5 <= taken <= 5 + jobs + 1


def test_each_match_is_given_with_the_next_one() -> None:
    one, two, three = (spec(seed) for seed in "123")
    plan = [("a", one), ("b", two), ("c", three)]
    assert list(with_next(plan)) == [(plan[0], two), (plan[1], three), (plan[2], None)]
    assert list(with_next(plan[:0])) == []


def test_a_series_takes_what_it_has_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three matches the first must start its own two programs."""
    taken: list[bool] = []
    take = prestart._take

    async def watched(children: Children, recipe: PrestartSpec) -> Prepared | None:
        found = await take(children, recipe)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(prestart, "_take", watched)
    monkeypatch.setattr("arena.match.play.prepare_first", _nothing)
    with LocalPool(play_spec) as pool:
        assert len(list(pool.play(enumerate([spec("1"), spec("2"), spec("3")])))) == 3
    assert taken == [False, False, True, True, True, True]


async def _nothing(spec: MatchSpec, children: Children) -> None:
    """Prepares nothing."""


def test_each_match_has_its_own_limits_and_walls() -> None:
    modes: list[SandboxWish] = [Level.OFF, SandboxMode.AUTO, Level.OFF]
    specs = [
        msgspec.structs.replace(spec(str(i)), terms=Terms(sandbox=mode))
        for i, mode in enumerate(modes)
    ]
    reports = dict(reported(specs, 2))
    assert (reports[0].sandbox, reports[2].sandbox) == (Level.OFF, Level.OFF)
    assert reports[1].sandbox is strongest()


def test_a_void_match_is_given_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(self: Fairness) -> None:
        raise MachineError("bad time")

    monkeypatch.setattr(Fairness, "check_sleep", check)
    ((key, result),) = played([spec("1")], 1)
    assert (key, str(result)) == (0, "bad time")


def test_matches_are_given_up_on_request() -> None:
    abort = Future[None]()
    with suppress(Aborted), open_pool(1, abort=abort) as pool:
        results = pool.play(enumerate([spec(str(seed)) for seed in range(50)]))
        next(results)
        abort.set_result(None)
        with pytest.raises(Aborted):
            next(results)


def test_O07_a_ctrl_c_while_it_waits_leaves_no_lock_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it did while `concurrent.futures.wait` took the locks of all futures: the end of the
    workers waited for them for ever."""
    enter = _base._AcquireFutures.__enter__

    def interrupted(locks: _base._AcquireFutures) -> None:
        enter(locks)
        raise KeyboardInterrupt

    def one_match() -> None:
        with open_pool(2) as pool:
            next(pool.play([(1, spec("1")), (2, spec("2"))]))
            raise KeyboardInterrupt

    monkeypatch.setattr(_base._AcquireFutures, "__enter__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        one_match()


TELLS_ITS_CORES = """import os, sys
print(os.sched_getaffinity(0), file=sys.stderr, flush=True)
for line in sys.stdin:
    if line.startswith("go"): print(1, flush=True)
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_pinned_match_and_its_bots_have_one_core(jobs: int) -> None:
    python = (sys.executable, "-I", "-S", "-c")
    specs = [spec(str(seed), TELLS_ITS_CORES, python) for seed in range(4)]
    for _, report in reported(specs, jobs, pin=True):
        first, second = (player.stderr[0].text for player in report.players)
        assert first == second
        assert first.count(",") == 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bot_that_cannot_start_ends_no_other_match(jobs: int) -> None:
    ghost = BotProgram("ghost", ("/no/such/program",), None, None, "ghost")
    bad = MatchSpec("tiny", programs((ghost, ghost)), "1", TinySettings())
    with open_pool(jobs) as pool:
        found = dict(pool.play(enumerate([spec("1"), bad, spec("2")])))
    assert isinstance(found[1], BotError)
    assert str(found[1]).startswith("cannot start ghost")
    assert isinstance(found[0], MatchReport)
    assert isinstance(found[2], MatchReport)


KILL_THE_WORKER = "set -- $(sed 's/.*) //' /proc/$PPID/stat); kill -KILL $2"
"""The second word behind the name of a process is its parent."""
KILL_THE_KEEPER = "kill -KILL $PPID"


@linux_only
def test_a_killed_worker_makes_matches_void_and_others_are_played() -> None:
    results = played([spec("1", KILL_THE_WORKER), *[spec(str(i)) for i in range(2, 7)]], 2)
    assert sorted(key for key, _ in results) == list(range(6))
    void = {key: str(one) for key, one in results if isinstance(one, MachineError)}
    assert 1 <= len(void) <= 3
    assert "a worker process of the arena died" in void[0]


@linux_only
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_keeper_makes_one_match_void(jobs: int) -> None:
    """Without walls a bot can do that. Further matches get another keeper."""
    results = dict(played([spec("1", KILL_THE_KEEPER), spec("2"), spec("3"), spec("4")], jobs))
    assert "the keeper of the bots" in str(results[0])
    assert [type(results[i]) for i in (1, 2, 3)] == [MatchReport] * 3


def test_no_worker_or_keeper_is_left(tmp_path: Path) -> None:
    with watched_processes():
        played([spec("1"), spec("2"), spec("3")], 2)


def loops(lines: list[str]) -> str:
    """A game, or a Python player, that never comes back."""
    while True:
        pass


@pytest.mark.dear
def test_a_worker_that_cannot_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.runtime.pool.WORKER_GRACE", 0.2)
    entrants = (PythonEntrant("loops", loops),) * 2
    endless = msgspec.structs.replace(spec("1"), entrants=entrants)
    with pytest.raises(KeyboardInterrupt):
        interrupt_after_one([(0, endless), (1, spec("2"))])


def interrupt_after_one(specs: list[tuple[int, MatchSpec]]) -> None:
    with open_pool(2) as pool:
        assert next(pool.play(specs))[0] == 1
        raise KeyboardInterrupt
