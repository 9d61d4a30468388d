"""What descriptors hold, of real processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.sandbox.usage.procfs import FREE, PIPE, QUOTA, held_by, price_of_watch
from tests.sandbox.programs import linux_only
from tests.sandbox.usage.trees import running

pytestmark = linux_only

OPENS = """
import os, select
pipes = [os.pipe() for _ in range({pipes})]
polls = [select.epoll() for _ in range({polls})]
print(1, flush=True); input()
"""


@pytest.mark.parametrize(("pipes", "polls"), [(FREE, 0), (FREE, 3), (0, FREE)])
def test_pipes_and_watches_of_a_process_with_many_descriptors(pipes: int, polls: int) -> None:
    with running(OPENS.format(pipes=pipes, polls=polls)) as process:
        assert process.stdout is not None
        known = {f"pipe:[{Path(f'/proc/{process.pid}/fd/{i}').stat().st_ino}]" for i in range(2)}
        watches = polls * (2 * pipes + polls + 3) * price_of_watch()
        assert held_by(process.pid, known) == pipes * PIPE + watches
        assert held_by(process.pid, known) == watches  # the pipes are known by now


def test_few_descriptors_and_none() -> None:
    with running(OPENS.format(pipes=FREE // 2 - 2, polls=1)) as process:
        assert held_by(process.pid, set()) == 0
    assert held_by(process.pid, set()) == 0


def test_all_watches_are_worth_all_memory() -> None:
    memory = int(Path("/proc/meminfo").read_text().split()[1]) * 1024
    assert price_of_watch() * int(Path(QUOTA).read_text()) == pytest.approx(memory, rel=0.01)
