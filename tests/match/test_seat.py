"""The mail of a seat, and what it tells of a missed answer."""

from __future__ import annotations

import pytest
import trio

from arena.core.clock import Clock as ByClock
from arena.core.clock import open_bank
from arena.core.replies import Answer, Cost, Silence, TimedReply, Why
from arena.core.steps import Ask
from arena.match.seat import Seat, missed_text
from arena.players.inprocess import silent
from tests.support.fake import MS, Bot, MockClock, first_fault, obedient, play


async def test_a_timeout_says_wall_cpu_and_delay(autojump_clock: MockClock) -> None:
    async def starved(bot: Bot) -> None:
        await bot.request()
        bot.meter.cpu += 12 * MS
        bot.meter.delay = 430 * MS
        await trio.sleep_forever()

    result = await play(starved, obedient, timebank=500, max_rounds=1)
    assert first_fault(result, "timeout") == (
        "no answer to 'go bid' within 500 ms (used 12 ms of CPU; ready but not run for 430 ms)"
    )


def seat() -> Seat:
    return Seat(0, silent(), open_bank(1000, 0, runs=True))


def test_all_lines_go_in_one_mail() -> None:
    one = seat()
    assert one.mail() == ""
    one.outbox += ["a", "", "b"]
    assert one.mail() == "a\n\nb\n"
    assert one.mail() == ""


@pytest.mark.parametrize("line", ["b\nc", "\n", "b\n", "é", "\udcff"])
def test_what_is_no_line_of_ascii_text_is_not_mailed(line: str) -> None:
    one = seat()
    one.outbox += ["a", line]
    with pytest.raises(ValueError, match="one line of ASCII text"):
        one.mail()


def test_what_a_program_wrote_before_it_is_asked_is_of_the_round_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is read at the next request, where its answer came at once."""
    one, read_in = seat(), []
    monkeypatch.setattr(one.player, "post", lambda *_: read_in.append(one.asked_in))
    for number in (1, 2):
        one.ask(Ask(0, "go"), number)
    assert (read_in, one.asked_in) == ([0, 1], 2)


def test_a_seat_pays_what_a_reply_was_charged_and_not_its_real_time() -> None:
    one = seat()
    one.enter(TimedReply(Answer("x"), Cost(100 * MS, 700 * MS, 50 * MS)))
    assert one.bank.left_ms == 900


def test_a_seat_without_a_clock_pays_nothing() -> None:
    one = Seat(0, silent(), open_bank(1000, 0, runs=True), untimed=True)
    entered = one.enter(TimedReply(Answer("x"), Cost(100 * MS, 700 * MS)))
    assert (one.bank.left_ms, entered.cost.charged, entered.cost.wall) == (1000, 0, 700 * MS)


def test_a_player_without_a_meter_has_no_evidence() -> None:
    heard = TimedReply(Silence(Why.LATE), Cost(500 * MS))
    assert missed_text(Ask(0, "go"), heard, ByClock.WALL) == "no answer to 'go' within 500 ms"


def test_a_wait_that_real_time_ended_says_so() -> None:
    cost = Cost(500 * MS, 6000 * MS, 12 * MS)
    assert missed_text(Ask(0, "go"), TimedReply(Silence(Why.LATE), cost), ByClock.CPU) == (
        "no answer to 'go' within 500 ms of CPU time "
        "(used 12 ms of CPU; given up after 6000 ms of real time)"
    )
