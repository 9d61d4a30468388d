"""Suites: which answers are as expected, and what is said of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import arena
from arena.api.suite import SuiteItem, suite
from arena.errors import UsageError
from arena.record.position import Expectation, Position, cut
from tests.support.past import played

ROUND = 4


@pytest.fixture(scope="module")
def position() -> Position:
    """A position of toroid in which player1 moves."""
    return cut(played("toroid"), ROUND, 0)


def answering(text: str) -> Any:
    """A bot that says always the same."""

    def steady(lines: list[str]) -> str:
        return text

    return steady


def tried(position: Position, answer: str, **expect: Any) -> SuiteItem:
    """What becomes of a position with this expectation."""
    one = replace(position, expect=Expectation(**expect))
    report = suite([one], answering(answer)).run()
    assert report.passed + report.failed == 1
    return report.items[0]


def test_one_of(position: Position) -> None:
    assert tried(position, "No  moves", one_of=("build", "No moves")).ok
    item = tried(position, "build", one_of=("No moves",))
    assert item.problems == ["it answered 'build', and one of these was expected: 'No moves'"]
    assert (item.round, item.seat, item.answer) == (position.round, 0, "build")


def test_none_of(position: Position) -> None:
    assert tried(position, "build", none_of=("No moves",)).ok
    item = tried(position, " No moves ", none_of=("No moves",))
    assert item.problems == ["it answered 'No moves', which it must not"]


def test_no_fault(position: Position) -> None:
    assert tried(position, "No moves", no_fault=True).ok
    item = tried(position, "attack nowhere 1", no_fault=True)
    assert not item.ok
    assert "nowhere" in item.problems[0]


def test_a_score(position: Position) -> None:
    item = tried(position, "No moves", min_score=0.0, games=3)
    assert item.ok
    assert item.games == 3
    assert item.score is not None
    one = replace(position, expect=Expectation(min_score=1.0, games=2, one_of=("build",)))
    found = suite([one], answering("No moves"), against=answering("build")).run().items[0]
    assert found.problems[0].startswith("it answered 'No moves'")
    if found.score != 1.0:
        assert "was expected" in found.problems[-1]


def test_a_bot_that_remembers_knows_the_past(position: Position) -> None:
    heard: list[str] = []

    def listens(lines: list[str]) -> str:
        heard.extend(lines)
        return "No moves"

    suite([replace(position, expect=Expectation(no_fault=True))], listens).run()
    match = played("toroid")
    requests = [one.request for one in match.replies(0) if one.round < ROUND]
    assert [line for line in heard if line.startswith("go ")][: len(requests)] == requests


def test_a_position_that_is_none_fails_alone(position: Position) -> None:
    expect = Expectation(no_fault=True)
    good = replace(position, expect=expect)
    bad = replace(good, digest="00")
    worse = replace(bad, expect=Expectation(min_score=0.0))
    report = suite([bad, good, worse], answering("No moves")).run()
    assert [item.ok for item in report.items] == [False, True, False]
    assert "the digest of the position" in report.items[0].problems[0]
    assert "the digest of the position" in report.items[2].problems[0]


BOTS = {
    "deaf": "import sys\nfor line in sys.stdin: pass\n",
    "dies": "import sys\nsys.stdin.readline()\nsys.exit('alas')\n",
}


@pytest.mark.parametrize(("name", "why"), [("deaf", "gave no answer"), ("dies", "crashed")])
def test_a_bot_that_gives_no_answer(
    position: Position, tmp_path: Path, name: str, why: str, lent_keepers: None
) -> None:
    (tmp_path / "bot.py").write_text(BOTS[name])
    one = replace(position, expect=Expectation(none_of=("x",)))
    report = suite([one], tmp_path / "bot.py", settings={"timebank": 200}).run()
    assert why in report.items[0].problems[0]
    assert "before the position" in report.items[0].problems[0]


PARROT = """
import sys
for line in sys.stdin:
    if line.startswith("go "):
        print("No moves" if line.split()[1] != "place_unit" else "build", flush=True)
"""


@pytest.mark.parametrize("jobs", [1, pytest.param(3, marks=pytest.mark.dear)])
def test_items_come_in_the_order_of_the_file(tmp_path: Path, jobs: int) -> None:
    """With worker processes too, though they end in another order."""
    (tmp_path / "bot.py").write_text(PARROT)
    match = played("toroid")
    last = match.replies(0)[-1].round
    expects = [Expectation(no_fault=True), Expectation(min_score=0.0), Expectation(one_of=("x",))]
    positions = [
        replace(cut(match, round, 0), expect=expects[number % 3])
        for number, round in enumerate([last - 1, 1, last, 2, 3, 4])
    ]
    told = list[SuiteItem]()
    report = suite(positions, tmp_path / "bot.py", jobs=jobs).run(told.append)
    assert told == report.items
    assert [item.number for item in told] == [1, 2, 3, 4, 5, 6]
    assert [item.ok for item in told][2::3] == [False, False]
    assert [item.games for item in told] == [0, 1, 0, 0, 1, 0]


def test_wrong_suites(position: Position) -> None:
    bot = answering("build")
    with pytest.raises(UsageError, match="position 1 does not say what to expect"):
        suite([position], bot)
    with pytest.raises(UsageError, match="there are no positions"):
        suite([], bot)
    one = replace(position, expect=Expectation(no_fault=True))
    with pytest.raises(UsageError, match="jobs=0 is not allowed"):
        suite([one], bot, jobs=0)
    with pytest.raises(UsageError, match="the seed comes with the position"):
        suite([one], bot, seed=1)
    with pytest.raises(UsageError, match="position 2: the position is of version 99"):
        suite([one, replace(one, rules_version=99)], bot).run()
    other = replace(cut(played("tncc"), 2, 0), expect=Expectation(no_fault=True))
    with pytest.raises(UsageError, match="position 2 is one of tncc, the first of toroid"):
        suite([one, other], bot)


async def test_inside_trio_it_is_refused(position: Position) -> None:
    one = replace(position, expect=Expectation(no_fault=True))
    with pytest.raises(UsageError, match="would block the loop"):
        suite([one], answering("build")).run()


def test_it_is_public() -> None:
    assert arena.suite is suite
