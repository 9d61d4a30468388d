"""Real processes: hostile programs against an honest one. Each match must end with the right
verdict, leave the honest one unharmed, and leave no process behind."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from arena.bots import BotProgram
from arena.clock import Clock
from arena.errors import BotError
from arena.game import GAMES
from arena.limits import Limits
from arena.match import play_match
from arena.reports import MatchReport, MatchSpec, PlayerReport
from arena.run import keeper_running, run_with
from arena.verify import verify
from tests.leftovers import left_behind
from tests.tiny import TinySettings
from tests.tools import until_fair

HERE = Path(__file__).parent
HONEST = "import sys\nfor line in sys.stdin:\n    if line.startswith('go'): print(1, flush=True)\n"
MARK = "ARENA_TEST_MARK"


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


def program(*words: str, name: str = "bot") -> BotProgram:
    return BotProgram(name, (sys.executable, *words), None, None, " ".join(words))


def hostile(sin: str, *arguments: str) -> BotProgram:
    return program(str(HERE / "hostile" / "bot.py"), sin, *arguments, name=sin)


def honest() -> BotProgram:
    return program("-c", HONEST, name="honest")


def play(
    *bots: BotProgram,
    memory: int | None = None,
    limits: Limits | None = None,
    replay: Path | None = None,
    clock: Clock = Clock.WALL,
    pondering: bool = True,
    **settings: Any,
) -> MatchReport:
    """A match of the tiny game; the proof that no process is left of it, and that its record,
    whatever the programs did, verifies."""
    with tempfile.TemporaryDirectory() as folder, keeper_running() as keeper:
        path = replay or Path(folder) / "r.jsonl"
        spec = MatchSpec(
            "tiny",
            bots,
            "1",
            TinySettings(**settings),
            limits=limits or Limits(memory=memory),
            clock=clock,
            pondering=pondering,
            replay=path,
        )
        report = until_fair(lambda: run_with(keeper, lambda children: play_match(spec, children)))
        assert left_behind(keeper.process.pid) == []
        assert verify(path).problem == ""
    return report


def seats(report: MatchReport) -> tuple[PlayerReport, PlayerReport]:
    bad, good = report.players
    assert report.status == "completed"
    assert report.rounds == 5
    assert good.stopped is None
    assert good.faults == {}
    assert good.requests == 5
    return bad, good


def test_two_honest_programs(tmp_path: Path) -> None:
    report = play(honest(), honest(), replay=tmp_path / "r.jsonl")
    bad, good = seats(report)
    assert bad.exit == good.exit == {"code": 0}
    assert bad.faults == {}
    assert bad.cpu_ms is not None
    assert bad.cpu_ms > 0
    assert bad.peak_memory is not None
    assert bad.peak_memory > 1 << 20
    assert 0 < bad.time_ms.max <= bad.time_ms.total
    assert (tmp_path / "r.jsonl").exists()


@pytest.mark.parametrize(
    ("sin", "stopped", "faults"),
    [
        ("deaf", "timeouts", {"timeout": 2, "timeouts": 1}),
        ("mute", "timeouts", {"timeout": 2, "timeouts": 1}),
        ("late", None, {"timeout": 1, "late": 1}),
        ("flood", "output", {"output": 1}),
        ("leave", "exited", {"exited": 1}),
        ("crash", "crashed", {"crashed": 1}),
        ("segfault", "crashed", {"crashed": 1}),
        ("daemon", None, {}),
        ("daemon_holds_stdout", "exited", {"exited": 1}),
        ("deep_tree", None, {}),
        ("stubborn", None, {}),
        ("stop_itself", "timeouts", {"timeout": 2, "timeouts": 1}),
        ("close_stdout", "closed", {"closed": 1}),
        ("close_stdin", "closed", None),
        ("flood_stderr", None, {}),
    ],
)
def test_a_hostile_program_harms_only_itself(
    sin: str, stopped: str | None, faults: dict[str, int] | None
) -> None:
    start = time.monotonic()
    bad, _ = seats(play(hostile(sin), honest(), timebank=1000, time_per_move=1000))
    assert bad.stopped == stopped
    assert faults is None or bad.faults == faults
    assert time.monotonic() - start < 20


def test_a_flood_of_lines_is_shut_down() -> None:
    bad, _ = seats(play(hostile("flood_lines"), honest()))
    assert bad.stopped == "output"


def slow() -> BotProgram:
    """Keeps a match going: half a second for each answer."""
    return program("-c", HONEST.replace("print", "__import__('time').sleep(.5); print"))


@pytest.mark.parametrize("sin", ["eat", "eat_slowly", "eat_in_child"])
def test_R01_R02_R03_a_program_that_eats_memory_is_shut_down(sin: str) -> None:
    limit = 100 << 20
    bad, _ = seats(play(hostile(sin, "2"), slow(), memory=limit))
    assert bad.stopped == "memory"
    assert bad.peak_memory is not None
    assert limit < bad.peak_memory < limit + (400 << 20)
    assert bad.stopped_detail.endswith("of 100 MiB")
    assert bad.stopped_detail.startswith("used ")


def test_memory_that_a_family_shares_counts_once() -> None:
    """Five times 60 MB resident, and 60 MB in all: no reason to end anybody at 150 MB."""
    bad, _ = seats(play(hostile("family", "2"), honest(), memory=150 << 20))
    assert bad.stopped is None
    assert bad.faults == {}
    assert bad.peak_memory is not None
    assert 60 << 20 < bad.peak_memory < 150 << 20


@pytest.mark.parametrize("sin", ["fork_bomb", "thread_bomb"])
def test_R06_R08_too_many_processes_or_threads(sin: str) -> None:
    bad, _ = seats(play(hostile(sin, "2"), slow()))
    assert bad.stopped == "processes"
    assert re.fullmatch(r"used \d+ of 256 processes and threads", bad.stopped_detail)


def test_cpu_time_beyond_what_the_clock_granted() -> None:
    limits = Limits(cpu_grace=-9)  # of a bank of 10 s one second is left: the test shall be short
    bad, _ = seats(play(hostile("burn", "1"), slow(), limits=limits, time_per_move=1))
    assert bad.stopped == "cpu"
    assert re.fullmatch(r"used 1\.\d s of 1\.0 s of CPU time", bad.stopped_detail)


def stderr(player: PlayerReport) -> str:
    return "".join(turn.text for turn in player.stderr)


def test_a_crash_keeps_the_last_words() -> None:
    bad, _ = seats(play(hostile("crash"), honest()))
    assert bad.stopped_detail == "left with exit code 1"
    assert bad.exit == {"code": 1}
    assert bad.stderr[-1].request == 3
    assert "RuntimeError: the plan failed" in stderr(bad)
    assert bad.first_faults["crashed"].round == 3
    assert bad.last_request.startswith("go bid ")
    assert bad.last_answer == "1"


def test_a_signal_has_its_name() -> None:
    bad, _ = seats(play(hostile("segfault"), honest()))
    assert bad.exit == {"signal": "SIGSEGV", "by_arena": False}


def test_who_stays_is_ended_and_the_exit_says_by_whom() -> None:
    bad, _ = seats(play(hostile("stubborn"), honest()))
    assert bad.exit == {"signal": "SIGKILL", "by_arena": True}


def test_a_program_that_does_not_exist() -> None:
    with pytest.raises(BotError, match=r"cannot start ghost: .*No such file"):
        play(BotProgram("ghost", ("/no/such/program",), None, None, "ghost"), honest())


def test_secrets_of_the_caller_are_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    nosy = "import os, sys\nprint(sorted(os.environ), file=sys.stderr, flush=True)\n" + HONEST
    bad, _ = seats(play(program("-c", nosy), honest()))
    assert "PATH" in stderr(bad)
    assert "SECRET" not in stderr(bad)


def test_programs_have_private_folders_which_go_with_them() -> None:
    lays = "import os, sys\nopen('egg', 'x')\nprint(os.getcwd(), file=sys.stderr, flush=True)\n"
    report = play(program("-c", lays + HONEST), program("-c", lays + HONEST))
    first, second = (Path(stderr(player).strip()) for player in report.players)
    assert first != second
    assert not first.exists()
    assert not second.exists()


def test_no_descriptors_of_ours_are_open_in_a_program() -> None:
    counts = "import os, sys\nprint(os.listdir('/proc/self/fd'), file=sys.stderr, flush=True)\n"
    bad, _ = seats(play(program("-c", counts + HONEST), honest()))
    assert stderr(bad).strip() == "['0', '1', '2', '3']"  # 3 is the listing itself


def test_many_matches_leave_no_descriptor_behind() -> None:
    spec = MatchSpec("tiny", (honest(), hostile("leave")), "1", TinySettings())
    with keeper_running() as keeper:
        counts = []
        for _ in range(4):
            run_with(keeper, lambda children: play_match(spec, children))
            counts.append(len(os.listdir("/proc/self/fd")))
        assert left_behind(keeper.process.pid) == []
    assert counts[0] == counts[-1]
