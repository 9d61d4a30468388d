"""A bug of a game names its line; what it refuses on purpose stays what it is."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import pytest

from arena.core.faults import attribute_errors_to, own_line
from arena.core.game import AnyGame, Setup
from arena.core.replies import Answer
from arena.core.steps import Script, ask
from arena.core.table import Table
from arena.errors import ArenaFault, SettingError
from arena.games.kit import player_names
from tests.tiny import TINY, TinySettings, TinyWorld, new_world

SETUP = Setup("7", 2, TinySettings())


def line_of(function: Callable[..., Any], after: int) -> str:
    code = function.__code__
    return f"{code.co_filename}:{code.co_firstlineno + after}"


def fault(game: AnyGame) -> str:
    with pytest.raises(ArenaFault) as error:
        Table(game, SETUP).answer_all((Answer("1"),))
    return str(error.value)


def test_a_script_that_fails() -> None:
    def script(world: TinyWorld) -> Script:
        yield from ask(0, "go")
        raise KeyError("oops")

    assert fault(dataclasses.replace(TINY, script=script)) == (
        f"the rules of tiny failed at {line_of(script, 2)} (KeyError('oops')): the match is void, "
        "please report it with the seed '7' and the settings"
    )


def test_the_line_is_the_games_own_and_not_that_of_what_it_calls() -> None:
    def script(world: TinyWorld) -> Script:
        yield from ask(0, player_names("x")[0])  # type: ignore[arg-type]
        raise AssertionError

    assert line_of(script, 1) in fault(dataclasses.replace(TINY, script=script))


def test_a_world_that_fails() -> None:
    def world(setup: Setup[TinySettings]) -> TinyWorld:
        return new_world(setup).missing  # type: ignore[attr-defined,no-any-return]

    text = fault(dataclasses.replace(TINY, world=world))
    assert text.startswith(f"the world of tiny failed at {line_of(world, 1)} (AttributeError(")


def test_a_world_that_refuses() -> None:
    def world(setup: Setup[TinySettings]) -> TinyWorld:
        raise SettingError("purse=3 is too little")

    with pytest.raises(SettingError, match="too little"):
        Table(dataclasses.replace(TINY, world=world), SETUP)


def test_a_script_without_an_outcome() -> None:
    def script(world: TinyWorld) -> Script:
        yield from ask(0, "go")
        return None  # type: ignore[return-value]

    text = fault(dataclasses.replace(TINY, script=script))
    assert "gave a malformed outcome: the script returned None, not an Outcome" in text


def test_other_parts_can_be_blamed() -> None:
    with (
        pytest.raises(ArenaFault, match=r"^the picture of tiny failed at .*with the seed and the"),
        attribute_errors_to(TINY, "the picture"),
    ):
        raise ZeroDivisionError


def test_no_line_of_its_own() -> None:
    with pytest.raises(ValueError, match="invalid literal") as error:
        int("x")
    assert own_line("tests.core", error.tb)
    assert own_line("tests.cor", error.tb) == ""
    assert own_line("elsewhere", error.tb) == ""
    assert own_line("tests", None) == ""
    stranger = dataclasses.replace(TINY, script=re.match)  # type: ignore[arg-type]
    with (
        pytest.raises(ArenaFault, match=r"^the rules of tiny failed \(ZeroDivisionError"),
        attribute_errors_to(stranger, "the rules"),
    ):
        raise ZeroDivisionError
