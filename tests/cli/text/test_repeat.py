"""The command that plays a match again."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

from arena.api.conditions import Conditions, empty_spec, make_spec
from arena.api.positions import spec_at
from arena.cli import parameters
from arena.cli.text.table import play_command
from arena.core.registry import find_game
from arena.record.position import cut
from tests.support.past import played

BOT = Path(__file__).parents[3] / "sample_bots" / "warlight" / "border.sh"


def command(conditions: Conditions) -> str:
    """The command for a match under these conditions, without its bots."""
    text = play_command(make_spec("warlight", [str(BOT)] * 2, {"seed": "7", **conditions}))
    return text.removeprefix(f"arena play warlight {BOT} {BOT} ")


def test_the_usual_conditions_are_not_told() -> None:
    assert command({}) == "--seed 7"


@pytest.mark.parametrize(
    "conditions",
    [
        Conditions(sandbox="strict", clock="fair", start_up=10_000, forfeit=True),
        Conditions(memory=256 << 20, pondering=False, sequential=True),
        Conditions(memory=(1 << 20) + 1024, settings={"max_rounds": 4}),
    ],
)
def test_others_are_told_and_come_back_the_same(conditions: Conditions) -> None:
    """A stranger's bot that was played behind walls is so again."""
    told = []

    @click.command()
    @parameters.options
    def parsed(**options: Any) -> None:
        told.append(empty_spec(find_game("warlight"), 2, parameters.conditions(options)))

    parsed.main(shlex.split(command(conditions)), standalone_mode=False)
    asked = make_spec("warlight", [str(BOT)] * 2, {"seed": "7", **conditions})
    assert told == [msgspec.structs.replace(asked, entrants=())]


def test_a_position_is_named() -> None:
    position = cut(played("warlight"), 3)
    for times, told in (({}, ""), ({"timebank": 700}, " --timebank 700")):
        spec = spec_at("warlight", [str(BOT)] * 2, position, {"settings": times})
        text = play_command(spec, origin="book.jsonl:3")
        assert text == f"arena play warlight {BOT} {BOT} --from book.jsonl:3{told}"
