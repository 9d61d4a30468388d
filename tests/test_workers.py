"""Worker processes: the same results with any number of them, and what becomes of a dead one."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from arena.bots import BotProgram
from arena.errors import ArenaFault, BotError, HostFault
from arena.game import GAMES
from arena.host import Host
from arena.reports import MatchSpec
from arena.workers import Voids, play_all
from tests.tiny import TinySettings

HONEST = "import sys\nfor line in sys.stdin:\n    if line.startswith('go'): print(1, flush=True)\n"


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


def spec(seed: str, code: str = HONEST) -> MatchSpec:
    bot = BotProgram("bot", (sys.executable, "-I", "-S", "-c", code), None, None, "bot")
    return MatchSpec("tiny", (bot, bot), seed, TinySettings(max_rounds=3))


@pytest.mark.parametrize("pin", [False, True])
def test_all_matches_are_played_once(pin: bool) -> None:
    specs = [spec(str(seed)) for seed in range(7)]
    points = {}
    for jobs in (1, 2, 3):
        reports = dict(play_all(specs, jobs=jobs, pin=pin))
        assert sorted(reports) == list(range(7))
        assert all(reports[i].seed == str(i) for i in reports)
        points[jobs] = [[p.points for p in reports[i].players] for i in range(7)]
    assert points[1] == points[2] == points[3]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_pinned_match_and_its_bots_have_one_core(jobs: int) -> None:
    tell = "import os, sys\nprint(os.sched_getaffinity(0), file=sys.stderr, flush=True)\n"
    specs = [spec(str(seed), tell + HONEST) for seed in range(4)]
    for _, report in play_all(specs, jobs=jobs, pin=True):
        first, second = (player.stderr[0].text for player in report.players)
        assert first == second
        assert first.count(",") == 0


def test_pinning_is_undone() -> None:
    before = os.sched_getaffinity(0)
    list(play_all([spec("1")], jobs=1, pin=True))
    assert os.sched_getaffinity(0) == before


def test_a_bot_that_cannot_start_stops_all() -> None:
    ghost = BotProgram("ghost", ("/no/such/program",), None, None, "ghost")
    bad = MatchSpec("tiny", (ghost, ghost), "1", TinySettings())
    with pytest.raises(BotError, match="cannot start ghost"):
        list(play_all([bad] * 5, jobs=2))


def test_a_killed_worker_voids_the_series() -> None:
    kill = f"import os\nos.kill({os.getpid()}, 0)\n" + HONEST
    murder = (
        "import os, signal\n"
        "keeper = os.getppid()\n"
        "worker = int(open(f'/proc/{keeper}/stat').read().rpartition(')')[2].split()[1])\n"
        f"os.kill(worker, {int(signal.SIGKILL)})\n"
    )
    with pytest.raises(ArenaFault, match="a worker process of the arena died"):
        list(play_all([spec("1", kill), spec("2", murder)], jobs=2))


@pytest.fixture
def bad_times(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[int], None]:
    """Let the first so many matches of a run, in whatever process, end with a HostFault."""

    def have(count: int) -> None:
        def check(self: Host) -> None:
            for number in range(count):
                with suppress(FileExistsError):
                    (tmp_path / str(number)).touch(exist_ok=False)
                    raise HostFault(f"bad time {number}")

        monkeypatch.setattr(Host, "check_sleep", check)

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


@pytest.mark.parametrize(("jobs", "matches", "most"), [(1, 5, 3), (2, 9, 6), (2, 5, 6)])
def test_O11_void_matches_in_a_row_stop_the_run(
    jobs: int, matches: int, most: int, bad_times: Callable[[int], None]
) -> None:
    """Three; or three for each that was played at a time."""
    bad_times(99)
    voids = Voids()
    text = f"{most} matches in a row were void, the last: bad time "
    with pytest.raises(HostFault, match=text):
        list(play_all([spec(str(seed)) for seed in range(matches)], jobs=jobs, voids=voids))
    assert voids.total == most


def test_O11_void_matches_are_played_again_by_fewer_at_a_time(
    bad_times: Callable[[int], None],
) -> None:
    bad_times(3)
    told: list[str] = []
    reports = dict(play_all([spec(str(seed)) for seed in range(4)], jobs=4, tell=told.append))
    assert sorted(reports) == [0, 1, 2, 3]
    assert told == ["3 matches were void, and are played again 2 at a time"]


def test_O11_a_fair_match_ends_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice two void matches with a fair one between are no reason to stop."""
    moods = iter([True, True, False, True, True, False])

    def check(self: Host) -> None:
        if next(moods):
            raise HostFault("bad time")

    monkeypatch.setattr(Host, "check_sleep", check)
    voids = Voids()
    assert len(list(play_all([spec("1"), spec("2")], jobs=1, voids=voids))) == 2
    assert voids.total == 4


def test_no_worker_or_keeper_is_left(tmp_path: Path) -> None:
    before = {p.pid for p in psutil.Process().children(recursive=True)}
    list(play_all([spec("1"), spec("2"), spec("3")], jobs=2))
    left = [p for p in psutil.Process().children(recursive=True) if p.pid not in before]
    psutil.wait_procs(left, timeout=5)
    assert [p for p in left if p.is_running() and "keeper" in " ".join(p.cmdline())] == []
