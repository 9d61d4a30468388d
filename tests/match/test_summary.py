"""What a report tells of real processes."""

from __future__ import annotations

from arena.core.tally import Sum
from arena.match.play import _measured, _times
from arena.match.report import ExitReport, TimeReport
from tests.support.live import honest, hostile, play, seats, stderr


def test_a_crash_keeps_the_last_words() -> None:
    bad, _ = seats(play(hostile("crash"), honest()))
    assert bad.stopped_detail == "left with exit code 1"
    assert bad.exit == ExitReport(code=1)
    assert bad.stderr[-1].request == 3
    assert "RuntimeError: the plan failed" in stderr(bad)
    assert bad.first_faults["crashed"].round == 3
    assert bad.last_request.startswith("go bid ")
    assert bad.last_answer == "1"


def test_a_signal_has_its_name() -> None:
    bad, _ = seats(play(hostile("segfault"), honest()))
    assert bad.exit == ExitReport(signal="SIGSEGV", by_arena=False)


def test_a_bot_that_stays_is_ended_and_the_exit_says_so() -> None:
    bad, _ = seats(play(hostile("stubborn"), honest()))
    assert bad.exit == ExitReport(signal="SIGKILL", by_arena=True)


def test_times_are_milliseconds_to_the_microsecond() -> None:
    figures = Sum(1_234_567_890, 987_654_321)
    assert _times(figures) == _measured(figures) == TimeReport(1234.568, 987.654)
    assert _measured(None) is None
