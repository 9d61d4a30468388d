"""Recorded matches as rows, one for each request, to learn from or to count.

A row has what the seat was told, what could be answered, what was answered, and how the match
ended. The rules play the answers again for it, so a row's choices are those of the moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from arena.core.draft import Choice
from arena.core.ranking import shares
from arena.core.replies import Answer, Reply
from arena.core.steps import Ask, Note
from arena.core.table import Table
from arena.errors import ReplayError
from arena.record.reader import Exchange, Match, transcript


class ChoiceRow(Struct, frozen=True):
    """A choice of an answer: what was offered (the mask), and what was picked."""

    offered: tuple[str, ...]
    """Places and words that could be picked."""
    least: int | None
    """The least whole number that could be picked; None if no number was asked for."""
    most: int | None
    """The greatest."""
    may_end: bool
    """Whether the answer could end here."""
    picked: str
    """Empty: the answer ends."""


class Row(Struct, frozen=True):
    """A request to a seat, its reply, and the result of the match."""

    match: str
    """The digest of the match: matches with equal digests went the same way."""
    game: str
    rules_version: int
    seed: str
    seat: int
    """From 0."""
    player: str
    """The name of who sat there."""
    request: int
    """The number of the seat's request, from 1."""
    round: int
    observation: tuple[str, ...]
    """The lines that the seat was told since its last request. (All of a seat's rows up to here
    have all that it knew.)"""
    asked: str
    """The request as it was read, with the time bank."""
    bank_ms: int
    choices: tuple[ChoiceRow, ...] | None
    """The choices that make the answer; None where there is none, for an answer in another spelling
    or sequence than offers have, and for games without offers."""
    answer: str | None
    """None if there was none."""
    silence: str | None
    """Why there was no answer."""
    charged_ms: float
    faults: tuple[str, ...]
    """The codes of the faults by the rules that the answer was counted as."""
    rank: int | None
    """The seat's rank at the end, from 1; None for a match that was cut off."""
    points: float | None
    score: float | None
    """The share of the other seats that it beat, ties half."""


def rows_of(match: Match) -> Iterator[Row]:
    """The rows of a match, in the order of its requests. Raises UsageError where its game is not
    installed, ReplayError for a record that its rules do not reproduce."""
    exchanges = [iter(transcript(match, seat).exchanges) for seat in range(len(match.players))]
    for table, replies in _moments(match):
        asks = table.asked
        choices = [_choices(table, ask, reply) for ask, reply in zip(asks, replies, strict=True)]
        table.answer_all(replies)
        notes = [step for step in table.take() if isinstance(step, Note) and step.fault]
        for ask, chosen in zip(asks, choices, strict=True):
            faults = tuple(note.code for note in notes if note.seat == ask.seat)
            yield _row(match, ask.seat, next(exchanges[ask.seat]), chosen, faults)


def _moments(match: Match) -> Iterator[tuple[Table[Any], tuple[Reply, ...]]]:
    """A table at each moment of the match, with the replies that it got. Whoever iterates gives
    them to the table."""
    game = match.header.find_game()
    table = Table(game, match.header.setup(game))
    table.take()
    given = [iter(match.replies(seat)) for seat in range(len(match.players))]
    while table.asked:
        replies = [next(given[ask.seat], None) for ask in table.asked]
        known = tuple([one.reply for one in replies if one is not None])
        if len(known) < len(replies):
            return  # the record was cut off here
        yield table, known
    if match.outcome is not None and table.outcome != match.outcome:
        raise ReplayError("the rules do not reproduce this match: arena verify tells where")


def _choices(table: Table[Any], ask: Ask, reply: Reply) -> tuple[ChoiceRow, ...] | None:
    if table.game.offers is None or not isinstance(reply, Answer):
        return None
    spelt = table.draft(ask.seat).spell(reply.text)
    return None if spelt is None else tuple(map(_choice, spelt))


def _choice(choice: Choice) -> ChoiceRow:
    offer, number = choice.offer, choice.offer.number
    return ChoiceRow(
        offered=(*offer.places, *(word.pick for word in offer.words)),
        least=number and number.least,
        most=number and number.most,
        may_end=choice.may_end,
        picked=choice.pick,
    )


def _row(
    match: Match,
    seat: int,
    exchange: Exchange,
    choices: tuple[ChoiceRow, ...] | None,
    faults: tuple[str, ...],
) -> Row:
    given, outcome = exchange.given, match.outcome
    answer = given.reply.text if isinstance(given.reply, Answer) else None
    return Row(
        match=match.digest,
        game=match.game,
        rules_version=match.header.rules_version,
        seed=match.seed,
        seat=seat,
        player=match.players[seat],
        request=exchange.number,
        round=given.round,
        observation=exchange.lines,
        asked=given.request,
        bank_ms=given.bank_ms,
        choices=choices,
        answer=answer,
        silence=None if isinstance(given.reply, Answer) else given.reply.why.value,
        charged_ms=given.cost.charged / 1e6,
        faults=faults,
        rank=outcome.ranks[seat] if outcome else None,
        points=outcome.points[seat] if outcome else None,
        score=shares(outcome.ranks)[seat] if outcome else None,
    )
