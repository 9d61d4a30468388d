"""The sample bots play without a fault, alike from both seats, and leave when their input ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.core.game import Setup
from arena.core.replies import Answer
from arena.core.steps import Frame, Note, Show, Tell
from arena.core.table import Table
from arena.games.codecharacter import GAME
from arena.games.codecharacter.settings import CodecharacterSettings
from tests.games.codecharacter.helpers import settings, small
from tests.support.tools import needs_tool

BOTS = Path(__file__).parents[3] / "sample_bots" / "codecharacter"


class Bot:
    """A bot over its pipes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.lines: list[str] = []

    def ask(self, line: str) -> str:
        """Tell it all that is known and the request; its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n".join(["what is this", *self.lines, line, ""]))
        self._process.stdin.flush()
        self.lines = []
        return self._process.stdout.readline().rstrip("\n")


@contextmanager
def running(command: list[str]) -> Iterator[Bot]:
    """A bot from its start to its end."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        yield Bot(process)
        rest, _ = process.communicate(timeout=60)
        assert rest == ""
        assert process.returncode == 0


def match(
    one: list[str], two: list[str], given: CodecharacterSettings
) -> tuple[list[Frame], list[Note]]:
    """Frames and notes of a match."""
    table, frames, notes = Table(GAME, Setup("1", 2, given)), [], []
    with running(one) as first, running(two) as second:
        bots = first, second
        while True:
            for step in table.take():
                if isinstance(step, Tell):
                    bots[step.seat].lines.append(step.line)
                elif isinstance(step, Show):
                    frames.append(step.frame)
                elif isinstance(step, Note):
                    notes.append(step)
            if table.outcome is not None:
                return frames, notes
            answers = [Answer(bots[ask.seat].ask(ask.line(10000))) for ask in table.asked]
            table.answer_all(tuple(answers))


@pytest.fixture(scope="module")
def strong(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The C++ bot, compiled without optimisation, which is quicker here."""
    program = tmp_path_factory.mktemp("strong") / "strong"
    compiler = needs_tool("g++", "g++")
    source = BOTS / "strong.cpp"
    subprocess.run([compiler, "-std=c++17", "-Wall", "-Werror", "-o", program, source], check=True)
    return [str(program)]


SIMPLE = [sys.executable, "-S", str(BOTS / "simple.py")]
SHORT = settings(num_turns=70)
RICH = small(num_turns=60, num_soldiers=5, money_start=3000, tower_hp="200 300 400")


def test_simple_against_itself() -> None:
    frames, notes = match(SIMPLE, SIMPLE, RICH)
    assert notes == []
    assert frames[-1]["tiles"][0] == frames[-1]["tiles"][1] > 16


@pytest.mark.dear_for("default")
@pytest.mark.tool
@pytest.mark.parametrize("given", [SHORT, RICH], ids=["default", "small"])
def test_strong_beats_simple_alike_from_both_seats(
    strong: list[str], given: CodecharacterSettings
) -> None:
    plain, notes = match(strong, SIMPLE, given)
    turned, more = match(SIMPLE, strong, given)
    assert notes == more == []
    assert plain[-1]["tiles"][0] > 2 * plain[-1]["tiles"][1]
    for one, two in zip(plain, turned, strict=True):
        assert one["tiles"] == two["tiles"][::-1]
        assert one["money"] == two["money"][::-1]
        edge = given.map_size * given.tile_size * 1000
        places = sorted(
            (edge - x, edge - y, hp, state) for _, _, x, y, hp, state, *_ in one["soldiers"]
        )
        assert places == sorted((x, y, hp, state) for _, _, x, y, hp, state, *_ in two["soldiers"])


@pytest.mark.tool
def test_strong_against_itself_is_a_draw(strong: list[str]) -> None:
    frames, notes = match(strong, strong, SHORT)
    assert notes == []
    assert all(frame["tiles"][0] == frame["tiles"][1] for frame in frames)
