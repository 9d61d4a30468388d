"""A bot against a transcript: what it is told, when it ends, and what it is compared with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio

from arena.core.replies import Answer, Cost, Silence, TimedReply, Why
from arena.match.report import Rerun, RerunEnd
from arena.match.rerun import PATIENCE, in_words, rerun
from arena.players.entrant import PythonEntrant
from arena.players.player import Player
from arena.players.terms import PlayerTerms
from arena.record.reader import Exchange, transcript
from arena.sandbox.session import trio_run
from tests.record.test_transcript import MATCH
from tests.support.fake import MockClock

EARLIER: list[Rerun] = []
"""What came of the requests before the round from which the last `run` compared."""


def run(seat: int, *answers: str, first: int = 0) -> tuple[list[list[str]], list[Rerun], RerunEnd]:
    """A bot that gives these answers; what it heard at each request, what came of it, its end."""
    heard: list[list[str]] = []
    given = iter(answers)

    def answer(lines: list[str]) -> str:
        heard.append(list(lines))
        return next(given)

    found: list[Rerun] = []
    bot = PythonEntrant("bot", answer)

    async def main() -> RerunEnd:
        EARLIER.clear()
        return await rerun(
            transcript(MATCH, seat),
            bot,
            PlayerTerms(),
            first=first,
            each=found.append,
            earlier=EARLIER.append,
        )

    end = trio_run(main)
    return heard, found, end


def test_it_hears_what_the_seat_heard() -> None:
    heard, found, end = run(0, "take 3", "take 2")
    assert heard == [["hello", "heap 3", "go take 1000"], ["go take 999"]]
    assert [one.same for one in found] == [True, False]
    assert (found[1].request, found[1].round, found[1].recorded) == (2, 2, "take 1")
    assert found[1].answered == "take 2"
    assert end == RerunEnd(None, "", None, "")


def test_what_was_asked_before_that_round_is_asked_too() -> None:
    """A bot that remembers what it answered would else be in another state than it was."""
    heard, found, _ = run(0, "take 2", "take 1", first=2)
    assert heard == [["hello", "heap 3", "go take 1000"], ["go take 999"]]
    assert [one.request for one in found] == [2]
    assert [(one.request, one.answered, one.same) for one in EARLIER] == [(1, "take 2", False)]


def test_an_answer_where_the_record_has_none() -> None:
    _, (only,), _ = run(1, "take 1")
    assert (only.recorded, only.answered, only.same) == ("(no answer: dead)", "take 1", False)


class Slow(Player):
    """It thinks for so many seconds about each request."""

    def __init__(self, *seconds: float) -> None:
        super().__init__("slow")
        self._seconds = iter(seconds)

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """It has all time."""

    def poll(self) -> None:
        """Not yet."""

    async def reply(self) -> TimedReply:
        await trio.sleep(next(self._seconds))
        return TimedReply(Answer("take 3"), Cost(0, 0, None, None))


class SlowEntrant(PythonEntrant, frozen=True):
    @asynccontextmanager
    async def open(self, *_: Any) -> AsyncIterator[Player]:
        yield Slow(PATIENCE - 0.1, PATIENCE + 0.1)


async def test_a_request_that_is_waited_for_is_told(autojump_clock: MockClock) -> None:
    waited: list[Exchange] = []
    bot = SlowEntrant("slow", lambda lines: "")
    await rerun(transcript(MATCH, 0), bot, PlayerTerms(), waiting=waited.append)
    assert [one.given.request for one in waited] == ["go take 999"]


def test_replies_in_words() -> None:
    assert in_words(Answer("take 1")) == "take 1"
    assert in_words(Silence(Why.LATE)) == "(no answer: late)"
