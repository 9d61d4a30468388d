"""The referee: one match between players, around a table.

It carries lines to the players and replies to the table, keeps the clocks, and writes the
record. It decides nothing about the game.

Everything told is gathered and goes out in one write with the request that follows. Requests
that are open at once are all written before any answer is waited for. An answer that is there
when we first look costs no trip through the scheduler: only then does the referee wait.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Any

import trio
from msgspec import Struct

from arena.books import Seat, missed, totals
from arena.clock import Clock, open_bank
from arena.host import Host
from arena.players import Fault, Heard, Player, Stopped
from arena.replay import ProtocolFault, Recorder
from arena.steps import (
    Answer,
    Ask,
    Asks,
    Frame,
    Note,
    Outcome,
    Reply,
    Show,
    Silence,
    Stop,
    Tell,
    Why,
)
from arena.table import Table

BREATHE = 0.020
"""Seconds that a match of instant players may run before others on the loop have their turn."""
_STOPPED = Heard(Silence(Why.STOPPED), 0)
_MISSED = (Silence(Why.LATE), Silence(Why.ABSENT))

Spectator = Callable[[Frame], Awaitable[None]]
"""Told every frame. While it takes its time nobody's clock runs."""


class MatchResult(Struct, frozen=True):
    """A finished match: its outcome, and the books of every seat."""

    outcome: Outcome
    rounds: int
    requests: int
    wall_ms: float
    digest: str
    seats: tuple[Seat, ...]


class Referee:
    """Runs one match. Make one, `run` it, throw it away."""

    def __init__(
        self,
        table: Table,
        players: Sequence[Player],
        *,
        recorder: Recorder | None = None,
        spectator: Spectator | None = None,
        sequential: bool = False,
        clock: Clock = Clock.WALL,
    ) -> None:
        """`sequential` asks one after the other what could be asked at once. `clock` is the one
        that the players are charged by; it is theirs to read."""
        self._table = table
        self._seats = tuple(_seats(table, players))
        self._recorder = recorder
        self._spectator = spectator
        self._sequential = sequential
        self._clock = clock
        self._host = Host()
        self._round = -1  # the last round shown; the set-up is round 0
        self._breathed = 0.0

    async def run(self) -> MatchResult:
        """Play to the end. Whatever happens, the players' own watchers end with it.

        Raises HostFault when the machine kept the match from being fair.
        """
        start = trio.current_time()
        async with trio.open_nursery() as nursery:
            for seat in self._seats:
                nursery.start_soon(seat.player.watch)
            outcome = await self._play()
            self._host.check_sleep()
            wall = trio.current_time() - start
            await _together([(seat.player.finish, seat.mail()) for seat in self._seats])
            nursery.cancel_scope.cancel()
        self._close_books(outcome)
        return MatchResult(
            outcome,
            self._round,
            sum(seat.requests for seat in self._seats),
            wall * 1000,
            self._recorder.digest if self._recorder else "",
            self._seats,
        )

    async def _play(self) -> Outcome:
        table = self._table
        while True:
            await self._carry_out()
            if table.outcome is not None:
                return table.outcome
            table.answer_all(await self._ask(table.asked))

    # -- steps -----------------------------------------------------------------------------

    async def _carry_out(self) -> None:
        """Deliver, show and record what the script did."""
        recorder = self._recorder
        for step in self._table.take():
            if recorder is not None:
                recorder.step(step)
            if type(step) is Tell:
                self._seats[step.seat].outbox.append(step.line)
            elif type(step) is Show:
                self._round = step.frame["round"]
                if self._spectator is not None:
                    await self._spectator(step.frame)
            elif type(step) is Note:
                self._note(step)
            elif type(step) is Stop:
                await self._stop(self._seats[step.seat], step.why)

    def _note(self, note: Note) -> None:
        if note.fault:
            self._seats[note.seat].count_fault(note.code, note.detail, self._round + 1)

    async def _stop(self, seat: Seat, why: str) -> None:
        if seat.player.stopped is None:
            missed = f"missed {seat.faults['timeout'].count} answers"
            await seat.player.shut_down(Stopped(why), missed)
        self._see_stop(seat)

    # -- asking ----------------------------------------------------------------------------

    async def _ask(self, asks: Asks) -> tuple[Reply, ...]:
        """Put the requests to their seats and return the replies in the same order."""
        if self._recorder is not None:
            for ask in asks:
                self._recorder.step(ask)
        if trio.current_time() - self._breathed > BREATHE:
            await trio.lowlevel.checkpoint()
            self._breathed = trio.current_time()
        if self._sequential:
            heard = [await self._ask_one(ask) for ask in asks]
        else:
            heard = await self._ask_together(asks)
        return tuple([self._book(ask, one) for ask, one in zip(asks, heard, strict=True)])

    async def _ask_one(self, ask: Ask) -> Heard:
        return (await self._ask_together((ask,)))[0]

    async def _ask_together(self, asks: Asks) -> list[Heard]:
        seats = [self._seats[ask.seat] for ask in asks]
        for ask, seat in zip(asks, seats, strict=True):
            if seat.player.stopped is None:
                seat.last_request = ask.line(seat.bank.left_ms)
                seat.player.post(seat.mail(seat.last_request), seat.bank.left, ask.patience)
        heard = [
            _STOPPED if seat.player.stopped is not None else seat.player.poll() for seat in seats
        ]
        return await self._await_missing(seats, heard)

    async def _await_missing(self, seats: list[Seat], heard: list[Heard | None]) -> list[Heard]:
        """Wait side by side for the replies that were not there at the first look."""
        missing = [i for i, one in enumerate(heard) if one is None]
        if missing:
            self._flush()

        async def wait(i: int) -> None:
            heard[i] = await seats[i].player.reply()

        if len(missing) == 1:
            await wait(missing[0])
        elif missing:
            await _together([(wait, i) for i in missing])
        for seat in seats:
            if seat.player.stopped is not None and not seat.stop_seen:
                await seat.player.shut_down(seat.player.stopped, "")
        return [one for one in heard if one is not None]

    def _flush(self) -> None:
        """Before a wait, nothing stays back: neither in the record nor for those not asked."""
        self._breathed = trio.current_time()
        if self._recorder is not None:
            self._recorder.flush()
        for seat in self._seats:
            if seat.outbox and seat.player.stopped is None:
                seat.player.tell(seat.mail())

    def _book(self, ask: Ask, heard: Heard) -> Reply:
        """Enter one reply into the books and the record."""
        seat, reply = self._seats[ask.seat], heard.reply
        if self._recorder is not None:
            self._recorder.replied(ask.seat, heard, seat.bank.left_ms)
        seat.book(heard)
        if type(reply) is Answer:
            seat.answers += 1
            seat.last_answer, seat.last_answered = reply.text, seat.requests
        elif reply in _MISSED:
            self._host.check_lag(heard.lag)
            self._host.check_sleep()
            seat.count_fault("timeout", missed(ask, heard, self._clock), self._round + 1)
        for fault in seat.player.take_faults():
            self._record_fault(seat, fault)
        if seat.player.stopped is not None:
            self._see_stop(seat)
        return reply

    def _see_stop(self, seat: Seat) -> None:
        """The first sight of a program that ended early is a fault of its own."""
        if not seat.stop_seen:
            seat.stop_seen = True
            stopped = seat.player.stopped
            assert stopped is not None
            self._record_fault(seat, Fault(stopped.value, seat.player.stopped_detail))

    def _record_fault(self, seat: Seat, fault: Fault) -> None:
        if fault.fault:
            seat.count_fault(fault.code, fault.detail, self._round + 1, fault.count)
        if self._recorder is not None:
            self._recorder.remark(
                ProtocolFault(seat.index, fault.code, fault.detail, fault.count, fault.fault)
            )

    def _close_books(self, outcome: Outcome) -> None:
        for seat in self._seats:
            for fault in seat.player.take_faults():
                self._record_fault(seat, fault)
        if self._recorder is not None:
            self._recorder.step(outcome)
            for seat in self._seats:
                self._recorder.remark(totals(seat))


def _seats(table: Table, players: Sequence[Player]) -> Iterator[Seat]:
    settings = table.setup.settings
    counted = table.game.budget(settings) is not None
    for i, player in enumerate(players):
        bank = open_bank(settings.timebank, settings.time_per_move, runs=not counted)
        yield Seat(i, player, bank, counted=counted)


async def _together(calls: Iterable[tuple[Callable[[Any], Awaitable[None]], Any]]) -> None:
    """Run the calls side by side and wait for all."""
    async with trio.open_nursery() as nursery:
        for function, argument in calls:
            nursery.start_soon(function, argument)
