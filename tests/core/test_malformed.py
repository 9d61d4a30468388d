"""A malformed step is told with the line of the script that gave it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

import arena
from arena.api.conditions import settings_for
from arena.core import steps
from arena.core.faults import problem_of, problem_of_outcome
from arena.core.game import Game, Setup
from arena.core.registry import GAMES
from arena.core.replies import Answer
from arena.core.steps import Ask, Fate, Note, Outcome, Script, Show, Stop, Tell
from arena.core.table import Table
from arena.errors import ArenaFault
from tests import tiny
from tests.tiny import TINY, TinySettings

FRAME = {"round": 0, "rounds": 5}
WRONG = {
    "a tuple of something": ((1, 2), "1 among the requests is not an Ask"),
    "an ask by itself": (Ask(0, "go"), "an Ask by itself: yield a tuple of them"),
    "nothing": (None, "None is not a step"),
    "no such seat": (Tell(7, "hello"), "a seat is a number from 0 to 1, not 7"),
    "no such seat asked": ((Ask(2, "go"),), "a seat is a number from 0 to 1, not 2"),
    "no such seat noted": (Note(-1, "a", "b"), "a seat is a number from 0 to 1, not -1"),
    "two lines": (Tell(0, "a\nb"), "'a\\nb' is not one line of ASCII text"),
    "another script": (Tell(0, "é"), "'é' is not one line of ASCII text"),
    "another script asked": ((Ask(1, "é"),), "'é 0' is not one line of ASCII text"),
    "a frame without a round": (Show({"rounds": 5}), "a frame needs a whole number 'round'"),
    "a frame that is no JSON": (Show({**FRAME, "x": object()}), "a frame must be plain JSON"),
}


@pytest.mark.parametrize(("step", "problem"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_step(step: object, problem: str) -> None:
    assert (problem_of(step, 2) or "").startswith(problem)


@pytest.mark.parametrize(
    "step", [Tell(1, "a"), Note(0, "a", "b"), Stop(1, "timeouts"), Show(FRAME), (Ask(1, "go"),)]
)
def test_what_is_well(step: object) -> None:
    assert problem_of(step, 2) is None


def broken(step: object) -> Callable[[Any], Script]:
    """The tiny game, which gives this step before its second round."""

    def script(world: tiny.TinyWorld) -> Script:
        yield Show(tiny.frame(world))
        world.round = 1
        yield from tiny.play_round(world)
        yield step  # type: ignore[misc]  # the bug
        return (yield from tiny.script(world))

    return script


def ending(step: object) -> Callable[[Any], Script]:
    """The tiny game, which gives this step after its first round and ends."""

    def script(world: tiny.TinyWorld) -> Script:
        yield Show(tiny.frame(world))
        world.round = 1
        yield from tiny.play_round(world)
        yield step  # type: ignore[misc]  # the bug
        return OUTCOME

    return script


@pytest.mark.parametrize("script", [broken, ending])
@pytest.mark.parametrize(
    "case",
    [
        *("nothing", "an ask by itself", "no such seat", "a frame without a round"),
        *("two lines", "another script", "another script asked"),
    ],
)
def test_the_match_is_void_and_the_line_is_named(
    case: str, script: Callable[[object], Callable[[Any], Script]], monkeypatch: pytest.MonkeyPatch
) -> None:
    step, problem = WRONG[case]
    game: Game[Any, Any] = dataclasses.replace(tiny.TINY, script=script(step))
    monkeypatch.setattr("arena.core.registry._BROKEN", game, raising=False)
    monkeypatch.setitem(GAMES, "tiny", "arena.core.registry:_BROKEN")
    with pytest.raises(ArenaFault) as caught:
        arena.play("tiny", [lambda lines: "1"] * 2, seed=1)
    text = str(caught.value)
    assert f"gave a malformed step at {__file__}:" in text
    assert problem in text


def test_an_error_elsewhere_is_not_blamed_on_the_steps() -> None:
    """Of a match that is well, in the middle of its requests."""
    table = Table(tiny.TINY, Setup("1", 2, tiny.TinySettings()))
    assert table.malformed() is None
    table.answer_all((Answer("1"), Answer("2")))
    assert table.malformed() is None


OUTCOME = Outcome((1, 2), (1.0, 0.0), (Fate.SURVIVED, Fate.ELIMINATED), "won", "player1 won.")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"ranks": (1,)}, "the ranks of an Outcome are one for each of 2 seats, not (1,)"),
        ({"ranks": (1, "2")}, "the ranks of an Outcome cannot be '2'"),
        ({"ranks": (0, 1)}, "the ranks of 2 seats are from 1 to 2, not (0, 1)"),
        ({"ranks": (1, 9)}, "the ranks of 2 seats are from 1 to 2, not (1, 9)"),
        ({"points": (1, math.inf)}, "the points of an Outcome are finite, not (1, inf)"),
        ({"points": "ab"}, "the points of an Outcome are one for each of 2 seats, not 'ab'"),
        ({"fates": ("x", "y")}, "the fates of an Outcome cannot be 'x'"),
        ({"reason": None}, "the reason of an Outcome is one line of text, not None"),
        ({"sentence": "a\nb"}, "the sentence of an Outcome is one line of text, not 'a\\nb'"),
    ],
)
def test_what_is_wrong_with_an_outcome_is_said_by_name(
    change: dict[str, Any], problem: str
) -> None:
    assert problem_of_outcome(OUTCOME, 2) is None
    assert problem_of_outcome(msgspec.structs.replace(OUTCOME, **change), 2) == problem


def played(body: str) -> str:
    """The fault of a game whose script has this body."""
    names: dict[str, Any] = {**vars(steps), "__name__": "tests.tiny"}
    exec(compile(f"def script(world):\n    {body}\n    yield\n", "plug.py", "exec"), names)
    game = dataclasses.replace(TINY, script=names["script"])
    with pytest.raises(ArenaFault) as caught:
        Table(game, Setup("17", 2, TinySettings()))
    return str(caught.value)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("yield (Ask(0, 'a'), Ask(0, 'b'))", "step at plug.py:2: player1 is asked twice at once"),
        ("yield ()", "step at plug.py:2: an empty tuple of requests: yield at least one Ask"),
        ("yield Show({'round': 'one'}); yield (Ask(0, 'a'),)", "needs a whole number 'round'"),
        ("yield Stop(0, 'fun'); yield (Ask(0, 'a'),)", "a Stop is for 'timeouts', not for 'fun'"),
        ("raise SystemExit(3)", "the rules of tiny failed at plug.py:2 (SystemExit(3))"),
        ("return 5", "the script of tiny at plug.py:1 gave a malformed outcome: the script ret"),
    ],
)
def test_a_bug_is_told_with_its_line_and_the_seed(body: str, said: str) -> None:
    text = played(body)
    assert said in text
    assert "with the seed '17' and the settings" in text


def test_a_bug_in_settings_and_budgets_is_a_fault_of_the_game() -> None:
    def broken(settings: Any) -> Any:
        raise ZeroDivisionError

    game = dataclasses.replace(TINY, budget=broken)
    with pytest.raises(ArenaFault, match=r"the budget of tiny failed at .*test_malformed\.py:\d+"):
        settings_for(game, {}, counted=False)
