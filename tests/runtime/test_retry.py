"""Runs of matches: each is played once, and again when it was void."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest

from arena.bots.program import BotProgram
from arena.core.registry import GAMES
from arena.errors import BotError, MachineError
from arena.match.referee import Fairness
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.runtime.retry import Voids, play_all, play_each, play_with
from tests.tiny import TinySettings

K = TypeVar("K")

# For the shell, which starts in a tenth of what Python takes.
HONEST = ("/bin/sh", "-c", "while read -r line; do case $line in go*) echo 1;; esac; done")


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


def spec(seed: str) -> MatchSpec:
    bot = BotProgram("bot", HONEST, None, None, "bot")
    return MatchSpec("tiny", programs((bot, bot)), seed, TinySettings(max_rounds=3))


@pytest.mark.dear
def test_all_matches_are_played_once() -> None:
    specs = [spec(str(seed)) for seed in range(5)]
    points = []
    for jobs, pin in ((1, False), (2, False), (2, True)):
        reports = dict(play_all(specs, jobs=jobs, pin=pin))
        assert sorted(reports) == list(range(5))
        assert all(reports[i].seed == str(i) for i in reports)
        points.append([[p.points for p in reports[i].players] for i in range(5)])
    assert points[0] == points[1] == points[2]


@pytest.fixture
def bad_times(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[int], None]:
    """Let the first so many matches of a run, in whatever process, end with a MachineError."""

    def have(count: int) -> None:
        def check(self: Fairness) -> None:
            for number in range(count):
                with suppress(FileExistsError):
                    (tmp_path / str(number)).touch(exist_ok=False)
                    raise MachineError(f"bad time {number}")

        monkeypatch.setattr(Fairness, "check_sleep", check)

    return have


@pytest.mark.parametrize("jobs", [1, 2])
def test_O11_a_void_match_is_played_again(jobs: int, bad_times: Callable[[int], None]) -> None:
    bad_times(2)
    voids = Voids()
    specs = [spec(str(seed)) for seed in range(5)]
    reports = dict(play_all(specs, jobs=jobs, voids=voids))
    assert sorted(reports) == [0, 1, 2, 3, 4]
    assert [reports[i].seed for i in range(5)] == ["0", "1", "2", "3", "4"]
    assert voids.total == 2


@pytest.mark.parametrize("matches", [1, 2, 5])
def test_O11_void_matches_in_a_row_stop_the_run(
    matches: int, bad_times: Callable[[int], None]
) -> None:
    bad_times(99)
    voids = Voids()
    with pytest.raises(MachineError, match="3 matches in a row were void, the last: bad time "):
        list(play_all([spec(str(seed)) for seed in range(matches)], jobs=1, voids=voids))
    assert voids.total == 3


class BadAtFirst:
    """A pool whose first matches are void, which gives each of the others its key."""

    def __init__(self, voids: int) -> None:
        self._voids = voids

    def play(self, specs: Iterable[tuple[K, Any]]) -> Iterator[tuple[K, K | MachineError]]:
        """See `PoolOf`."""
        for key, _ in specs:
            self._voids -= 1
            yield key, MachineError("bad time") if self._voids >= 0 else key


def test_void_matches_in_a_row_halve_the_jobs_at_once() -> None:
    """And the run goes on, with those that were not played yet first."""
    told, pool = list[str](), BadAtFirst(12)
    plan = [(number, None) for number in range(18)]
    played = play_with(plan, lambda jobs: nullcontext(pool), jobs=4, tell=told.append)
    assert [key for key, _ in played] == [*range(12, 18), *range(12)]
    assert told == ["12 matches were void, and are played again, 2 at a time"]


@pytest.mark.dear
def test_O11_void_matches_are_played_again_by_fewer_at_a_time(
    bad_times: Callable[[int], None],
) -> None:
    bad_times(3)
    told: list[str] = []
    reports = dict(play_all([spec(str(seed)) for seed in range(4)], jobs=4, tell=told.append))
    assert sorted(reports) == [0, 1, 2, 3]
    assert told == ["3 matches were void, and are played again, 2 at a time"]


def test_O11_a_fair_match_ends_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice two void matches with a fair one between are no reason to stop."""
    moods = iter([True, True, False, True, True, False])

    def check(self: Fairness) -> None:
        if next(moods):
            raise MachineError("bad time")

    monkeypatch.setattr(Fairness, "check_sleep", check)
    voids = Voids()
    assert len(list(play_all([spec("1"), spec("2")], jobs=1, voids=voids))) == 2
    assert voids.total == 4


def test_a_bot_that_cannot_start_ends_a_series_and_not_a_league() -> None:
    ghost = BotProgram("ghost", ("/no/such/program",), None, None, "ghost")
    bad = MatchSpec("tiny", programs((ghost, ghost)), "1", TinySettings())
    with pytest.raises(BotError, match="cannot start ghost"):
        list(play_all([bad, spec("1")], jobs=1))
    each = dict(play_each(enumerate([bad, spec("1")]), jobs=1))
    assert isinstance(each[0], BotError)
    assert isinstance(each[1], MatchReport)


def test_no_further_match_is_begun_once_it_is_stopped() -> None:
    done: list[int] = []
    for key, _ in play_each(enumerate(map(spec, "12345")), jobs=1, stopped=lambda: len(done) > 1):
        done.append(key)
    assert done == [0, 1, 2]  # one was ready before
