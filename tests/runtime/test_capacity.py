"""How many matches fit on a machine by its memory. (Descriptors and processes are tried in
`tests/hostile/test_operator.py`.)"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click.testing
import pytest

from arena.api.series import series
from arena.cli import play
from arena.runtime import capacity
from arena.runtime.capacity import jobs_that_fit, memory_shortage, usable_memory
from arena.runtime.retry import fitting_jobs

GIB, MIB = 1 << 30, 1 << 20


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine with 4 GiB of memory and room for everything else."""
    monkeypatch.setattr(capacity, "usable_memory", lambda: 4 * GIB)
    for name in ("_by_files", "_by_processes"):
        monkeypatch.setattr(capacity, name, lambda seats: (sys.maxsize, ""))
    return monkeypatch


def test_all_that_bots_may_use_fits_into_the_memory(machine: pytest.MonkeyPatch) -> None:
    jobs, why = jobs_that_fit(64, 2, 512 * MIB)
    assert (jobs, why) == (
        3, "this machine has 4 GiB, and each match 2 bots that may use 512 MiB (--memory)"
    )  # fmt: skip
    assert jobs * 2 * 512 * MIB < 4 * GIB
    assert jobs_that_fit(64, 2, None)[0] == 64


def test_fewer_matches_at_a_time_are_told(machine: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    assert fitting_jobs(8, 2, 1 * GIB, said.append) == 1
    assert said == [
        "playing 1 at a time instead of 8: this machine has 4 GiB, and each match "
        "2 bots that may use 1 GiB (--memory)"
    ]


@pytest.mark.parametrize("jobs", [1, 8])
def test_a_match_that_does_not_fit_is_told_before(machine: pytest.MonkeyPatch, jobs: int) -> None:
    """It is played: few bots use what they may."""
    machine.setattr(capacity, "usable_memory", lambda: 592 * MIB)
    said: list[str] = []
    assert fitting_jobs(jobs, 2, 1 * GIB, said.append) == 1
    assert said[-1] == (
        "a match in which memory runs out is void: this machine has 592 MiB, and each match 2 bots "
        "that may use 1 GiB (--memory); --memory 200M fits"
    )
    assert memory_shortage(2, 200 * MIB) == ""
    machine.setattr(capacity, "usable_memory", lambda: 100 * MIB)
    assert memory_shortage(2, 1 * GIB).endswith("(--memory)")


def test_a_single_match_that_does_not_fit_is_told_too(
    machine: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine.setattr(capacity, "usable_memory", lambda: 592 * MIB)
    bot = tmp_path / "bot.py"
    bot.write_text("print('1')")
    words = ["warlight", str(bot), str(bot), "--sandbox", "off"]
    ran = click.testing.CliRunner().invoke(play.command, words)
    assert ran.stderr.startswith("arena: a match in which memory runs out is void")


def test_a_series_that_is_played_in_waves_tells_it_once(
    machine: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine.setattr(capacity, "usable_memory", lambda: 592 * MIB)
    bot = tmp_path / "bot.py"
    bot.write_text("print('1')")
    said: list[str] = []
    waves = series("warlight", [bot, bot], games=4, tell=said.append, sandbox="off")
    for wave in ([0], [1]):
        list(waves.play_games(wave))
    assert len([text for text in said if "a match in which memory runs out" in text]) == 1


def test_the_memory_of_this_machine() -> None:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < usable_memory() <= pages


def test_who_has_memory_hears_nothing(machine: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    assert fitting_jobs(1, 2, 1 * GIB, said.append) == 1
    assert fitting_jobs(3, 2, 512 * MIB, said.append) == 3
    assert fitting_jobs(3, 2, None, said.append) == 3
    assert said == []
