"""All listeners as one: each hears what it wants to hear, in order."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from arena.core.game import Setup
from arena.core.listener import Listener
from arena.core.replies import TimedReply, Violation
from arena.core.steps import Ask, Fate, Frame, Note, Outcome, Script, Show, Step, Stop, Tell
from arena.core.table import Table
from arena.core.tally import SeatTotals
from arena.match.referee import Audience, Referee
from arena.players.inprocess import silent
from tests.support.fake import Bot, MockClock, fake_program, mute, obedient
from tests.tiny import TINY, TinySettings, TinyWorld


class Diary(Listener):
    """Writes down all that it hears."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    def steps(self, steps: Sequence[Step | Ask | Outcome]) -> None:
        self.heard += steps

    def replied(self, seat: int, timed: TimedReply, bank_ms: int) -> None:
        self.heard.append(("replied", seat, bank_ms))

    def violated(self, seat: int, violation: Violation) -> None:
        self.heard.append((seat, violation.code, violation.fault))

    def flush(self) -> None:
        self.heard.append("flush")

    async def shown(self, frame: Frame) -> None:
        self.heard.append(f"shown {frame['round']}")

    def totals(self, totals: SeatTotals) -> None:
        self.heard.append((totals.seat, totals.tally.requests))


class Groups(Listener):
    """Keeps the kinds of what it is told at a time."""

    def __init__(self) -> None:
        self.heard: list[list[type]] = []

    def steps(self, steps: Sequence[Step | Ask | Outcome]) -> None:
        self.heard.append([type(step) for step in steps])


class Counter(Listener):
    """Hears replies only."""

    def __init__(self) -> None:
        self.count = 0

    def replied(self, seat: int, timed: TimedReply, bank_ms: int) -> None:
        self.count += 1


async def test_a_whole_match_is_heard_in_order(autojump_clock: MockClock) -> None:
    diary, counter = Diary(), Counter()
    table = Table(TINY, Setup("1", 2, TinySettings(max_rounds=1)))
    await Referee(table, [silent(), silent()], listeners=[diary, counter]).run()
    kinds = [one if type(one) in (str, tuple) else type(one) for one in diary.heard]
    assert kinds == [
        *(Show, "shown 0", Tell, Tell, Tell, Tell, Ask, Ask),
        *(("replied", 0, 10000), ("replied", 1, 10000), Show, "shown 1", Outcome),
        *((0, 1), (1, 1)),
    ]
    assert counter.count == 2


async def test_a_group_ends_with_what_more_comes_of(autojump_clock: MockClock) -> None:
    def script(world: TinyWorld) -> Script:
        yield Tell(0, "x")
        yield Show({"round": 0, "rounds": 1})
        for _ in range(2):
            yield (Ask(0, "go bid"),)
        yield Tell(0, "x")
        yield Note(0, "bid", "x")
        yield Stop(0, "timeouts")
        yield Tell(1, "x")
        return Outcome((1, 1), (0, 0), (Fate.SURVIVED, Fate.SURVIVED), "done", "Done.")

    groups = Groups()
    table = Table(dataclasses.replace(TINY, script=script), Setup("1", 2, TinySettings()))
    async with fake_program(mute) as one, fake_program(obedient) as two:
        await Referee(table, [one, two], listeners=[groups]).run()
    assert groups.heard == [[Tell, Show], [Ask], [Ask], [Tell, Note, Stop], [Tell], [Outcome]]


async def test_every_listener_hears_of_a_wait_and_of_violations(autojump_clock: MockClock) -> None:
    async def windows(bot: Bot) -> None:
        await bot.request()
        await bot.say("30\r\n")

    first, second = Diary(), Diary()
    table = Table(TINY, Setup("1", 2, TinySettings(max_rounds=1)))
    async with fake_program(windows) as one, fake_program(obedient) as two:
        await Referee(table, [one, two], listeners=[first, second]).run()
    assert first.heard == second.heard
    assert first.heard.count("flush") == 1
    assert (0, "crlf", False) in first.heard
    assert [one.code for one in first.heard if isinstance(one, Note)] == ["bid"]


def test_what_no_listener_wants_to_hear_is_not_called() -> None:
    audience = Audience([Counter(), Listener()])
    unheard = (audience.steps, audience.flush, audience.totals, audience.violated)
    assert unheard == (None, None, None, None)
    assert audience.replied is not None
