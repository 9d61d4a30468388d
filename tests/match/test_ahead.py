"""Matches whose programs were prepared, and that preparing never decides one."""

from __future__ import annotations

import os
import signal
import sys

import msgspec
import pytest

from arena.bots.program import BotProgram
from arena.core.limits import Limits
from arena.core.registry import GAMES
from arena.match.play import play_match, prepare_first, prepare_match, terms_of
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import HumanEntrant, PythonEntrant, programs
from arena.players.terms import Terms
from arena.sandbox.child import Prepared
from arena.sandbox.children import Children, open_children
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.session import keeper_running, run_with
from tests.sandbox.programs import WALLED, linux_only, needs
from tests.support.leftovers import left_behind
from tests.tiny import TinySettings

HONEST = "import sys\nfor line in sys.stdin:\n    if line.startswith('go'): print(1, flush=True)\n"
LEVELS = (Level.OFF, *WALLED)


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


def bot(name: str, code: str = HONEST) -> BotProgram:
    return BotProgram(name, (sys.executable, "-I", "-S", "-c", code), None, None, name)


def spec(*bots: BotProgram, level: Level | SandboxMode = Level.OFF) -> MatchSpec:
    return MatchSpec("tiny", programs(bots), "1", TinySettings(max_rounds=2), Terms(sandbox=level))


def keys(children: Children) -> list[object]:
    """The bots that wait, by name."""
    return [one.key[0].name for one in children.keeper.ahead if isinstance(one.key, tuple)]


@pytest.mark.dear_for("sandbox+cgroup")
@linux_only
@pytest.mark.parametrize("level", LEVELS)
def test_the_programs_of_the_next_match_wait_and_play_in_it(level: Level) -> None:
    needs(level)
    waiting: list[Prepared] = []

    async def first(children: Children) -> MatchReport:
        report = await play_match(match, children, then=other)
        waiting.extend(children.keeper.ahead)
        return report

    async def second(children: Children) -> MatchReport:
        assert [one.child.exit for one in waiting] == [None, None]
        report = await play_match(other, children)
        assert children.keeper.ahead == []
        assert all(one.child.exit is not None and one.child.exit.code == 0 for one in waiting)
        return report

    match = spec(bot("a"), bot("b"), level=level)
    other = spec(bot("b"), bot("a"), level=level)  # the seats rotate
    with keeper_running(level) as keeper:
        for run in (first, second):
            report = run_with(keeper, run)
            assert [player.stopped for player in report.players] == [None, None]
        assert left_behind(keeper.process.pid) == []


@linux_only
@pytest.mark.parametrize(
    ("before", "now"), [(Level.OFF, Level.SANDBOX), (Level.SANDBOX, Level.OFF)]
)
def test_a_program_that_was_prepared_behind_other_walls_is_not_used(
    before: Level, now: Level
) -> None:
    for level in (before, now):
        needs(level)
    tells = "import sys\nprint(open('/proc/1/comm').read(), file=sys.stderr)\n" + HONEST
    match = spec(bot("a", tells), bot("b", tells), level=now)

    async def main(children: Children) -> None:
        prepare_match(match, before, children)
        report = await play_match(match, children)
        inside = ["bwrap" in one.stderr[0].text for one in report.players]
        assert inside == [now is Level.SANDBOX] * 2

    with keeper_running(Level.SANDBOX) as keeper:
        run_with(keeper, main)


@linux_only
def test_on_other_terms_or_for_another_bot_nothing_prepared_is_used() -> None:
    needs(Level.GUARD)
    match = spec(bot("a"), bot("b"), level=Level.GUARD)
    terms = Terms(sandbox=Level.GUARD, limits=Limits(files=77))
    less = msgspec.structs.replace(match, terms=terms)
    stranger = spec(bot("a"), bot("c", "import sys, os\n" + HONEST), level=Level.GUARD)

    async def main(children: Children) -> None:
        await play_match(match, children, then=less)
        prepared = list(children.keeper.ahead)
        await play_match(match, children, then=stranger)
        assert all(one.child.exit is not None or one.child.failed for one in prepared)
        assert keys(children) == ["a", "c"]
        others = list(children.keeper.ahead)
        await play_match(match, children)
        assert [one.child.ended_early for one in others] == [True, True]
        assert children.keeper.ahead == []
        assert left_behind(children.keeper.process.pid) == []

    with keeper_running() as keeper:
        run_with(keeper, main)


@linux_only
def test_what_was_killed_while_it_waited_is_started_anew() -> None:
    """A program of the same user can do that to the next match; it wins nothing by it."""
    needs(Level.GUARD)

    async def main(children: Children) -> None:
        match = spec(bot("a"), bot("b"), level=Level.GUARD)
        await play_match(match, children, then=match)
        for one in children.keeper.ahead:
            await one.child.spawned.wait()
            os.kill(one.child.pid, signal.SIGKILL)
            await one.child.executed.wait()
            assert one.child.failed is not None
        report = await play_match(match, children)
        assert [player.stopped for player in report.players] == [None, None]

    with keeper_running() as keeper:
        run_with(keeper, main)


@linux_only
@pytest.mark.parametrize("mode", [Level.GUARD, SandboxMode.STRICT])
def test_before_anything_is_proved_the_likely_level_is_prepared(mode: Level | SandboxMode) -> None:
    """With what proves it."""
    if mode is SandboxMode.STRICT:
        needs(Level.SANDBOX)
    needs(Level.GUARD)

    async def main(children: Children) -> None:
        match = spec(bot("a"), bot("b"), level=mode)
        await prepare_first(match, children)
        await prepare_first(match, children)  # once is enough
        prepared = list(children.keeper.ahead)
        assert len(prepared) == 3
        report = await play_match(match, children)
        assert [player.stopped for player in report.players] == [None, None]
        assert all(one.child.exit is not None and one.child.exit.code == 0 for one in prepared)

    with keeper_running(mode) as keeper:
        run_with(keeper, main)


async def test_where_no_program_plays_nothing_is_prepared() -> None:
    match = MatchSpec("tiny", (PythonEntrant("x", lambda lines: "1"),) * 2, "1", TinySettings())
    with keeper_running() as keeper:
        async with open_children(keeper) as children:
            await prepare_first(match, children)
            prepare_match(match, Level.OFF, children)
            assert keeper.ahead == []


@pytest.mark.parametrize("timed", [True, False])
def test_what_waits_for_a_seat_without_a_clock_may_compute(timed: bool) -> None:
    """Its own limit of CPU time would grow by nothing while a person thinks."""
    passive = PythonEntrant("passive", lambda lines: "")
    spec = MatchSpec("tiny", (HumanEntrant(timed=timed), passive), "7", TinySettings())
    assert (terms_of(spec, Level.OFF).grant is None) == (not timed)
