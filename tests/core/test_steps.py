"""The steps of a script: what a bot reads of a request, and what comes back."""

from __future__ import annotations

import dataclasses
import importlib
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

from arena import core
from arena.core.replies import Answer, Silence, Why
from arena.core.steps import Ask, Note, ask, ask_all
from tests.support.tools import every


def test_a_request_has_its_time_bank_after_its_head() -> None:
    assert Ask(0, "go", "a b").line(900) == "go 900 a b"
    assert Ask(0, "go").line(900) == "go 900"


def test_a_request_is_waited_for_as_long_as_its_bank_lasts() -> None:
    assert Ask(0, "go").patience == 1


def test_one_question_has_one_reply() -> None:
    question = ask(1, "go", "a")
    assert next(question) == (Ask(1, "go", "a"),)
    with pytest.raises(StopIteration) as done:
        question.send((Answer("yes"),))
    assert done.value.value == Answer("yes")


def test_replies_have_the_order_of_the_questions() -> None:
    asks, replies = (Ask(1, "go"), Ask(0, "go")), (Answer("one"), Silence(Why.LATE))
    questions = ask_all(asks)
    assert next(questions) == asks
    with pytest.raises(StopIteration) as done:
        questions.send(replies)
    assert done.value.value == replies


def test_what_a_record_leaves_out_is_usual() -> None:
    assert msgspec.to_builtins(Ask(0, "go")) == {"type": "ask", "seat": 0, "head": "go"}
    usual = {"type": "note", "seat": 0, "code": "syntax", "detail": "what?"}
    assert msgspec.to_builtins(Note(0, "syntax", "what?")) == usual


VALUES = [
    kind
    for path in Path(core.__path__[0]).glob("[!_]*.py")
    for kind in vars(importlib.import_module(f"arena.core.{path.stem}")).values()
    if isinstance(kind, type) and (issubclass(kind, Struct) or dataclasses.is_dataclass(kind))
]


@every("kind", sorted(set(VALUES) - {Struct}, key=str), ids=lambda kind: kind.__name__)
def test_the_values_of_the_core_are_frozen_and_slotted(kind: type) -> None:
    if issubclass(kind, Struct):
        assert kind.__struct_config__.frozen
    else:
        assert vars(kind)["__dataclass_params__"].frozen
        assert "__slots__" in vars(kind)
