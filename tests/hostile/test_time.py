"""T: time banks, pondering, and whose fault the time was."""

from __future__ import annotations

import os
import random
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
import trio

from arena.core.clock import NS_PER_MS, TimeBank
from arena.core.listener import Listener
from arena.match.play import play_match
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.players.terms import Terms, Timing
from arena.record.format import Answered
from arena.sandbox.children import Children
from arena.sandbox.levels import Level
from arena.sandbox.session import keeper_running, run_with
from tests.hostile.arena_runs import (
    Played,
    against_honest,
    bomb,
    fair_match,
    honest,
    hostile,
    linux_only,
    nothing_left,
    play,
)
from tests.support.groups import above_others
from tests.support.keepers import shared_keeper
from tests.tiny import TinySettings

pytestmark = pytest.mark.alone


def test_T01_a_program_that_never_answers(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "mute", when=1, timebank=700)
    assert played.bad.stopped == "timeouts"
    assert played.bad.faults == {"timeout": 1, "timeouts": 1}
    assert played.answers == []


@linux_only
@pytest.mark.dear
def test_T02_sixteen_threads_that_compute_for_ever(tmp_path: Path, level: Level) -> None:
    bot, rival = bomb(tmp_path, "spin_threads", 2, 16), honest(tmp_path)
    played = play(level, bot, rival, max_rounds=10, time_per_move=700)
    assert played.bad.stopped == "timeouts"
    assert played.bad.cpu_ms is not None
    assert played.bad.cpu_ms > played.bad.time_ms.max / 5  # counted, though its threads still ran
    assert played.rival.time_ms.max < played.bad.time_ms.max * 2 / 3


def pondered(folder: Path, level: Level, sin: str) -> tuple[float, float, float]:
    """CPU time between requests, in ms: of the one that ponders, and of the honest one; and for how
    long the honest one thought."""
    bot, rival = hostile(folder, sin), honest(folder, pause=0.2)
    played = play(level, bot, rival, max_rounds=5)
    bad, good = played.bad.pondered_ms, played.rival.pondered_ms
    assert bad is not None
    assert good is not None
    return bad, good, played.rival.time_ms.total


@linux_only
def test_T03_computing_while_others_think_is_seen(tmp_path: Path, level: Level) -> None:
    bad, good, thought = pondered(tmp_path, level, "ponder")
    assert bad > thought / 100  # a machine that is full has no more for it
    assert good < bad / 2


def frozen_pondering(folder: Path, level: Level, sin: str, pondering: bool) -> float:
    """The CPU time between requests of one that ponders, in ms, in a match of which its rival takes
    a second. (With that of its start, 70 ms, it would be as much on a machine that is full.)"""
    bots = (hostile(folder, sin), honest(folder, pause=0.25))
    settings = TinySettings(max_rounds=5, timebank=3000, time_per_move=3000)
    terms = Terms(timing=Timing(pondering=pondering), sandbox=level)
    spec = MatchSpec("tiny", programs(bots), "1", settings, terms)
    with shared_keeper(level) as keeper, nothing_left(keeper):
        report = run_with(keeper, lambda children: fair_match(spec, children))
    assert report.players[0].faults == {}
    assert report.players[0].pondered_ms is not None
    return report.players[0].pondered_ms


@linux_only
def test_T03_no_pondering_holds_it(tmp_path: Path, level: Level) -> None:
    free = frozen_pondering(tmp_path / "free", level, "ponder", True)
    held = frozen_pondering(tmp_path / "held", level, "ponder", False)
    assert held < free / 2


@linux_only
def test_T04_computing_in_a_daemon_is_seen_and_held(tmp_path: Path, level: Level) -> None:
    bad, good, thought = pondered(tmp_path / "seen", level, "ponder_in_a_daemon")
    assert bad > thought / 100  # a machine that is full has no more for it
    assert good < bad / 2
    free = frozen_pondering(tmp_path / "free", level, "ponder_in_a_daemon", True)
    held = frozen_pondering(tmp_path / "held", level, "ponder_in_a_daemon", False)
    assert held < free / 2


@linux_only
def test_T05_nothing_interrupts_a_program_that_waits(tmp_path: Path, level: Level) -> None:
    bot, rival = bomb(tmp_path, "epoll_loop", 1), honest(tmp_path, pause=0.1)
    played = play(level, bot, rival, max_rounds=5)
    assert played.answers == ["1"] * 5
    assert played.counts == {"": 0}


def test_T06_a_bank_is_exact_over_ten_thousand_moves() -> None:
    spent, moves, increment = 0, 10_000, 7
    chance = random.Random(6)
    bank = TimeBank(10**6, increment)
    for _ in range(moves):  # it always uses more than is added: the bank is never full
        elapsed = chance.randrange(increment * NS_PER_MS, 20 * NS_PER_MS)
        bank.spend(elapsed)
        spent += elapsed
    assert bank.left == (10**6 + moves * increment) * NS_PER_MS - spent
    short = TimeBank(50, increment)
    for _ in range(moves):
        short.spend(short.left - NS_PER_MS)  # all but a millisecond
        assert short.left == (1 + increment) * NS_PER_MS


def test_T06_nearly_the_whole_bank_at_every_move(tmp_path: Path, level: Level) -> None:
    played = against_honest(
        tmp_path, level, "nearly_the_bank", max_rounds=5, timebank=900, time_per_move=400
    )
    assert played.bad.faults == {}
    replies = [r for r in played.records if type(r) is Answered and r.seat == 0]
    for before, after in pairwise(replies):
        left = min(before.bank - before.ms + 400, 900)
        assert left - 1 - 1e-6 <= after.bank <= left + 1  # whole milliseconds are shown


class Waiting(Listener):
    """Sets its event when the arena waits for an answer for the first time."""

    def __init__(self) -> None:
        self.event = trio.Event()

    def flush(self) -> None:
        """The requests are out, and an answer is missing."""
        self.event.set()


@pytest.mark.parametrize("seconds", [1.5])
def test_T07_an_arena_that_stood_still_blames_no_bot(tmp_path: Path, seconds: float) -> None:
    bots = (honest(tmp_path, 0.3, "thinker"), honest(tmp_path))
    settings = TinySettings(max_rounds=3, timebank=1000, time_per_move=1000)
    spec = MatchSpec("tiny", programs(bots), "1", settings)

    async def stand_still(children: Children) -> MatchReport:
        waiting, reports = Waiting(), []

        async def match() -> None:
            reports.append(await play_match(spec, children, [waiting]))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(match)
            await waiting.event.wait()
            time.sleep(seconds)  # noqa: ASYNC251  # this is the fault
        return reports[0]

    with nothing_left(), keeper_running() as keeper:
        report = run_with(keeper, stand_still)
    assert [player.faults for player in report.players] == [{}, {}]


@linux_only
def test_T08_claims_to_the_machine(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "claim_the_machine")
    assert played.answers == ["1", "1", "1"]
    assert set(played.attempts) == {"nice", "realtime", "affinity"}
    assert (played.counts["class"], played.counts["bounded"]) == (os.SCHED_OTHER, 0)
    if level is not Level.OFF:
        assert played.attempts["nice"] == "refused"
        assert played.attempts["realtime"] == "refused"


BLOCK = 8
"""Requests for which the burden of `bomb.c` lasts, and then rests."""


def beside(level: Level, folder: Path, burdens: str) -> Played:
    """A match of a program that needs 5 ms of CPU time a move, at the second seat, beside one that
    is a burden by turns."""
    with above_others():
        bots = bomb(folder, "burden", 1, burdens), bomb(folder, "work", 1, 5000)
        return play(level, *bots, max_rounds=20 * BLOCK, purse=1000)


def slowed(played: Played) -> tuple[float, float, float]:
    """The time of a move beside the burden, in times alone: the median of pairs of blocks that
    follow each other, since the machine's own speed changes from second to second. The longest move
    beside the burden, and the longest without it, in ms."""
    pairs = by_turns([r.wall_ms or r.ms for r in played.records if type(r) is Answered and r.seat])
    return (
        median(median(on) / median(off) for on, off in pairs),
        max(max(on) for on, _ in pairs),
        max(max(off) for _, off in pairs),
    )


def by_turns(moves: list[float]) -> list[tuple[list[float], list[float]]]:
    """The blocks beside the burden, each with the one after it."""
    blocks = [moves[i + 1 : i + BLOCK] for i in range(BLOCK, len(moves), BLOCK)]  # 0: its start
    pairs = list(zip(blocks[::2], blocks[1::2], strict=False))
    assert len(pairs) == 9
    return pairs


@linux_only
@pytest.mark.dear
@pytest.mark.parametrize("burdens", ["spin", "stderr", "membarrier lookups drop"])
def test_a_rival_is_hardly_slowed(tmp_path: Path, strict: Level, burdens: str) -> None:
    """One of three tries has to show it: the machine may have other work at the same time, for
    which a move may wait with the burden or without. Without groups that share the cores, 32
    threads slow their rival by a factor of 7 to 14."""
    if strict is not Level.CGROUP:
        pytest.skip("the cores are shared by bots only where there are control groups")
    tries: list[tuple[float, float, float]] = []
    while not any(ratio <= 1.2 and on <= max(25, off) for ratio, on, off in tries):
        assert len(tries) < 3, tries
        played = beside(strict, tmp_path / str(len(tries)), burdens)
        tries.append(slowed(played))
    if "drop" in burdens:  # a flood of stderr leaves no room for it
        assert played.attempts == {"membarrier": "refused", "drop": "refused"}
