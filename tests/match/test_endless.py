"""Rules that come to no end are named with their line."""

from __future__ import annotations

import dataclasses
import signal
import sys

import pytest

import arena
from arena.core import Answer, Setup, Table
from arena.core.steps import Outcome, Script, Show
from arena.match import endless as endless_rules
from tests.api.conftest import one, two
from tests.tiny import TINY, TinyWorld, frame, script


def endless(world: TinyWorld) -> Script:
    while world.purse:
        world.round += 1
    yield Show(frame(world))
    return (yield from script(world))


@pytest.mark.dear
def test_rules_without_an_end_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.match.endless.MOST_SECONDS", 1)
    with pytest.raises(arena.ArenaFault, match=r"test_endless.py:\d+ \(EndlessRules\("):
        arena.play(dataclasses.replace(TINY, script=endless), [one, two])
    assert signal.getsignal(signal.SIGVTALRM) is signal.SIG_DFL


@pytest.mark.dear
def test_slow_rules_that_go_on_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts is the time between two requests, not that of the match."""
    monkeypatch.setattr("arena.match.endless.MOST_SECONDS", 1)
    game = dataclasses.replace(TINY, script=slow)
    assert arena.play(game, [one, two], settings={"max_rounds": 4}).report.reason == "max_rounds"


def test_only_looks_that_find_the_same_call_count() -> None:
    """A match in which each look finds another call of the rules, or none, may take any time."""
    look = endless_rules._Look()
    for _ in range(3 * endless_rules.MOST_SECONDS):
        look.look(0, None)

    def looking(world: TinyWorld) -> Script:
        steps = script(world)
        step = next(steps)
        while True:
            if isinstance(step, tuple):
                look.look(0, sys._getframe())
            sent = yield step
            try:
                step = steps.send(sent)
            except StopIteration as end:
                outcome: Outcome = end.value
                return outcome

    game = dataclasses.replace(TINY, script=looking)
    table = Table(game, Setup("1", 2, game.settings()))
    while table.outcome is None:
        table.answer_all((Answer("1"), Answer("1")))
    found = look._seen
    assert found
    for _ in range(endless_rules.MOST_SECONDS - 1):
        look.look(0, found)
    with pytest.raises(endless_rules.EndlessRules):
        look.look(0, found)


def slow(world: TinyWorld) -> Script:
    steps = script(world)
    step = next(steps)
    while True:
        if isinstance(step, tuple):
            _burn(0.6)
        sent = yield step
        try:
            step = steps.send(sent)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


def _burn(seconds: float) -> None:
    import time

    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
