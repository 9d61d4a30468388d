"""Real processes: hostile programs against an honest one. Each match must end with the right
verdict, leave the honest one unharmed, and leave no process behind."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest

from arena.match.play import play_match
from arena.match.report import ExitReport
from arena.match.spec import MatchSpec
from arena.players.entrant import PythonEntrant
from arena.record.reader import Match
from arena.sandbox.session import trio_run
from tests.support.live import honest, hostile, play, seats
from tests.tiny import TinySettings


def test_two_honest_programs(tmp_path: Path) -> None:
    report = play(honest(), honest(), replay=tmp_path / "r.jsonl")
    bad, good = seats(report)
    assert bad.exit == good.exit == ExitReport(code=0)
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
        ("daemon_holds_stdout", "exited", {"exited": 1}),
        ("deep_tree", None, {}),
        ("stop_itself", "timeouts", {"timeout": 2, "timeouts": 1}),
        ("close_stdin", "closed", None),
    ],
)
def test_a_hostile_program_harms_only_itself(
    sin: str, stopped: str | None, faults: dict[str, int] | None
) -> None:
    start = time.monotonic()
    report = play(hostile(sin), honest(), start_up=20_000, timebank=1000, time_per_move=1000)
    bad, _ = seats(report)
    assert bad.stopped == stopped
    assert faults is None or bad.faults == faults
    assert time.monotonic() - start < 20


def test_a_flood_of_lines_is_shut_down() -> None:
    bad, _ = seats(play(hostile("flood_lines"), honest()))
    assert bad.stopped == "output"


def test_the_record_goes_to_a_file_and_into_memory(tmp_path: Path) -> None:
    file, path = io.BytesIO(), tmp_path / "r.jsonl"
    players = (PythonEntrant("a", lambda lines: "1"), PythonEntrant("b", lambda lines: "2"))
    spec = MatchSpec("tiny", players, "1", TinySettings(), replay=path)
    report = trio_run(lambda: play_match(spec, record=file))
    assert file.getvalue() == path.read_bytes()
    assert Match.read(path).digest == report.digest
    assert report.replay == str(path)


def test_without_a_record_there_is_no_digest() -> None:
    players = (PythonEntrant("a", lambda lines: "1"), PythonEntrant("b", lambda lines: "2"))
    report = trio_run(lambda: play_match(MatchSpec("tiny", players, "1", TinySettings())))
    assert (report.digest, report.replay) == (None, None)
