"""The tree of errors matches its documentation, and users get the right message for an error."""

from __future__ import annotations

import re

import pytest

from arena import errors
from arena.errors import ArenaFault, BotError, did_you_mean, root_cause


def drawn(text: str) -> list[tuple[int, str]]:
    """The depth and name of each class in a drawn tree, from the top down."""
    lines = re.findall(r"^    ([│├└─ ]*)(\w+)(?: {2,}.*)?$", text, re.MULTILINE)
    return [(len(branch) // 4, name) for branch, name in lines]


def grown(error: type[Exception], depth: int = 0) -> list[tuple[int, str]]:
    """The same from the classes themselves."""
    lines = [(depth, error.__name__)]
    for child in error.__subclasses__():
        if child.__module__ == errors.__name__:
            lines += grown(child, depth + 1)
    return lines


def test_the_documentation_draws_the_tree() -> None:
    assert errors.__doc__ is not None
    assert drawn(errors.__doc__) == grown(errors.ArenaError)


def test_the_root_cause_of_an_exception_is_itself() -> None:
    error = ValueError()
    assert root_cause(error) is error


@pytest.mark.parametrize("known", [BotError("no such bot"), KeyboardInterrupt()])
def test_the_root_cause_of_groups_is_what_was_raised_on_purpose(known: BaseException) -> None:
    inner = BaseExceptionGroup("inner", [OSError(), known, ArenaFault()])
    assert root_cause(BaseExceptionGroup("outer", [ValueError(), inner])) is known


def test_the_root_cause_of_other_groups_is_their_first_error() -> None:
    first = ValueError()
    assert (
        root_cause(ExceptionGroup("outer", [ExceptionGroup("inner", [first]), OSError()])) is first
    )


def test_a_wrong_name_is_told_the_nearest_one() -> None:
    assert did_you_mean("warlihgt", ["toroid", "warlight", "tncc"]) == "did you mean 'warlight'?"


def test_a_name_that_is_near_to_none_is_told_all_in_order() -> None:
    assert did_you_mean("chess", {"tncc", "toroid"}) == "choose one of: tncc, toroid"


def test_a_bot_error_keeps_what_its_compiler_said() -> None:
    assert BotError("cannot compile bot.c").output == ""
    assert BotError("cannot compile bot.c", "bot.c:1: error").output == "bot.c:1: error"
