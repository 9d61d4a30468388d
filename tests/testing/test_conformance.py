"""Every registered game faces the same checks, and the checks can fail."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import pytest

from arena.core.game import AnyGame
from arena.core.registry import find_game, game_names
from arena.core.rng import Stream
from arena.core.steps import Ask, Frame, Outcome, Script, Show, Tell
from arena.core.table import Table
from arena.errors import ArenaFault
from arena.testing import conformance
from arena.testing.random_play import Answerer, play
from tests import tiny
from tests.tiny import TINY, TinyWorld

Check = Callable[[AnyGame], None]


@pytest.mark.dear_for("hextrategic-*")
@pytest.mark.parametrize("check", conformance.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", game_names())
def test_every_game_conforms(name: str, check: Check) -> None:
    """With the fewest and with the most seats: tests/test_every_game.py plays with more."""
    game = find_game(name)
    check(dataclasses.replace(game, seats=tuple(sorted({game.seats[0], game.seats[-1]}))))


@pytest.mark.parametrize("name", game_names())
def test_every_game_explains_itself(name: str) -> None:
    assert find_game(name).rules.startswith("# ")


BEHAVIOUR = [check for check in conformance.CHECKS if check is not conformance.check_imports]
"""The tiny game stands in tests/, beside files that import Trio."""


@pytest.mark.parametrize("check", BEHAVIOUR, ids=lambda check: check.__name__)
def test_the_tiny_game_conforms(check: Check) -> None:
    check(two_seats(TINY))


def two_seats(game: AnyGame) -> AnyGame:
    return dataclasses.replace(game, seats=(2,))


def broken(**parts: Any) -> AnyGame:
    return two_seats(dataclasses.replace(TINY, **parts))


def global_chance(world: TinyWorld) -> Script:
    for seat in range(2):
        yield Tell(seat, f"settings luck {random.randrange(10**9)}")
    return (yield from tiny.script(world))


_calls = 0


def state_outside_the_world(world: TinyWorld) -> Script:
    global _calls
    _calls += 1
    mine = _calls
    outcome = yield from tiny.script(world)
    yield Tell(0, f"settings match {mine}")
    return outcome


def turns_in_a_local(world: TinyWorld) -> Script:
    """Whose turn it is, the world does not know."""
    seat = 0
    yield Show(tiny.frame(world))
    while world.round < world.settings.max_rounds:
        yield (Ask(seat, "go bid"),)
        seat = 1 - seat
        world.round += 1
        yield Show(tiny.frame(world))
    return (yield from tiny.script(world))


def leaks(world: TinyWorld) -> Script:
    yield Tell(0, f"settings rival {world.purse[1]}")
    return (yield from tiny.script(world))


def leaks_behind_the_answers(world: TinyWorld) -> Script:
    """Tells seat 0 the purse of its rival when both have bid."""
    for step in (script := tiny.script(world)):
        while isinstance(step, tuple):
            step = script.send((yield step))
            yield Show({"round": 0, "rounds": 5})
            yield Tell(0, f"rival {world.purse[1]}")
        yield step
    raise AssertionError


def spied(world: TinyWorld) -> Tell:
    return Tell(0, f"rival {world.purse[1]}")


def leaking(where: str) -> Callable[[TinyWorld], Script]:
    """The tiny game, which tells seat 0 the purse of its rival at one place of each round: as the
    first line `behind` the answers, as the `last` one before the next request, from a list that was
    made `early`, after the frame of a round, or at the `end`."""

    def script(world: TinyWorld) -> Script:
        inner = tiny.script(world)
        replies = None
        while True:
            try:
                step = inner.send(replies) if replies is not None else next(inner)
            except StopIteration as end:
                if where == "end":
                    yield spied(world)
                outcome: Outcome = end.value
                return outcome
            replies = None
            if isinstance(step, tuple):
                if where == "last":
                    yield spied(world)
                replies = yield step
                if where == "behind":
                    yield spied(world)
                lines = [Tell(0, "nothing"), spied(world)]
                yield from lines if where == "early" else ()
            else:
                yield step
                if where == "frame" and isinstance(step, Show):
                    yield spied(world)

    return script


@pytest.mark.parametrize("where", ["behind", "early", "last", "frame", "end"])
def test_a_leak_anywhere_between_two_requests_is_found(where: str) -> None:
    with pytest.raises(AssertionError, match="is told behind the answers what is hidden from it"):
        conformance.check_fog_behind_answers(broken(script=leaking(where)))


def test_no_leak_is_found_where_there_is_none() -> None:
    conformance.check_fog_behind_answers(broken(script=leaking("nowhere")))


def nothing_changed(world: TinyWorld, seat: int, stream: Stream) -> bool:
    return True


def own_purse_changed(world: TinyWorld, seat: int, stream: Stream) -> bool:
    world.purse[seat] += 1
    return True


def endless(world: TinyWorld) -> Script:
    while world.purse:
        world.round += 1
    yield Show(tiny.frame(world))
    return (yield from tiny.script(world))


def never_ends(world: TinyWorld) -> Script:
    while True:
        yield from tiny.play_round(world)
        world.round = 1


def two_blanks(world: TinyWorld) -> Script:
    yield Tell(0, "settings  wide")
    return (yield from tiny.script(world))


def odd_frame(world: TinyWorld) -> Script:
    yield Show({"round": 0, "rounds": 5, "purse": (1, 2), "points": [], "bids": []})
    return (yield from tiny.script(world))


def frames_differ(world: TinyWorld) -> Script:
    yield Show({"round": 0, "rounds": 5, "purse": []})
    return (yield from tiny.script(world))


def last_seat_first(world: TinyWorld) -> Script:
    """Asks in an order that depends on nothing, but twice the same seat."""
    yield (Ask(0, "go bid"), Ask(0, "go bid"))
    return (yield from tiny.script(world))


def bad_headline(frame: Frame) -> str:
    return "a\nb"


def wrong_copy(world: TinyWorld, ask: Ask, stream: Stream) -> str:
    return str(random.randrange(3))


@pytest.mark.parametrize(
    ("check", "game"),
    [
        (conformance.check_determinism, broken(script=global_chance)),
        (conformance.check_determinism, broken(random_answer=wrong_copy)),
        (conformance.check_fork, broken(script=state_outside_the_world)),
        (conformance.check_resumed, broken(script=turns_in_a_local)),
        (conformance.check_reply_order, broken(script=state_outside_the_world)),
        (conformance.check_fog, broken(script=leaks)),
        (conformance.check_fog, broken(perturb_hidden=nothing_changed)),
        (conformance.check_fog, broken(perturb_hidden=own_purse_changed)),
        (conformance.check_fog_behind_answers, broken(script=leaks_behind_the_answers)),
        (conformance.check_silence_ends, broken(script=never_ends)),
        (conformance.check_steps, broken(script=two_blanks)),
        (conformance.check_steps, broken(script=odd_frame)),
        (conformance.check_steps, broken(script=frames_differ)),
        (conformance.check_steps, broken(script=last_seat_first)),
        (conformance.check_steps, broken(headline=bad_headline)),
        (conformance.check_steps, broken(picture=lambda board, frame: "x" * 101)),
        (conformance.check_imports, TINY),  # it stands in tests/, beside files that import trio
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)
def test_the_checks_can_fail(check: Check, game: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Matches are cut off early, also that which should come to its end after any number of
    requests."""

    def short(table: Table[Any], answer: Answerer, most: int) -> list[str]:
        return play(table, answer, min(most, 300))

    monkeypatch.setattr(conformance, "MAX_REQUESTS", 300)
    monkeypatch.setattr(conformance, "play", short)
    with pytest.raises((AssertionError, ArenaFault, ValueError, KeyError)):
        check(game)


@pytest.mark.dear
def test_a_rule_without_an_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.match.endless.MOST_SECONDS", 1)
    with pytest.raises(ArenaFault, match=r"test_conformance.py:\d+ \(EndlessRules"):
        conformance.check_game(broken(script=endless))
