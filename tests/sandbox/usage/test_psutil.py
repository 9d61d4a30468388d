"""Looking at a tree of real processes through psutil."""

from __future__ import annotations

import psutil
import pytest

from arena.sandbox.usage.meter import Meter
from arena.sandbox.usage.psutil import PsutilMeter
from tests.sandbox.usage.trees import IDLE, running


def test_it_knows_no_delays_and_no_kernel() -> None:
    with running(IDLE) as process:
        meter: Meter = PsutilMeter(process.pid)
        assert meter.delay_ns() is None
        assert (meter.oom_kills(), meter.refused_forks(), meter.intact()) == (0, 0, True)


def test_a_number_that_has_gone_to_another_process_is_not_signalled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """psutil knows it by the time of its start."""
    with running(IDLE) as process:
        meter = PsutilMeter(process.pid)
        monkeypatch.setattr(psutil.Process, "is_running", lambda self: False)
        meter.freeze()
        monkeypatch.undo()
        assert psutil.Process(process.pid).status() != "stopped"
