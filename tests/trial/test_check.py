"""The input test, with Python functions for bots: no process, no keeper."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from arena.core.registry import GAMES, find_game
from arena.match.spec import MatchSpec
from arena.players.entrant import PythonEntrant
from arena.sandbox.session import trio_run
from arena.trial.check import check
from arena.trial.report import Check
from tests.tiny import TinySettings


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


def checked(answer: Callable[[list[str]], str]) -> Check:
    return run(MatchSpec("tiny", (PythonEntrant("f", answer),) * 2, "check", TinySettings()))


def run(spec: MatchSpec) -> Check:
    async def main() -> Check:
        return await check(spec)

    return trio_run(main)


def test_a_good_bot() -> None:
    result = checked(lambda lines: "1")
    assert result.ok
    assert [step.ok for step in result.steps] == [True] * 5
    assert result.steps[0].detail.startswith("10 of 10, the slowest after 0.")
    assert result.steps[1].detail == "matches of 5 and 5 rounds"
    assert (result.last_answer, result.stderr) == ("1", "")


def test_illegal_orders_are_a_warning() -> None:
    result = checked(lambda lines: "all")
    assert result.ok
    step = result.steps[3]
    assert (step.ok, step.warning) == (False, True)
    assert step.detail == (
        "as player1 5 × bid, first in round 1: 'all' is no bid; "
        "as player2 5 × bid, first in round 1: 'all' is no bid"
    )


def test_orders_of_which_none_is_legal_come_first() -> None:
    """With an answer that the rules would have taken. A bot that passes now and then as well."""
    bids = iter(["all", "No moves", "half", "all", "most"] * 2)
    cause = checked(lambda lines: next(bids)).cause
    assert cause is not None
    assert cause.sentence == (
        "none of its 4 answers to 'go bid' was legal; the first, in round 1: 'all'"
    )
    assert re.fullmatch(r"a legal answer: '\d+'", cause.fix)
    assert not cause.fails


def test_one_legal_order_or_a_slip_is_no_cause() -> None:
    bids = iter(["all", "all", "all", "all", "1", "all", "all", "", "", "No moves"])
    result = checked(lambda lines: next(bids))
    assert result.cause is None
    assert not result.steps[3].ok


@pytest.mark.parametrize(("refused", "is_told"), [(2, False), (3, True)])
def test_three_refused_answers_are_no_slip(refused: int, is_told: bool) -> None:
    answers = iter((["all"] * refused + ["No moves"] * 5)[:5] + ["No moves"] * 5)
    assert (checked(lambda lines: next(answers)).cause is not None) is is_told


def test_one_that_wants_to_pass_hears_how() -> None:
    result = checked(lambda lines: "no_moves")
    assert result.cause is not None
    assert result.cause.fix == "to pass, answer 'No moves'"
    assert result.steps[3].detail.endswith("is no bid; to pass, answer 'No moves'")


def test_a_list_of_orders_with_one_refused_is_legal_in_part() -> None:
    """Warlight: of three orders in each answer the rules refuse one."""
    result = checked_in_warlight("{me} place_armies {mine} 1, {me} place_armies 99999 1")
    assert result.cause is None
    assert not result.steps[3].ok


def test_a_list_of_orders_that_are_all_refused_is_not() -> None:
    result = checked_in_warlight("{me} place_armies 99998 1, {me} place_armies 99999 1")
    assert result.cause is not None
    assert result.cause.sentence.startswith("none of its ")


def checked_in_warlight(placing: str) -> Check:
    """A bot that places its armies so."""
    state = {"me": "", "mine": ""}

    def answer(lines: list[str]) -> str:
        for line in lines:
            words = line.split()
            if words[:2] == ["settings", "your_bot"]:
                state["me"] = words[2]
            elif words[0] == "update_map":
                pairs = zip(words[1::3], words[2::3], strict=True)
                state["mine"] = next(region for region, owner in pairs if owner == state["me"])
            elif words[0] == "pick_starting_region":
                return words[2]
        return placing.format(**state) if "place_armies" in lines[-1] else "No moves"

    settings = find_game("warlight").settings(max_rounds=5)
    return run(MatchSpec("warlight", (PythonEntrant("f", answer),) * 2, "check", settings))
