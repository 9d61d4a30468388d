"""Matches as text alone: what a language model meets."""

from __future__ import annotations

from itertools import cycle

import pytest

from arena.core import Stream
from arena.errors import UsageError
from arena.train import TextMatch
from tests.train import ALL_GAMES, QUICK

ILLEGAL = ("I think I should attack.", "", "{}", "build build", "No moves, wait", "x" * 3000)


@pytest.mark.parametrize("game", ALL_GAMES)
def test_nonsense_is_judged_by_the_rules_and_ends_no_process(game: str) -> None:
    """The rules do what they do to a bot: the match goes on, to its end or to that of its rounds,
    and says what is wrong."""
    match, words = TextMatch(game, settings=QUICK.get(game, {}), rounds=12), cycle(ILLEGAL)
    match.reset(seed=1)
    seats, wrong = set(), set[int]()
    for _ in range(400):
        seat, text = match.get_observation()
        assert text.splitlines()[-1].startswith(("go ", "pick_starting_region "))
        seats.add(seat)
        over = match.step(next(words))
        wrong |= {seat for seat, why in match.problems if len(why) > 10}
        if over:
            break
    assert match._match.over
    assert seats == wrong == {0, 1}
    assert sum(match.rewards()) == pytest.approx(0)


def test_the_same_answers_give_the_same_match() -> None:
    seen = []
    for _ in range(2):
        match, stream = TextMatch("warlight", rounds=4), Stream("1", "text")
        match.reset(seed=7)
        lines, done = [match.rules[:20]], False
        while not done:
            seat, text = match.get_observation()
            assert (seat, text) == match.get_observation()
            lines.append(text)
            table = match._match.table
            assert table is not None
            done = match.step(table.draft(seat).random_answer(stream))
        seen.append((lines, match.rewards(), match.truncated, match.render()))
    assert seen[0] == seen[1]


def test_what_needs_a_match_says_so() -> None:
    match = TextMatch("toroid", rounds=1)
    for use in (match.get_observation, match.rewards, match.render, lambda: match.step("build")):
        with pytest.raises(UsageError, match="there is no match yet: call reset first"):
            use()
    match.reset(seed=1)
    for wrong in ("two\nlines", 3, None):
        with pytest.raises(UsageError, match="is not one line of text"):
            match.step(wrong)  # type: ignore[arg-type]  # wrong on purpose
    while not match.step("build"):
        pass
    with pytest.raises(UsageError, match="the match is over: call reset"):
        match.get_observation()
    with pytest.raises(UsageError, match="the match is over"):
        match.step("build")
    for game in ("chess", 3):
        with pytest.raises(UsageError):
            TextMatch(game)  # type: ignore[arg-type]  # wrong on purpose
