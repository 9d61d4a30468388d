from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing
from msgspec.structs import replace

from arena.core import Setup
from arena.core.registry import find_game
from arena.core.replies import Answer, Silence, TimedReply, Why
from arena.core.table import Table
from arena.players.human import HumanPlayer
from arena.players.player import Stopped
from arena.record.format import FORMAT, Header
from arena.record.reader import Match
from arena.view.story import empty_story
from arena.web import desk
from arena.web.desk import Complete, Give, Help, Leave, Notifier, PageDesk, Pick
from arena.web.story import Known, LiveSeatStory, Messages

SECOND = 10**9


class Seated:
    """A person at a desk, who is asked in a match of Hextrategic."""

    def __init__(self, seconds: float | None, limit: float | None = None) -> None:
        game = find_game("hextrategic")
        table = Table(game, Setup("7", 2, game.settings()))
        self.news = Notifier()
        self.desk = PageDesk("Ann", self.news, limit)
        self.player = HumanPlayer("Ann", self.desk, timed=seconds is not None)
        self.player.sit(table, 0)
        self.bank = round((seconds or 3600) * SECOND)
        self.home = table.world.owner.index(0)
        self.near = table.world.board.neighbors[self.home][0]
        self.reply: TimedReply | None = None
        self.replied = trio.Event()

    @property
    def number(self) -> int:
        """Of the open request."""
        assert self.desk.question
        return self.desk.question.number

    async def ask(self) -> None:
        self.player.post("round 1\ngo action 10000\n", self.bank)
        self.reply = await self.player.reply()
        self.replied.set()


@asynccontextmanager
async def asked(seconds: float | None = None) -> AsyncIterator[Seated]:
    """A person who is asked; the reply must come in the end."""
    seated = Seated(seconds)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(seated.ask)
        while seated.desk.question is None:
            await seated.news.next.wait()
        yield seated
        await seated.replied.wait()


async def test_an_answer_is_tried_and_explained_before_it_is_given() -> None:
    async with asked() as ann:
        number, question = ann.number, ann.desk.question
        assert question
        assert (question.request, question.lines) == ("go action 10000", ("round 1",))
        for wrong in ("move 1 2 3 4", f"move {ann.home} {ann.near} 99", "tea\x00", "x" * 70_000):
            (problem,) = (await ann.desk.hear(Give(number, wrong)))["refused"]
            assert problem.isprintable()
            assert not ann.replied.is_set()
        right = f"move {ann.home} {ann.near} 4"
        assert await ann.desk.hear(Give(number, right)) == {"given": number}
    assert ann.reply
    assert ann.reply.reply == Answer(right)


async def test_of_many_problems_the_first_are_told() -> None:
    async with asked() as ann:
        told = await ann.desk.hear(Give(ann.number, ",".join(["tea"] * 1000)))
        assert len(told["refused"]) == desk.PROBLEMS + 1
        assert told["refused"][-1] == "and 240 more"
        told = await ann.desk.hear(Give(ann.number, ",".join(["tea"] * desk.PROBLEMS)))
        assert len(told["refused"]) == desk.PROBLEMS
        await ann.desk.hear(Leave(ann.number))


async def test_a_page_that_comes_later_goes_on_with_what_another_holds() -> None:
    async with asked() as ann:
        await ann.desk.hear(Pick(ann.number, "auto 1 2", []))
        assert ann.desk.held == "auto 1 2"
        with ann.desk.open_page():
            assert (ann.desk.pages, ann.desk.here.is_set()) == (1, True)
        assert ann.desk.pages == 0
        await ann.desk.hear(Leave(ann.number))


async def test_only_the_first_answer_counts() -> None:
    """Two pages show the desk, or one is slow."""
    async with asked() as ann:
        number = ann.number
        for late in (number - 1, number + 1):
            assert await ann.desk.hear(Give(late, "No moves")) == {"late": late}
        assert await ann.desk.hear(Give(number, "No moves")) == {"given": number}
        for wish in (Give(number, "surrender"), Leave(number), Pick(number, "", [])):
            assert await ann.desk.hear(wish) == {"late": number}
        assert await ann.desk.hear(Help(number)) == {"examples": []}
    assert ann.reply
    assert ann.reply.reply == Answer("No moves")


async def test_what_helps() -> None:
    async with asked() as ann:
        number, home, near = ann.number, str(ann.home), str(ann.near)
        examples = (await ann.desk.hear(Help(number)))["examples"]
        assert len(examples) == 5
        told = await ann.desk.hear(Complete(number, "mo"))
        assert told == {"words": ["move"], "typed": "mo"}
        told = await ann.desk.hear(Pick(number, "", [home, near]))
        assert told["picks"] == [home, near]
        assert told["offer"].number == (1, 10, 10)
        held = f"move {home} {near} 4"
        told = await ann.desk.hear(Pick(number, held, [home, near, "7"]))
        assert told["picks"] == [home, near]  # there are 6
        assert (told["held"], told["signs"]) == (held, [((home, near), "4")])
        await ann.desk.hear(Give(number, held))


async def test_surrender_is_an_answer_where_the_game_has_it() -> None:
    async with asked() as ann:
        assert ann.desk.question
        assert ann.desk.question.surrender
        await ann.desk.hear(Leave(ann.number))
    assert ann.reply
    assert ann.reply.reply == Answer("surrender")
    assert ann.player.stopped is None


async def test_who_leaves_another_game_has_left() -> None:
    news, game = Notifier(), find_game("tncc")
    seat = PageDesk("Ann", news)
    player = HumanPlayer("Ann", seat, timed=False)
    player.sit(Table(game, Setup("7", 2, game.settings())), 0)
    player.post("go action 10000\n", SECOND * 60)
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def leave() -> None:
            while seat.question is None:
                await news.next.wait()
            assert not seat.question.surrender
            await seat.hear(Leave(seat.question.number))

        timed = await player.reply()
    assert timed.reply == Silence(Why.DEAD)
    assert player.stopped is Stopped.EXITED


async def test_what_is_held_is_given_when_the_time_is_nearly_over(
    still_clock: trio.testing.MockClock,
) -> None:
    async with asked(seconds=60) as ann:
        held = f"move {ann.home} {ann.near} 4"
        await ann.desk.hear(Pick(ann.number, held, [str(ann.home)]))
        still_clock.jump(desk._patience(60))
    assert ann.reply
    assert ann.reply.reply == Answer(held)


def test_the_end_of_the_time_leaves_room_for_a_trial() -> None:
    assert desk._patience(None) == float("inf")
    assert desk._patience(10) == pytest.approx(10 - desk.LAST)
    assert desk._patience(0.4) == pytest.approx(0.3)


async def test_what_is_held_and_wrong_is_not_given(
    still_clock: trio.testing.MockClock,
) -> None:
    async with asked(seconds=60) as ann:
        await ann.desk.hear(Pick(ann.number, "move 1 2", []))
        still_clock.jump(60.1)
    assert ann.reply
    assert ann.reply.reply == Silence(Why.LATE)
    assert ann.desk.question is None


async def test_a_page_that_opens_late_shows_what_is_left_of_the_whole_time(
    still_clock: trio.testing.MockClock,
) -> None:
    async with asked(seconds=60) as ann:
        game, question = find_game("hextrategic"), ann.desk.question
        assert question
        assert question.deadline
        header = Header(FORMAT, game.name, game.rules_version, "7", {}, ["Ann", "Bob"])
        story = LiveSeatStory(0, None, empty_story(Match(header, ()), game, None))
        late = replace(question, deadline=question.deadline - 45)  # it opens 45 seconds later
        for shown, left in ((question, 60), (late, 15)):
            known = Known([], story, [0], shown, "")
            *_, message = Messages().news(known)
            assert message["turn"]["seconds"] == pytest.approx(left)
            assert message["turn"]["whole"] == pytest.approx(60)
        await ann.desk.hear(Leave(ann.number))


async def test_who_passes_the_limit_unseen_has_given_up() -> None:
    seated = Seated(None, limit=0.2)
    before = trio.current_time()
    assert await _asked(seated) == Answer("surrender")
    assert trio.current_time() - before >= 0.2


async def test_who_is_there_may_miss_the_limit_once() -> None:
    """Not twice in a row: a page that is open says nothing of a person."""
    passed, gave_up = Answer("No moves"), Answer("surrender")
    seated = Seated(None, limit=0.2)
    with seated.desk.open_page():
        assert await _asked(seated) == passed
        seated.desk._limit = 60
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_pass, seated)
            assert await _asked(seated) == passed
        seated.desk._limit = 0.2
        assert await _asked(seated) == passed
        assert await _asked(seated) == gave_up


async def _asked(seated: Seated) -> object:
    seated.player.post("go action 1000\n", seated.bank)
    return (await seated.player.reply()).reply


async def _pass(seated: Seated) -> None:
    while seated.desk.question is None:
        await seated.news.next.wait()
    question = seated.desk.question
    assert question.seconds == 60
    assert await seated.desk.hear(Give(question.number, "No moves")) == {"given": question.number}
