"""The input test with real programs: one for each reason why a bot does not play; and when one that
holds the machine is given up."""

from __future__ import annotations

import math
import re
import shutil
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio

import arena
from arena.core.registry import game_names
from arena.core.replies import Cost
from arena.trial import match
from arena.trial.match import LATE_GRACE, LATE_START_GRACE, Overtime, kept_waiting
from arena.trial.report import Check
from tests.experiments import honest
from tests.experiments.honest import ANSWERS, FAULTY, PICK
from tests.support.tools import dear, until_fair

ROOT = Path(__file__).parents[2]
BANKS = {**honest.BANKS, "slow_start": "2000", "hopeless": "2000"}


def check(
    tmp_path: Path, code: str, body: str, replay: str | None = None, rounds: int = 3
) -> Check:
    bot = tmp_path / f"{code}.py"
    bot.write_text(body)
    settings = {"max_rounds": str(rounds), "timebank": BANKS.get(code, "10000")}
    return until_fair(lambda: arena.check("warlight", bot, settings=settings, replay=replay))


@pytest.mark.parametrize("code", dear(FAULTY, but=lambda code: code != "busy"))
def test_the_cause_is_found_with_a_real_program(tmp_path: Path, code: str) -> None:
    result = check(tmp_path, code, FAULTY[code])
    assert not result.ok
    assert result.cause is not None
    assert result.cause.code == code
    assert result.cause.fix


@pytest.mark.dear
def test_honest_bots_that_start_and_answer_late_are_not_refused(tmp_path: Path) -> None:
    bots = [bot for bot in honest.honest(tmp_path, 16, seed=3) if bot.timebank == "1000"]
    found = honest.examine_all(bots, jobs=4)
    assert [one for one in found if not one.is_as_told] == []


@pytest.mark.dear
@pytest.mark.parametrize(("load", "sandbox"), [(0, "auto"), (8, "off")])
def test_nor_are_they_on_a_busy_machine(tmp_path: Path, load: int, sandbox: str) -> None:
    with honest.busy(load):
        bots = list(honest.honest(tmp_path, 20, seed=load))
        found = honest.examine_all(bots, jobs=5, sandbox=sandbox)
    assert [one for one in found if not one.is_as_told] == []


@pytest.mark.parametrize("flush", [", flush=True", ""])
def test_a_line_before_a_later_answer_is_the_one_that_is_quoted(tmp_path: Path, flush: str) -> None:
    """The answer itself comes too late for its request then, and is none for the next."""
    body = "seen = 0\nfor line in open(0):\n    seen += line.startswith('go')\n"
    debug = f"    if line.startswith('go') and seen == 2: print('debug: 17'{flush})\n"
    cause = check(tmp_path, "debug", body + debug + ANSWERS).cause
    assert cause is not None
    assert cause.sentence == "it prints lines that answer no request: 'debug: 17'"


def test_a_line_long_before_two_answers_at_once_is_the_one_that_is_quoted(
    tmp_path: Path,
) -> None:
    """From the line on, each answer stands for the one before it, as it does where the machine is
    busy, until two come together."""
    body = "seen = 0\nfor line in open(0):\n" + PICK.format(", flush=True")
    lines = "['No moves', 'debug: 17', 'No moves', 'No moves', 'No moves\\nNo moves'][seen % 5]"
    later = f"    if line.startswith('go'): print({lines}, flush=True); seen += 1\n"
    cause = check(tmp_path, "debug", body + later).cause
    assert cause is not None
    assert cause.sentence == "it prints lines that answer no request: 'debug: 17'"


@pytest.mark.parametrize("hang", ["time.sleep(99)", "input()"])
def test_a_bot_that_hangs_by_chance_is_not_told_to_flush(tmp_path: Path, hang: str) -> None:
    """Its first process hangs at its first request; its twins answer, and flush."""
    runs = tmp_path / "runs"
    body = (
        f"import os, time\nis_first = not os.path.exists({str(runs)!r})\n"
        f"open({str(runs)!r}, 'w')\nwhile True:\n    line = input()\n"
        f"    if is_first and line.startswith('pick'): {hang}\n"
    )
    cause = check(tmp_path, "silent", body + ANSWERS).cause
    assert cause is not None
    assert cause.code == "silent"


def test_a_compiled_bot_that_does_not_flush(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc: apt-get install gcc")
    bot = tmp_path / "bot.c"
    bot.write_text(
        "#include <stdio.h>\n"
        "int main(void) { char line[9999]; int n;\n"
        "  while (fgets(line, sizeof line, stdin))\n"
        '    if (sscanf(line, "pick_starting_region %*d %d", &n) == 1) printf("%d\\n", n); }\n'
    )
    cause = arena.check("warlight", bot).cause
    assert cause is not None
    assert (cause.code, "fflush(stdout)" in cause.fix) == ("no_flush", True)


def test_a_late_answer_is_told_with_the_time_that_it_took(tmp_path: Path) -> None:
    body = "import time\nfor line in open(0):\n    if line.startswith('go'): time.sleep(1)\n"
    cause = check(tmp_path, "silent", body + ANSWERS).cause
    assert cause is not None
    found = re.search(r"came after ([\d.]+) s, but it had only 0.5 s$", cause.sentence)
    assert found is not None
    assert 1.0 <= float(found[1]) < 0.5 + LATE_GRACE + 0.5


@pytest.mark.parametrize(
    ("answers", "cost", "waits"),
    [
        (0, Cost(1), [LATE_START_GRACE]),
        (1, Cost(1), [LATE_GRACE]),
        (1, Cost(1, instructions=9), []),  # it came, and was too dear
    ],
)
async def test_how_long_a_late_answer_is_waited_for(
    answers: int, cost: Cost, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def listen(player: object, text: str, seconds: float) -> SimpleNamespace:
        waited.append(seconds)
        return SimpleNamespace(lines=[])

    monkeypatch.setattr(match, "listen", listen)
    witness = SimpleNamespace(answers=answers, missed=SimpleNamespace(cost=cost))
    bot = SimpleNamespace(stopped=None)
    course: Any = SimpleNamespace(_witness=witness, _player=bot, _child=object())
    assert await match._Course._wait_for_late(course) is None
    assert waited == waits


@pytest.mark.dear
def test_an_answer_is_not_waited_for_without_an_end(tmp_path: Path) -> None:
    body = "import time\nfor line in open(0):\n    if line.startswith('go'): time.sleep(9)\n"
    cause = check(tmp_path, "silent", body + ANSWERS).cause
    assert cause is not None
    assert cause.code == "silent"


def test_a_first_line_whose_interpreter_is_not_found_is_named(tmp_path: Path) -> None:
    """A stand-in for an interpreter, as pyenv has for each that it might install."""
    shim = tmp_path / "python17"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    bot = tmp_path / "bot"
    bot.write_text(f"#!{shim}\n")
    bot.chmod(0o755)
    cause = arena.check("warlight", bot).cause
    assert cause is not None
    assert cause.code == "crash"
    assert f"in its first line, '#!{shim}"[:60] in cause.fix  # the rest may be cut


def test_a_slow_start_within_the_bank_is_no_fault(tmp_path: Path) -> None:
    body = FAULTY["slow_start"].replace("sleep(3)", "sleep(1.7)")
    result = check(tmp_path, "late", body)
    assert result.cause is None
    assert result.ok


@pytest.mark.dear
def test_a_bot_that_starts_late_and_answers_late_plays(tmp_path: Path) -> None:
    """README's bot, which sleeps 2 s first and 0.1 s before each answer: no answer is missed."""
    readme = (ROOT / "README.md").read_text("utf-8")
    body = readme.split("```python\n")[1].split("```")[0]
    late = body.replace(
        "    match line", "    time.sleep(0.1 * line.startswith(('go', 'pick')))\n    match line"
    )
    result = check(tmp_path, "readme", "import time\n\ntime.sleep(2)\n" + late, rounds=25)
    assert result.cause is None
    assert result.ok


GAMES = game_names()


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_for_another_game_is_found_out(game: str) -> None:
    theirs = GAMES[GAMES.index(game) - 1]
    cause = arena.check(game, ROOT / "sample_bots" / theirs / "simple.py").cause
    assert cause is not None
    assert cause.code == "other_game"
    assert f"it plays {theirs}" in cause.sentence


@pytest.mark.alone
def test_a_hopeless_bot_is_given_up_soon(tmp_path: Path) -> None:
    """Its first bank, and 5 s: 15 s in all with the bank of 10 s that games have."""
    start = time.monotonic()
    assert not check(tmp_path, "hopeless", "import time; time.sleep(99)\n").ok
    assert time.monotonic() - start < 2 + 5


@pytest.mark.dear
def test_the_check_says_what_walls_would_have_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("17")
    body = f"open({str(tmp_path / 'data')!r})\nfor line in open(0):\n" + ANSWERS
    result = check(tmp_path, "reader", body)
    last = result.steps[-1]
    assert result.ok
    assert (last.name, last.warning) == ("plays behind walls", not last.ok)
    assert "not tried" in last.detail or "FileNotFoundError" in last.detail
    honest = check(tmp_path, "honest", "for line in open(0):\n" + ANSWERS).steps[-1]
    assert honest.ok
    assert "not tried" in honest.detail or honest.detail.startswith("the same at the level")


def test_the_matches_of_a_check_are_recorded_by_seat(tmp_path: Path) -> None:
    record = str(tmp_path / "r.jsonl")
    check(tmp_path, "honest", "for line in open(0):\n" + ANSWERS, replay=record)
    for seat in (0, 1):
        path = tmp_path / f"r-{seat + 1}.jsonl"
        assert arena.verify(path).problem == ""
        assert arena.Match.read(path).players[seat] == "honest"


@pytest.mark.parametrize(
    ("delay", "cpu", "tasks", "found"),
    [(5.5, 0.3, 2, True), (4.7, 0.3, 2, False), (5.5, 6.1, 2, False), (5.5, 0.3, 65, False)],
)
def test_a_bot_that_others_kept_from_the_cores_is_not_judged(
    delay: float, cpu: float, tasks: int, found: bool
) -> None:
    """Of 6 s it was ready to run, and not run, for most; its bank was 0.5 s and more."""
    cost = Cost(600_000_000, 6_000_000_000, 300_000_000, round(delay * 1e9))
    assert kept_waiting(cost, cpu, tasks) is found


def test_a_bot_that_waited_far_longer_than_it_is_charged_is_not_judged() -> None:
    """It was late by the fair clock by a part of the delay that was not told."""
    late = Cost(10_200_000_000, 95_200_000_000, 4_500_000_000, 85_000_000_000)
    assert kept_waiting(late, 4.5, 2)
    assert not kept_waiting(late, 96.0, 2)


def overtime(said: list[str], *, cores: float, charged: float = 0.0, tasks: int = 40) -> Overtime:
    """Of a bot that uses so many cores, and is charged so much of each second."""
    return Overtime(
        lambda: (trio.current_time() * cores, tasks),
        lambda: trio.current_time() * charged,
        10.0,
        lambda real, cpu: said.append(f"{real:.0f} s: {cpu:.1f} s of CPU"),
    )


async def test_a_bot_that_uses_more_than_a_core_beyond_its_time_is_given_up(
    autojump_clock: object,
) -> None:
    said: list[str] = []
    with trio.fail_after(100):
        hog = await overtime(said, cores=1.5).watch()
    assert (round(hog.real), round(hog.cpu, 1), hog.tasks) == (41, 61.5, 40)
    assert said == [f"{10 * n} s: {15.0 * n} s of CPU" for n in (1, 2, 3, 4)]


async def test_one_whose_many_processes_wait_for_each_other_is_given_up(
    autojump_clock: object,
) -> None:
    with trio.fail_after(100):
        assert (await overtime([], cores=0.1, tasks=401).watch()).tasks == 401


@pytest.mark.parametrize(("cores", "charged"), [(0.9, 0.0), (4.0, 0.99), (0.0, 0.0)])
async def test_one_that_waits_or_computes_in_its_own_time_is_not(
    autojump_clock: object, cores: float, charged: float
) -> None:
    said: list[str] = []
    with trio.move_on_after(600):
        await overtime(said, cores=cores, charged=charged).watch()
        pytest.fail("given up")
    assert len(said) >= math.floor(600 / 10) - 1
