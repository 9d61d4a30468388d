"""The referee: one match between players, around a table.

The referee carries lines to the players and replies to the table, keeps the clocks, and tells its
listeners (`arena.core.listener`) what happens. It decides nothing about the game.

Lines for a player are collected and sent in one write with the next request. Requests that are open
at once are all written before the referee waits for any answer. An answer that is there at the
first look, or within a millisecond, costs no trip through the scheduler (`waiting`); only for a
later answer does the referee wait.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec

import trio
from msgspec import Struct

from arena.core.clock import Clock
from arena.core.listener import Listener
from arena.core.replies import Reply, Silence, TimedReply, Violation
from arena.core.steps import Ask, Asks, Frame, Note, Outcome, Show, Step, Stop, Tell
from arena.core.table import Table
from arena.errors import MachineError, UsageError
from arena.match.seat import Seat, missed_text, seats_of
from arena.match.waiting import Lookout, side_by_side
from arena.players.player import Player, Stopped
from arena.text import counted

if TYPE_CHECKING:
    from arena.record.position import Prefix

# All listeners of a match, combined into one.

P = ParamSpec("P")


class Audience:
    """Calls the listeners of a match. Each attribute calls all listeners that override the method;
    None without one, which saves the call. Bound once, because a match makes thousands of calls."""

    __slots__ = ("flush", "replied", "shown", "steps", "totals", "violated", "wrote")

    def __init__(self, listeners: Iterable[Listener]) -> None:
        all_of = tuple(listeners)
        base = Listener
        self.steps = _joined([one.steps for one in all_of if type(one).steps is not base.steps])
        self.replied = _joined(
            [one.replied for one in all_of if type(one).replied is not base.replied]
        )
        self.violated = _joined(
            [one.violated for one in all_of if type(one).violated is not base.violated]
        )
        self.flush = _joined([one.flush for one in all_of if type(one).flush is not base.flush])
        self.totals = _joined([one.totals for one in all_of if type(one).totals is not base.totals])
        self.wrote = _joined([one.wrote for one in all_of if type(one).wrote is not base.wrote])
        shown = [one.shown for one in all_of if type(one).shown is not base.shown]
        self.shown = _one_by_one(shown) if shown else None


def _joined(hearers: Sequence[Callable[P, None]]) -> Callable[P, None] | None:
    if len(hearers) < 2:
        return hearers[0] if hearers else None

    def tell_all(*args: P.args, **kwargs: P.kwargs) -> None:
        for hear in hearers:
            hear(*args, **kwargs)

    return tell_all


def _one_by_one(
    hearers: Sequence[Callable[[Frame], Awaitable[None]]],
) -> Callable[[Frame], Awaitable[None]]:
    async def show_each(frame: Frame) -> None:
        for hear in hearers:
            await hear(frame)

    return show_each


# Suspension of the machine during the match.
#
# An arena that was held up costs no bot its answer (`arena.players.timing`), so load is no reason
# to void a match. A suspension is: while the machine sleeps, neither clock nor bot can be trusted,
# and the bots of a match may wake up at different times. Nothing polls for it. All times are
# monotonic, so that setting the clock of the machine changes nothing.

SLEEP_LIMIT = 1.0
"""Seconds of apparent suspension that are ignored: the two clocks are not read at the same time."""


class Fairness:
    """Checks that the machine keeps one match fair. Create it at the start of the match."""

    def __init__(self) -> None:
        self._suspended = suspended()

    def check_sleep(self) -> None:
        """Raise MachineError when the machine was suspended since the start."""
        slept = suspended() - self._suspended
        if slept > SLEEP_LIMIT:
            raise MachineError(
                f"the machine was suspended for {slept:.0f} s: the match is void; run it again"
            )


def suspended() -> float:
    """Seconds of suspension since the machine was started; 0 where the system counts none."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


MOST_MISSED = 3
"""Missed answers before a position at which a program is stopped."""
YIELD_AFTER = 0.020
"""Seconds for which a match of instant players may run before other tasks on the loop get a turn.
"""


class FinishedMatch(Struct, frozen=True):
    """A finished match: its outcome, and every seat with its tally."""

    outcome: Outcome
    rounds: int
    requests: int
    wall_ms: float
    seats: tuple[Seat, ...]


class Referee:
    """Runs one match. Create one per match, and `run` it once."""

    def __init__(
        self,
        table: Table[Any],
        players: Sequence[Player],
        *,
        listeners: Iterable[Listener] = (),
        sequential: bool = False,
        clock: Clock = Clock.WALL,
        untimed: Collection[int] = (),
        past: Prefix | None = None,
    ) -> None:
        """`listeners` are called in order. `sequential` asks one after the other where requests
        could be open at once. `clock` is the clock that players are charged by; they read it. The
        seats `untimed` have none. `past` is that of the position at which the match begins."""
        self._table = table
        self.seats = self._seats = seats_of(table, players, untimed)
        self._audience = Audience(listeners)
        self._sequential = sequential
        self._clock = clock
        self._fairness = Fairness()
        self._lookout = Lookout()
        self._last_mail: list[str] = []
        self._past = past
        self._in_past = past is not None
        self._missed: Counter[int] = Counter()
        """Answers that each seat missed before the position."""
        self._unseen: Frame | None = None
        """The last frame of the past, which spectators see when the match begins."""
        self._round = -1  # the last round shown; the set-up is round 0
        self._yielded = 0.0
        self._now = trio.current_time

    async def run(self) -> FinishedMatch:
        """Play to the end, after which the players' watchers end too, whatever the cause.

        Raises MachineError when the machine kept the match from being fair.
        """
        self._now = trio.lowlevel.current_clock().current_time  # a third of `trio.current_time`
        start = trio.current_time()
        async with trio.open_nursery() as nursery:
            for seat in self._seats:
                self._seat_player(seat)
                nursery.start_soon(seat.player.watch)
            with self._lookout:
                outcome = await self._play()
            self._fairness.check_sleep()
            wall = trio.current_time() - start
            await side_by_side(self._finish, self._seats)
            nursery.cancel_scope.cancel()
        self._tell_the_end(outcome)
        requests = sum(seat.tally.requests for seat in self._seats)
        return FinishedMatch(
            outcome=outcome,
            rounds=max(self._round, 0),
            requests=requests,
            wall_ms=wall * 1000,
            seats=self._seats,
        )

    def _seat_player(self, seat: Seat) -> None:
        seat.player.sit(self._table, seat.index)
        if (wrote := self._audience.wrote) is not None:

            def hear(data: bytes) -> None:
                if not self._in_past:
                    wrote(seat.index, seat.asked_in, data)

            seat.player.stderr.hear = hear

    async def _play(self) -> Outcome:
        try:
            return await self._play_on()
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            fault = self._table.malformed()
            if fault is None:
                raise
            raise fault from error

    async def _play_on(self) -> Outcome:
        table, now = self._table, self._now
        ask = self._ask_in_turn if self._sequential else self._ask_at_once
        await self._carry_out(table.take(), table.asked)
        if self._past is not None:
            await self._learn(self._past)
        while table.outcome is None:
            if now() - self._yielded > YIELD_AFTER:
                await trio.lowlevel.checkpoint()
                self._yielded = now()
            table.answer_all(await ask(table.asked))
            await self._carry_out(table.take(), table.asked)
        self._last_mail = [seat.mail() for seat in self._seats]
        return table.outcome

    async def _finish(self, seat: Seat) -> None:
        await seat.player.finish(self._last_mail[seat.index])

    # -- steps -----------------------------------------------------------------------------

    async def _carry_out(self, steps: Sequence[Step], asks: Asks) -> None:
        """Carry out the steps of the script. Listeners hear of them, and of the requests that
        follow, in groups that end with each step that has consequences."""
        seats, told = self._seats, 0
        for count, step in enumerate(steps, 1):
            if type(step) is Tell:
                seats[step.seat].outbox.append(step.line)
            elif type(step) is Note:
                self._note(step)
            else:
                self._tell(steps[told:count])
                told = count
                await self._act(step)
        self._tell([*steps[told:], *asks])

    def _tell(self, steps: Sequence[Step | Ask | Outcome]) -> None:
        tell = self._audience.steps
        if steps and tell is not None:
            tell(steps)

    def _note(self, note: Note) -> None:
        if note.fault and not self._in_past:
            self._count_fault(self._seats[note.seat], note.code, note.detail)

    async def _act(self, step: Step) -> None:
        if type(step) is Show:
            is_first, self._round = self._round < 0, step.frame["round"]
            if self._in_past and not is_first:
                self._unseen = step.frame
            elif self._audience.shown is not None:
                await self._audience.shown(step.frame)
        elif type(step) is Stop:
            await self._stop(self._seats[step.seat], step.why)
        else:
            raise TypeError(f"{step!r} is not a step")

    def _count_fault(self, seat: Seat, code: str, detail: str, count: int = 1) -> None:
        seat.tally.count_fault(code, detail, self._round + 1, count)

    async def _stop(self, seat: Seat, why: str) -> None:
        if self._in_past:
            await self._keep_stopped(seat, Stopped(why))
            return
        if seat.player.stopped is None:
            missed = seat.tally.faults["timeout"].count
            await seat.player.shut_down(Stopped(why), f"missed {counted(missed, 'answer')}")
        self._see_stop(seat)

    # -- the past of a position --------------------------------------------------------------
    #
    # Each program is told what its seat was told, and asked what it was asked, as `rerun` does, so
    # that one with a memory answers as it did. The rules and the record get the given replies; what
    # the program answers counts for nothing. But its bank runs as in any match, or it could keep
    # this one from ever beginning; it is full again at the position.

    async def _learn(self, past: Prefix) -> None:
        """Carry the match to the position."""
        table = self._table
        for given in past.exchanges:
            if self._now() - self._yielded > YIELD_AFTER:
                await trio.lowlevel.checkpoint()
                self._yielded = self._now()
            if table.outcome is not None:
                raise UsageError(
                    "by these settings the match is over before the position: leave out those that "
                    "end it"
                )
            if len(given) != len(table.asked):
                raise UsageError("the answers of the position do not fit the rules: cut it again")
            for some in [(ask,) for ask in table.asked] if self._sequential else [table.asked]:
                await self._ask_again(some)
            self._hear_given(table.asked, given)
            table.answer_all(tuple([timed.reply for timed in given]))
            await self._carry_out(table.take(), table.asked)
        for seat in self._seats:
            if seat.index in past.gone:
                await self._keep_stopped(seat, Stopped.EXITED)
            seat.begin()
        self._in_past = False
        if self._unseen is not None and self._audience.shown is not None:
            await self._audience.shown(self._unseen)

    async def _ask_again(self, asks: Asks) -> None:
        """Ask, and drop the replies."""
        again = [ask for ask in asks if self._seats[ask.seat].player.is_asked_again]
        for ask in asks:
            if ask not in again:
                self._seats[ask.seat].mail()
        seats = [self._seats[ask.seat] for ask in again]
        for ask, seat in zip(again, seats, strict=True):
            seat.ask(ask, self._round + 1)
        players = [seat.player for seat in seats]
        found = self._lookout.look(players)
        if not all(found):
            self._flush()
            await self._lookout.wait_for(players, found)
        for ask, seat, timed in zip(again, seats, found, strict=True):
            assert timed is not None
            await self._look_into_past(seat, ask, timed)

    async def _look_into_past(self, seat: Seat, ask: Ask, timed: TimedReply) -> None:
        """Drop a reply and what was wrong with it, but see the end of its program."""
        player, reply = seat.player, timed.reply
        player.take_violations()
        if not seat.untimed:
            seat.bank.spend(timed.cost.charged)
        if type(reply) is Silence and reply.missed:
            self._missed[seat.index] += 1
            if self._missed[seat.index] == MOST_MISSED:
                why = f"missed {MOST_MISSED} answers, the last to {ask.head!r}, in the past"
                await player.shut_down(Stopped.TIMEOUTS, why)
        if player.stopped is not None and not seat.stop_seen:
            await player.shut_down(player.stopped, "")
            self._see_stop(seat)

    def _hear_given(self, asks: Asks, given: Sequence[TimedReply]) -> None:
        """Tell the listeners the given replies."""
        tell = self._audience.replied
        for ask, timed in zip(asks, given, strict=True):
            seat = self._seats[ask.seat]
            seat.tally.past += 1
            if tell is not None:
                tell(ask.seat, timed, seat.full_ms)

    async def _keep_stopped(self, seat: Seat, why: Stopped) -> None:
        """End the program of a seat whose program was stopped before the position: no fault."""
        if seat.player.stopped is None:
            await seat.player.shut_down(why, "its seat's program was stopped before the position")
            seat.stop_seen = True

    # -- asking ----------------------------------------------------------------------------

    async def _ask_in_turn(self, asks: Asks) -> tuple[Reply, ...]:
        """Send one request after the other to its seat. Returns the replies in the same order."""
        return tuple([(await self._ask_at_once((ask,)))[0] for ask in asks])

    async def _ask_at_once(self, asks: Asks) -> tuple[Reply, ...]:
        """Send all requests before looking for the first answer, and enter the answers when all
        have come. Returns the replies in the same order."""
        players = []
        for ask in asks:
            seat = self._seats[ask.seat]
            seat.ask(ask, self._round + 1)
            players.append(seat.player)
        found = self._lookout.look(players)
        if not all(found):
            self._flush()
            await self._lookout.wait_for(players, found)
        replies, tell = [], self._audience.replied
        for i, ask in enumerate(asks):
            seat, timed = self._seats[ask.seat], found[i]
            assert timed is not None
            timed = seat.enter(timed)
            reply = timed.reply
            replies.append(reply)
            if tell is not None:
                tell(ask.seat, timed, seat.shown_ms)
            if type(reply) is Silence or seat.player.violations or seat.player.stopped:
                await self._look_into(seat, ask, timed)
        return tuple(replies)

    def _flush(self) -> None:
        """Before a wait, flush the listeners and send the lines for players that are not asked."""
        self._yielded = self._now()
        if self._audience.flush is not None:
            self._audience.flush()
        for seat in self._seats:
            if seat.outbox and seat.player.stopped is None:
                seat.player.tell(seat.mail())

    async def _look_into(self, seat: Seat, ask: Ask, timed: TimedReply) -> None:
        """Count what was wrong with a reply, and end a program that no longer answers."""
        if type(timed.reply) is Silence and timed.reply.missed:
            self._fairness.check_sleep()
            self._count_fault(seat, "timeout", missed_text(ask, timed, self._clock))
        player = seat.player
        if player.stopped is not None and not seat.stop_seen:
            await player.shut_down(player.stopped, "")
        self._enter_violations(seat)

    def _enter_violations(self, seat: Seat) -> None:
        for violation in seat.player.take_violations():
            self._enter_violation(seat, violation)
        if seat.player.stopped is not None:
            self._see_stop(seat)

    def _see_stop(self, seat: Seat) -> None:
        """Count the early end of a program, once, as a separate fault."""
        if not seat.stop_seen:
            seat.stop_seen = True
            stopped = seat.player.stopped
            assert stopped is not None
            violation = Violation(stopped.value, seat.player.stopped_detail)
            self._enter_violation(seat, violation)

    def _enter_violation(self, seat: Seat, violation: Violation) -> None:
        if violation.fault:
            self._count_fault(seat, violation.code, violation.detail, violation.count)
        if self._audience.violated is not None:
            self._audience.violated(seat.index, violation)

    def _tell_the_end(self, outcome: Outcome) -> None:
        for seat in self._seats:
            self._enter_violations(seat)
        self._tell([outcome])
        if self._audience.totals is not None:
            for seat in self._seats:
                self._audience.totals(seat.totals())
