"""Matches as rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from arena.core import Answer, Setup, Stream, Table, find_game
from arena.core.draft import Choice
from arena.core.registry import GAMES
from arena.errors import ReplayError
from arena.record.format import Answered
from arena.record.reader import Match
from arena.record.rows import Row, rows_of
from tests.support.past import played

REQUESTS = 40


@pytest.mark.parametrize("name", GAMES)
def test_a_random_answer_is_spelt_by_its_choices(name: str) -> None:
    """But in codecharacter, where only answers about few soldiers are."""
    game = find_game(name)
    table = Table(game, Setup("1", 2, game.settings()))
    stream, spelt, asked = Stream("1", "spell"), 0, 0
    while asked < REQUESTS and not table.outcome:
        answers = []
        for ask in table.asked:
            draft = table.draft(ask.seat)
            answer = draft.random_answer(stream)
            choices = draft.spell(answer)
            if choices is not None:
                spelt += 1
                assert made_by(draft, choices) == answer
            answers.append(Answer(answer))
        asked += len(answers)
        table.answer_all(tuple(answers))
    assert spelt == asked or (name == "codecharacter" and spelt)


def made_by(draft: Any, choices: list[Choice]) -> str | None:
    for choice in choices:
        assert choice.offer == draft.offer
        assert choice.may_end == (draft.answer is not None)
        if choice.pick:
            draft = draft.pick(choice.pick)
    assert draft.done or not choices[-1].pick
    answer: str | None = draft.answer
    return answer


def test_an_illegal_answer_is_not_spelt() -> None:
    game = find_game("hextrategic")
    draft = Table(game, Setup("1", 2, game.settings())).draft(0)
    home = draft.offer.places[0]
    assert draft.spell(f"move {home} nowhere 3") is None
    assert draft.spell("dance") is None
    assert draft.spell(" , ") is not None  # no moves


def test_a_row_has_what_was_known_and_what_came_of_it() -> None:
    match = played("warlight")
    rows = list(rows_of(match))
    assert match.outcome is not None
    for seat in (0, 1):
        own = [row for row in rows if row.seat == seat]
        answers = [
            one.text for one in match.records if isinstance(one, Answered) and one.seat == seat
        ]
        assert [row.request for row in own] == list(range(1, len(own) + 1))
        assert [row.answer for row in own] == answers
        heard = [line for row in own for line in (*row.observation, row.asked)]
        assert tuple(heard) == match.lines(seat)[: len(heard)]
        assert {row.rank for row in own} == {match.outcome.ranks[seat]}
        assert all((row.choices is None) == bool(row.faults) for row in own)
        assert {bool(row.faults) for row in own} == {True, False}
    assert (rows[0].match, rows[0].game, rows[0].seed) == (match.digest, "warlight", match.seed)
    end = next(row.choices[-1] for row in rows if row.choices)
    assert (end.picked, end.may_end) == ("", True)


def test_a_match_that_was_cut_off_has_the_rows_before() -> None:
    match = played("toroid")
    whole = list(rows_of(match))
    at = max(i for i, one in enumerate(match.records) if type(one).__name__ == "Answered")
    rows = list(rows_of(replace(match, records=match.records[:at])))
    assert [told(row) for row in rows] == [told(row) for row in whole[:-1]]
    assert {row.score for row in rows} == {None}


def told(row: Row) -> tuple[object, ...]:
    """What a row says, but for the end of the match."""
    return (row.seat, row.request, row.observation, row.asked, row.choices, row.answer)


def test_a_match_of_other_rules_is_refused() -> None:
    match = played("toroid")
    other = Match(msgspec.structs.replace(match.header, rules_version=99), match.records)
    with pytest.raises(ReplayError, match="version 99 of the rules of toroid"):
        list(rows_of(other))
