"""Which line answers a request, what becomes of the others, and the caps on what a program may
write."""

from __future__ import annotations

import os
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from arena.core.limits import Limits
from arena.core.replies import Violation
from arena.players.inbox import BLANK_ACCEPTED_AFTER, LONE_BLANKS, Doubt, HeldLine, Inbox
from arena.players.pipes import unread_bytes
from arena.players.timing import Moment, Request, Usage
from arena.record.format import Answered, Silent
from arena.record.source import read_records
from tests.sandbox.programs import linux_only
from tests.support import live
from tests.support.fake import (
    MS,
    Bot,
    FakeMeter,
    MockClock,
    faults,
    first_fault,
    obedient,
    play,
    thinks,
)


def inbox(violations: list[Violation] | None = None, **limits: int) -> Inbox:
    return Inbox(Limits(**limits), [] if violations is None else violations)


def now() -> Moment:
    return Moment(1.0)


def test_the_match_has_a_cap_beside_that_of_the_turn() -> None:
    box = inbox(match_output=100)
    for _ in range(10):
        box.open_turn()
        box.take(b"123456789\n", now, asked=True)
        assert box.broken == ""
    box.open_turn()
    box.take(b"1\n", now, asked=True)
    assert box.broken == "used 102 of 100 bytes of stdout in the match"


@pytest.mark.parametrize(
    ("data", "broken"),
    [
        (b"x" * 90, ""),
        (b"x" * 101, "used 101 of 100 bytes of stdout in one turn"),
        (b"x" * 65537, "a line longer than 65536 bytes on stdout"),
    ],
)
def test_a_turn_has_a_cap(data: bytes, broken: str) -> None:
    box = inbox(turn_output=100)
    box.take(data, now, asked=True)
    assert box.broken == broken


def test_what_is_there_when_a_turn_opens_is_dropped() -> None:
    violations: list[Violation] = []
    box = inbox(violations)
    box.missed_replies = 1
    box.take(b"7\n8\n\n", now, asked=True)
    box.open_turn()
    assert not box.lines
    assert box.missed_replies == 0
    assert [(fault.code, fault.count) for fault in violations] == [
        ("late", 1),
        ("excess", 1),
    ]


def test_the_clocks_are_read_only_when_a_line_is_complete() -> None:
    reads = []

    def count() -> Moment:
        reads.append(1)
        return Moment(len(reads))

    box = inbox()
    box.take(b"ab", count, asked=True)
    assert not reads
    box.take(b"c\nd\n", count, asked=True)
    assert list(box.lines) == [(b"abc", Moment(1)), (b"d", Moment(1))]


# -- in whole matches ------------------------------------------------------------------------------


async def test_a_blank_line_stands_after_20_ms(autojump_clock: MockClock) -> None:
    async def blank(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say("  \r\n")

    start = trio.current_time()
    result = await play(blank, obedient)
    assert faults(result) == {}
    assert result.seats[0].last_answer == ""
    assert result.seats[0].tally.charged.total < 1e6  # the wait is ours, not charged
    assert trio.current_time() - start == pytest.approx(LONE_BLANKS * 0.020, abs=0.01)


@pytest.mark.parametrize(("pause", "bid"), [(0.0, "3"), (0.019, "3"), (0.021, "")])
async def test_a_line_soon_after_a_blank_one_is_the_answer(
    autojump_clock: MockClock, pause: float, bid: str
) -> None:
    async def stray(bot: Bot) -> None:
        await bot.request()
        await bot.say("\n")
        await trio.sleep(pause)
        await bot.say("3\n")
        await trio.sleep_forever()

    result = await play(stray, thinks(0.5), max_rounds=1)
    assert result.seats[0].last_answer == bid


async def test_a_stray_blank_line_behind_each_answer_does_no_harm(
    autojump_clock: MockClock,
) -> None:
    async def stray(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say("1\n\n")

    result = await play(stray, obedient)
    assert faults(result) == {}
    assert result.seats[0].last_answer == "1"


async def test_a_blank_line_before_the_deadline_stands_at_the_deadline(
    autojump_clock: MockClock,
) -> None:
    async def blank(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(0.99)
        await bot.say("\n")
        await trio.sleep_forever()

    result = await play(blank, obedient, timebank=1000, max_rounds=1)
    assert faults(result) == {}


async def test_crlf_is_taken_and_remarked_upon(autojump_clock: MockClock, tmp_path: Path) -> None:
    async def windows(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say(" 1 \r\n")

    result = await play(windows, obedient)
    assert faults(result) == {}
    assert result.seats[0].last_answer == "1"


@pytest.mark.parametrize("raw", [b"\xff1\n", b"1\x002\n", b"\xe2\x28, 1\n"])
async def test_what_is_not_text_is_one_malformed_word(
    autojump_clock: MockClock, raw: bytes
) -> None:
    async def garbled(bot: Bot) -> None:
        await bot.request()
        await bot.say(raw)
        await trio.sleep_forever()

    result = await play(garbled, obedient, max_rounds=1)
    assert faults(result) == {"bid": 1, "garbled": 1}
    answer = result.seats[0].last_answer
    assert answer.isprintable()
    assert not set(answer) & set(" ,")


@pytest.mark.parametrize("separator", ["\r", "\u2028", "\x0b", "\x85"])
async def test_only_lf_ends_a_line(autojump_clock: MockClock, separator: str) -> None:
    async def odd(bot: Bot) -> None:
        await bot.request()
        await bot.say(f"1{separator}2\n")
        await trio.sleep_forever()

    result = await play(odd, obedient, max_rounds=1)
    assert faults(result) == {"bid": 1}


# -- blank lines, lateness and duplicates ----------------------------------------------------------


SLACK: dict[str, Any] = {"timebank": 1000, "time_per_move": 1000, "max_timeouts": 99}


def answers(path: Path, seat: int = 0) -> list[str | None]:
    """What was taken as the answer to each request; None for none."""
    replies = [r for r in read_records(path) if isinstance(r, Answered | Silent)]
    return [getattr(reply, "text", None) for reply in replies if reply.seat == seat]


async def test_a_late_answer_and_its_stray_blank_line_answer_nothing_else(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """The bot prints each answer and a blank line, and is late by more than a bank once. It reads
    requests ahead: when its blank line comes, it is at work on the next answer."""

    async def scenario(bot: Bot) -> None:
        bot.meter.is_ready = True
        for number in range(1, 9):
            await bot.request()
            await trio.sleep(2.5 if number == 2 else 0.1)
            await bot.say(f"{number}\n")
            await trio.sleep(0.001)
            await bot.say("\n")

    path = tmp_path / "r.jsonl"
    result = await play(scenario, obedient, replay=path, **SLACK, max_rounds=8)
    assert answers(path) == ["1", None, None, "4", "5", "6", "7", "8"]
    assert faults(result)["late"] == 2


async def test_a_blank_answer_soon_behind_an_answer_with_text_is_one(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """Each is given a millisecond after its request, and then the bot rests."""

    async def scenario(bot: Bot) -> None:
        for number in range(1, 9):
            await bot.request()
            await trio.sleep(0.001)
            await bot.say(f"{number}\n" if number % 2 else "\n")
        await trio.sleep(0.1)

    path = tmp_path / "r.jsonl"
    result = await play(scenario, obedient, replay=path, **SLACK, max_rounds=8)
    assert answers(path) == ["1", "", "3", "", "5", "", "7", ""]
    assert "timeout" not in faults(result)


async def test_a_doubtful_blank_line_of_a_program_at_work_is_no_answer(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """Whether the program had read the request or not, when the line came."""

    async def scenario(bot: Bot) -> None:
        await bot.request()
        await bot.say("1\n")
        await bot.request()
        bot.meter.is_ready = True
        await bot.say("\n")
        await trio.sleep(0.5)
        await bot.say("2\n")
        await bot.request()

    path = tmp_path / "r.jsonl"
    await play(scenario, obedient, replay=path, **SLACK, max_rounds=2)
    assert answers(path) == ["1", "2"]


async def test_a_duplicate_answer_is_excess_when_the_seat_is_asked_again_at_once(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """The second copy comes when the next request is out: but the bot has not read that."""

    async def twice(bot: Bot) -> None:
        for number in range(1, 6):
            await bot.request()
            for _ in range(2):
                await bot.say(f"{number}\n")
                await trio.testing.wait_all_tasks_blocked()  # the arena has looked

    path = tmp_path / "r.jsonl"
    result = await play(twice, obedient, replay=path)
    assert answers(path) == ["1", "2", "3", "4", "5"]
    assert faults(result)["excess"] == 4


async def test_a_request_that_was_read_in_part_may_be_answered(
    autojump_clock: MockClock,
) -> None:
    async def hasty(bot: Bot) -> None:
        while True:
            await trio.lowlevel.wait_readable(bot.child.bot_stdin)
            while unread_bytes(bot.child.bot_stdin) >= len(b" bid 10000\n"):
                os.read(bot.child.bot_stdin, 1)
            await bot.say("1\n")
            await trio.sleep(0.01)
            os.read(bot.child.bot_stdin, 100)

    assert faults(await play(hasty, obedient, max_rounds=1)) == {}


async def read_one(bot: Bot) -> None:
    """Read to the end of a request, and no byte more."""
    line = b""
    while not line.startswith(b"go"):
        line = b""
        while not line.endswith(b"\n"):
            await trio.lowlevel.wait_readable(bot.child.bot_stdin)
            byte = os.read(bot.child.bot_stdin, 1)
            if not byte:
                raise EOFError
            line += byte


async def read_all(bot: Bot) -> None:
    """Read what is there, as buffers do."""
    await bot.request()


STRAYS = [["n"], ["n", ""], [""]]
ANYTHING = [*STRAYS, ["n"], ["", "n"], ["n", "n"], ["n", "", "n"], ["", ""]]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("read", "kinds"), [(read_all, STRAYS), (read_one, ANYTHING)])
async def test_no_line_answers_another_request_than_its_own(
    autojump_clock: MockClock,
    tmp_path: Path,
    seed: int,
    read: Callable[[Bot], Awaitable[None]],
    kinds: list[list[str]],
) -> None:
    """Property: whatever a bot prints beside its answers, and however late it is, the text that is
    taken as the answer to a request is what it printed for that one. (A bot that reads requests
    ahead is only protected against stray blank lines, and only while it does not rest.)"""
    chance = random.Random(seed)

    async def scenario(bot: Bot) -> None:
        for number in range(1, 99):
            await read(bot)
            bot.meter.is_ready = True
            await trio.sleep(chance.choice([0.0, 0.001, 0.1, 0.9, 1.2, 2.4]))
            for line in chance.choice(kinds):
                await bot.say(f"{number}\n" if line else "\n")
                await trio.testing.wait_all_tasks_blocked()  # the arena has looked
                await trio.sleep(chance.choice([0.0, 0.0, 0.001, 0.015]))
            bot.meter.is_ready = False

    path = tmp_path / "r.jsonl"
    await play(scenario, thinks(0.3), replay=path, **SLACK, max_rounds=30)
    taken = answers(path)
    assert len(taken) == 30
    for number, text in enumerate(taken, 1):
        assert text in (None, "", str(number))


async def test_a_bot_that_answers_with_single_blank_lines_is_not_waited_for(
    autojump_clock: MockClock,
) -> None:
    async def blank(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say("\n")

    start = trio.current_time()
    result = await play(blank, obedient, max_rounds=100)
    assert faults(result) == {}
    assert trio.current_time() - start == pytest.approx(LONE_BLANKS * 0.020, abs=0.001)


async def test_the_habit_is_forgotten_when_a_line_follows(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """A stray blank line of such a bot is its answer once; then it is waited for again."""

    async def scenario(bot: Bot) -> None:
        for number in range(1, 12):
            await bot.request()
            await bot.say("\n")
            if number > LONE_BLANKS + 1:
                await trio.sleep(0.005)
                await bot.say(f"{number}\n")

    path = tmp_path / "r.jsonl"
    result = await play(scenario, thinks(0.1), replay=path, max_rounds=10, purse=1000)
    assert answers(path) == ["", "", "", "", "", "6", "7", "8", "9", "10"]
    assert faults(result) == {"excess": 1}


async def test_two_blank_lines_make_no_habit(autojump_clock: MockClock) -> None:
    async def blank(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say("\n")
            await trio.sleep(0.01)
            await bot.say("\n")

    start = trio.current_time()
    assert faults(await play(blank, obedient, max_rounds=20)) == {}
    assert trio.current_time() - start >= 20 * 0.020


async def test_a_late_blank_answer_keeps_a_bot_with_that_habit_in_step(
    autojump_clock: MockClock,
) -> None:
    async def blank(bot: Bot) -> None:
        for number in range(1, 21):
            await bot.request()
            await trio.sleep(1.5 if number == 8 else 0.03)
            await bot.say("\n")

    result = await play(blank, obedient, **SLACK, max_rounds=20)
    assert faults(result) == {"timeout": 1, "late": 1}


# -- a line in the place of an answer --------------------------------------------------------------


async def test_one_skipped_answer_costs_two_requests_at_most_and_not_all_that_follow(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """The line for request 3 may be the missing one. When its time is over the bot has read that
    request and rests: it waits for the next one, so nothing else will come."""

    async def scenario(bot: Bot) -> None:
        for number in range(1, 9):
            await bot.request()
            if number != 2:
                await bot.say(f"{number}\n")

    path = tmp_path / "r.jsonl"
    result = await play(scenario, obedient, replay=path, **SLACK, purse=1000, max_rounds=8)
    assert answers(path) == ["1", None, "3", "4", "5", "6", "7", "8"]
    assert faults(result) == {"timeout": 1, "behind": 1}
    assert first_fault(result, "behind").endswith("since then: 3")
    assert result.seats[0].tally.costs[2].charged < MS  # the wait is ours


async def test_a_bot_that_answers_with_blank_lines_may_skip_one(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async def scenario(bot: Bot) -> None:
        for number in range(1, 9):
            await bot.request()
            if number != 2:
                await bot.say("\n")

    path = tmp_path / "r.jsonl"
    result = await play(scenario, thinks(0.1), replay=path, **SLACK, purse=1000, max_rounds=8)
    assert answers(path) == ["", None, *[""] * 6]
    assert faults(result) == {"timeout": 1, "behind": 1}


async def test_a_late_answer_of_a_bot_that_works_on_is_never_the_next_one(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """It reads requests ahead, and works on request 3 beyond its time when it has answered 2."""

    async def scenario(bot: Bot) -> None:
        for number in range(1, 6):
            await bot.request()
            bot.meter.is_ready = True
            await trio.sleep({2: 2.1, 3: 1.5}.get(number, 0.01))
            await bot.say(f"{number}\n")
            bot.meter.is_ready = number == 2

    path = tmp_path / "r.jsonl"
    result = await play(scenario, obedient, replay=path, **SLACK, purse=1000, max_rounds=8)
    assert answers(path)[:2] == ["1", None]
    assert not {"2", "3"} & set(answers(path))
    assert "behind" not in faults(result)


async def test_a_blank_answer_behind_an_excess_line_is_one(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async def scenario(bot: Bot) -> None:
        for number in range(1, 9):
            await bot.request()
            await bot.say("\n" if number == 3 else f"{number}\n")
            if number == 2:
                await bot.say("debug\n")

    path = tmp_path / "r.jsonl"
    result = await play(scenario, thinks(0.005), replay=path, **SLACK, purse=1000, max_rounds=8)
    assert answers(path) == ["1", "2", "", "4", "5", "6", "7", "8"]
    assert faults(result) == {"excess": 1}


async def test_a_doubtful_blank_line_stands_when_the_time_is_over(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """Also of a bot that computes all the time: else it would be a missed answer."""

    async def scenario(bot: Bot) -> None:
        bot.meter.is_ready = True
        for number in range(1, 4):
            await bot.request()
            await bot.say("\n" if number == 2 else f"{number}\n")
            await trio.sleep(0.005)
            bot.meter.cpu += 5 * MS

    path = tmp_path / "r.jsonl"
    result = await play(scenario, thinks(0.01), replay=path, **SLACK, purse=1000, max_rounds=3)
    assert answers(path) == ["1", "", "3"]
    assert faults(result) == {}


async def test_a_blank_answer_before_the_exit_is_one(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async def scenario(bot: Bot) -> None:
        await bot.request()
        await bot.say("\n")

    path = tmp_path / "r.jsonl"
    result = await play(scenario, obedient, replay=path, **SLACK, purse=1000, max_rounds=2)
    assert answers(path) == ["", None]
    assert faults(result) == {"exited": 1}


async def test_the_20_ms_of_a_blank_line_are_those_of_the_program(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """It waits for a core for 50 ms between its blank line and its answer."""

    async def scenario(bot: Bot) -> None:
        await bot.request()
        await bot.say("\n")
        bot.meter.is_ready = True
        await trio.sleep(0.05)
        await bot.say("1\n")
        bot.meter.is_ready = False
        await bot.request()
        await bot.say("\n")
        bot.meter.is_ready = True  # it computes after its answer
        for _ in range(6):
            await trio.sleep(0.005)
            bot.meter.cpu += 5 * MS
        await bot.say("2\n")

    path = tmp_path / "r.jsonl"
    await play(scenario, thinks(0.1), replay=path, **SLACK, purse=1000, max_rounds=2)
    assert answers(path) == ["1", ""]


async def test_a_stray_blank_line_that_waited_for_a_core_pays_no_debt(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async def scenario(bot: Bot) -> None:
        bot.meter.is_ready = True
        for number in range(1, 7):
            await bot.request()
            await trio.sleep(2.5 if number == 2 else 0.1)
            await bot.say(f"{number}\n")
            await trio.sleep(0.05)
            assert bot.meter.delay is not None
            bot.meter.delay += 49 * MS
            await bot.say("\n")

    path = tmp_path / "r.jsonl"
    await play(scenario, obedient, replay=path, **SLACK, purse=1000, max_rounds=6)
    assert answers(path) == ["1", None, None, "4", "5", "6"]


SECOND = """
import os
number = 0
while data := os.read(0, 65536):
    for line in data.split(b"\\n"):
        if line.startswith(b"go"):
            number += 1
            os.write(1, b"%d\\n" % (number % 3))
            os.write(1, b"debug\\n")
"""


@linux_only
def test_a_second_line_in_a_write_of_its_own_answers_no_request(tmp_path: Path) -> None:
    """It comes when the next request is out: the arena waits until such a program rests, once it
    knows it."""
    path = tmp_path / "r.jsonl"
    second = live.program("-I", "-S", "-c", SECOND)
    report = live.play(second, second, replay=path, max_rounds=200, purse=1000)
    for seat in (0, 1):
        assert answers(path, seat).count("debug") <= 5  # a busy machine takes a core away
        assert report.players[seat].faults["excess"] >= 195


# -- which line answers, to the millisecond --------------------------------------------------------


def found(box: Inbox, *arrivals: tuple[bytes, float], bank: int = 10**9) -> object:
    """What decides a request from second 0 with a bank of a second, of lines and their times."""
    for line, when in arrivals:
        box.take(line, lambda when=when: Moment(when), asked=True)  # type: ignore[misc]
    return box.find(Request(bank, 1, Moment(0.0), Usage(FakeMeter())))


@pytest.mark.parametrize(
    ("second", "answer"),
    [(0.1, b"7"), (0.119999, b"7"), (0.1 + BLANK_ACCEPTED_AFTER, b""), (0.2, b"")],
)
def test_a_blank_line_stands_exactly_20_ms_later(second: float, answer: bytes) -> None:
    box = inbox()
    came = 0.1 if answer == b"" else second
    assert found(box, (b"\n", 0.1), (b"7\n", second)) == (answer, Moment(came))
    assert [line for line, _ in box.lines] == ([b"7"] if answer == b"" else [])


def test_a_blank_line_stands_at_the_deadline_at_the_latest() -> None:
    box = inbox()
    assert found(box, (b" \n", 0.995), (b"7\n", 1.0)) == (b"", Moment(0.995))


def test_a_blank_line_at_the_deadline_is_late() -> None:
    assert found(inbox(), (b"\n", 1.0)) == (b"", Moment(1.0))
    box = inbox()
    assert found(box, (b"\n", 0.999)) is None
    assert box.held == HeldLine(b"", Moment(0.999), Doubt.PAUSE)


def test_only_the_first_blank_line_counts() -> None:
    box = inbox()
    assert found(box, (b"\n", 0.1), (b"\n", 0.11), (b"7\n", 0.125)) == (b"", Moment(0.1))


def test_an_owed_line_decides_nothing() -> None:
    violations: list[Violation] = []
    box = inbox(violations)
    box.missed_replies = 1
    assert found(box, (b"6\n7\n8\n", 0.1)) == (b"7", Moment(0.1))
    assert [(one.code, one.count) for one in violations] == [("late", 1)]
    assert len(box.lines) == 1


def test_a_request_begins_without_a_blank_line() -> None:
    box = inbox()
    found(box, (b"\n", 0.1))
    box.open_turn()
    assert box.held is None


@pytest.mark.parametrize(("count", "broken"), [(1000, ""), (1001, "used 1001 of 1000 lines")])
def test_a_turn_has_a_cap_on_lines(count: int, broken: str) -> None:
    box = inbox()
    box.take(b"\n" * count, now, asked=True)
    assert box.broken.startswith(broken)
    assert bool(box.broken) == bool(broken)


def test_the_caps_themselves_are_allowed() -> None:
    box = inbox(turn_output=10, match_output=20)
    box.take(b"x" * 9 + b"\n", now, asked=True)
    box.open_turn()
    box.take(b"x" * 9 + b"\n", now, asked=True)
    assert box.broken == ""


# -- the habit of blank answers --------------------------------------------------------------------


def waited_for(box: Inbox) -> int:
    """How many single blank answers are waited for before one stands at once."""
    for number in range(9):
        box.open_turn()
        if found(box, (b"\n", 0.1 * (number + 1))) is not None:
            return number
        box.accept_held()
    return 9


def unasked(box: Inbox) -> None:
    """A line with text while nothing is asked."""
    box.take(b"7\n", lambda: Moment(-1.0), asked=False)


def two_at_once(box: Inbox) -> None:
    """A blank answer that does not stay alone."""
    found(box, (b"\n", 0.1), (b"\n", 0.11))
    box.accept_held()


def text_behind_blank(box: Inbox) -> None:
    """A line with text soon after a blank one: that is the answer."""
    box.open_turn()
    found(box, (b"\n", 0.01), (b"7\n", 0.015))


@pytest.mark.parametrize("event", [unasked, two_at_once, text_behind_blank])
def test_the_habit_begins_anew(event: Callable[[Inbox], None]) -> None:
    box = inbox()
    assert waited_for(box) == LONE_BLANKS
    event(box)
    assert waited_for(box) == LONE_BLANKS


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"1",
        b"\n",
        b"  \n",
        b"1\r\n",
        b"1\n2\n",
        b"1\n\n",
        b"a\tb\n",
        b"a\0b\n",
        b"\xff\n",
        b"123456789\n",
    ],
)
def test_what_is_not_plain_is_not_taken(data: bytes) -> None:
    box = inbox(turn_output=9)
    assert box.take_plain(data, 5.0) is None
    assert box.take_plain(b" 1 \n", 5.0) == "1"


def test_plain_lines_count_for_the_cap_of_the_match() -> None:
    box = inbox(match_output=5)
    taken = [box.take_plain(b"1\n", 5.0) for _ in range(3)]
    assert taken == ["1", "1", None]


def test_a_blank_line_soon_behind_a_plain_one_is_doubtful() -> None:
    box = inbox()
    box.take_plain(b"1\n", 5.0)
    found(box, (b"\n", 5.019))
    assert box.held is not None
    assert box.held.doubt is Doubt.STRAY


def test_an_inbox_rests_when_nothing_is_open() -> None:
    box = inbox()
    assert box.at_rest
    box.take(b"par", now, asked=True)
    assert not box.at_rest
    box.take(b"t\n", now, asked=False)
    assert box.at_rest
    box.missed_replies = 1
    assert not box.at_rest
