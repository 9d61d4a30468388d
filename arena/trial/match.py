"""One match of an input test, and the investigation if the bot does not play in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

import trio
from msgspec import Struct
from msgspec.structs import replace

from arena.bots.executables import head, is_script
from arena.core.clock import Clock, to_ms
from arena.core.faults import attribute_errors_to
from arena.core.listener import Listener
from arena.core.replies import Cost
from arena.core.rng import Stream
from arena.core.table import Table
from arena.errors import MachineError
from arena.match.play import header_of
from arena.match.referee import Referee
from arena.match.seat import Seat, was_given_up
from arena.match.spec import MatchSpec, numbered
from arena.players.entrant import Entrant, ProgramEntrant
from arena.players.inprocess import InProcessPlayer
from arena.players.player import Player
from arena.players.probe import child_of, is_unread, listen, look_at, rested, take_stderr, usage
from arena.players.terms import PlayerTerms
from arena.record.writer import Recorder
from arena.sandbox.children import Children
from arena.trial.diagnosis import Evidence, Overrun, is_puzzling
from arena.trial.twins import NOTHING_SHOWN, Shown, Twins
from arena.trial.witness import StopWatching, Witness, is_legal, longest_legal_suffix

SUSPICIOUS = 0.5
"""Seconds without a first answer before the bot's activity is examined."""
STILL_FOR = 0.1
"""Seconds for which the bot must only wait for input before twins are tried."""
LATE_GRACE = 2.0
"""Seconds to wait for a late answer after its time is over."""
STARVED = 8
"""A missed answer does not count if the bot waited for a core this many times as long as it was
charged: a tenth of that delay, if unreported, would be its whole bank. (Beside 8 busy loops on two
cores a bot waits 4 times as long as it runs, beside 20 loops ten times.)"""
LATE_START_GRACE = 3.0
"""The same as `LATE_GRACE` for the first answer."""
TWINS_WITHIN = 2.5
"""Seconds on the fair clock for each twin after a missed answer."""
MOST_FOR_TWINS = 30.0
"""Seconds for all twins together."""

POLL_INTERVAL = 1.0
"""Seconds between two checks."""
PROGRESS_INTERVAL = 10.0
"""Seconds between two progress messages."""
MAX_EXTRA_TIME = 30.0
"""Seconds of real time that a match may take beyond the bot's own time. Only a bot that uses more
than a whole core, or has `MANY_THREADS`, is stopped for exceeding it: others wait for the
machine."""
MANY_THREADS = 64
"""Number of processes and threads above which they delay each other: language runtimes have 10 to
40."""


class Trial(Struct, frozen=True):
    """A bot's match from one seat."""

    seat: Seat
    rounds: int
    is_whole: bool
    """Whether the match was played to its end."""
    evidence: Evidence


class Examination(Struct, frozen=True):
    """The common parameters of the matches of one input test."""

    spec: MatchSpec
    """The match; its first entrant is the bot."""
    terms: PlayerTerms
    children: Children | None
    tell: Callable[[str], None]
    """Receives progress messages."""
    listeners: tuple[Listener, ...] = ()

    @property
    def twins(self) -> Twins | None:
        """The source of twins for a program; None if its instructions are counted, since its output
        then has a format for the arena."""
        entrant, game = self.spec.entrants[0], self.spec.find_game()
        is_counted = game.budget(self.spec.settings) is not None
        if self.children is None or not entrant.is_program or is_counted:
            return None
        return Twins(entrant, self.terms, self.children, self.spec.game)

    async def try_from(self, place: int) -> Trial:
        """Play from that seat. Raises MachineError if the machine made the match unfair."""
        spec, game = self.spec, self.spec.find_game()
        setup = spec.setup
        table, path = Table(game, setup), numbered(spec.replay, place + 1)
        async with spec.entrants[0].open(self.terms.of_seat(place), self.children) as player:
            players: list[Player] = [partner(table, seat) for seat in range(setup.seats)]
            players[place] = player
            names = [one.name for one in players]
            header = header_of(spec, names)
            with ExitStack() as stack:
                recorders = [stack.enter_context(Recorder(path, header))] if path else []
                witness = Witness(place, table)
                referee = Referee(
                    table,
                    players,
                    listeners=(*recorders, witness, *self.listeners),
                    sequential=spec.terms.sequential,
                    clock=spec.terms.timing.clock,
                )
                return await _Course(self, witness, referee, player).run()


class _Course:
    """One running match."""

    def __init__(
        self, examination: Examination, witness: Witness, referee: Referee, player: Player
    ) -> None:
        self._examination = examination
        self._twins = examination.twins
        self._witness = witness
        self._referee = referee
        self._player = player
        self._child = child_of(player)
        self._shown: Shown | None = None
        """Findings of the twins while the bot did nothing; None before that."""
        self._overrun: Overrun | None = None
        self._on_stderr = ""

    async def run(self) -> Trial:
        """Play the match for as long as it yields findings."""
        is_whole = False
        async with trio.open_nursery() as nursery:
            if self._twins is not None:
                nursery.start_soon(self._suspect, self._twins, nursery.cancel_scope)
            if self._child is not None:
                nursery.start_soon(self._keep_time, nursery.cancel_scope)
            is_whole = await self._play()
            nursery.cancel_scope.cancel()
        self._refuse_to_judge_a_wait_for_a_core()
        late = None if is_whole else await self._wait_for_late()
        if self._witness.missed is not None and late is None:
            await self._look_closer()
        evidence = self._gather(is_whole, late)
        if self._twins is not None and is_puzzling(evidence):
            other = await self._twins.other_game()
            evidence = replace(evidence, other_game=other)
        seat = self._referee.seats[self._witness.seat]
        return Trial(seat, self._witness.round, is_whole, evidence)

    async def _play(self) -> bool:
        """Play the match. Returns whether it reached its end."""
        is_whole = False
        try:
            await self._referee.run()
            is_whole = True
        except* StopWatching:
            pass
        return is_whole

    def _refuse_to_judge_a_wait_for_a_core(self) -> None:
        """Raise MachineError if an answer was missed because other processes kept the bot from
        running until the real-time cap of its clock ended the wait."""
        missed, clock = self._witness.missed, self._examination.spec.terms.timing.clock
        if missed is not None and clock is Clock.FAIR:
            cost = missed.cost
            if kept_waiting(cost, *usage(self._player)):
                raise MachineError(
                    f"{self._player.name} was kept waiting for a core by other programs, for most "
                    f"of {to_ms(cost.wall or 0) / 1000:.0f} s: test it again while this machine is "
                    "less busy"
                )

    # -- real time -------------------------------------------------------------------------

    async def _keep_time(self, match: trio.CancelScope) -> None:
        """Report progress, and end the match of a bot that delays itself."""
        spec, tally = self._examination.spec, self._referee.seats[self._witness.seat].tally
        self._overrun = await Overtime(
            partial(usage, self._player),
            lambda: to_ms(tally.charged.total) / 1000,
            (spec.settings.timebank + spec.terms.timing.start_up) / 1000,
            self._tell_time,
        ).watch()
        match.cancel()

    def _tell_time(self, real: float, cpu: float) -> None:
        where = f"round {self._witness.round + 1}" if self._witness.answers else "no answer yet"
        self._examination.tell(f"{where} after {real:.0f} s; it has used {cpu:.1f} s of CPU")

    # -- a silent program ------------------------------------------------------------------

    async def _suspect(self, twins: Twins, match: trio.CancelScope) -> None:
        """If the first answer does not come and the bot only waits for input, find out why, and end
        the match."""
        await self._witness.asked.wait()
        await trio.sleep(SUSPICIOUS)
        while self._witness.first is None and not await self._is_still():  # noqa: ASYNC110
            await trio.sleep(STILL_FOR)
        if self._witness.first is None:
            self._examination.tell(f"no answer yet to {self._witness.lines[-1][:60]!r}")
            await self._ask_twins(twins, self._examination.spec.settings.timebank / 2000)
            shown = self._shown or NOTHING_SHOWN
            if (shown.held_back or shown.other_game) and self._witness.first is None:
                match.cancel()

    async def _is_still(self) -> bool:
        """Whether the bot certainly waits for input and does nothing else."""
        before = look_at(self._player)
        if not before.waits:
            return False
        await trio.sleep(STILL_FOR)
        after = look_at(self._player)
        return bool(after.waits) and rested(before, after)

    async def _ask_twins(self, twins: Twins, within: float) -> None:
        """Ask twins which answer the bot holds back. Their findings count only if the bot did
        nothing meanwhile: it has had at least as much time as each twin."""
        answers, before = self._witness.answers, look_at(self._player)
        shown = await twins.ask(self._witness, within)
        if self._witness.answers == answers and rested(before, look_at(self._player)):
            self._shown = shown

    async def _look_closer(self) -> None:
        """Find out why an answer was missed, unless that is already known."""
        take_stderr(self._player)
        self._on_stderr = self._answer_on_stderr()
        if self._on_stderr or self._twins is None or self._shown is not None:
            return
        if look_at(self._player).waits is not False:
            with trio.move_on_after(MOST_FOR_TWINS):
                await self._ask_twins(self._twins, TWINS_WITHIN)

    def _answer_on_stderr(self) -> str:
        """A line of the bot's stderr that the rules would have accepted."""
        witness = self._witness
        table, said = witness.open_table(), self._player.stderr.text().splitlines()[:100]
        lines = [line.strip() for line in said]
        return next((line for line in lines if line and is_legal(table, witness.seat, line)), "")

    async def _wait_for_late(self) -> float | None:
        """The seconds after which a missed answer came, if it comes soon."""
        missed = self._witness.missed
        if missed is None or self._child is None or self._player.stopped is not None:
            return None
        if missed.cost.instructions is not None:  # it came, but used too many instructions
            return None
        took, start = to_ms(missed.cost.wall or missed.cost.charged) / 1000, trio.current_time()
        grace = LATE_GRACE if self._witness.answers else LATE_START_GRACE
        if (await listen(self._player, "", grace)).lines:
            return took + trio.current_time() - start
        return None

    # -- evidence --------------------------------------------------------------------------

    def _gather(self, is_whole: bool, late: float | None) -> Evidence:
        witness, player = self._witness, self._player
        seat, spec = self._referee.seats[witness.seat], self._examination.spec
        entrant = spec.entrants[0]
        take_stderr(player)
        missed, shown = witness.missed, self._shown or NOTHING_SHOWN
        first, inner, unasked = self._words()
        start_up = 0.0 if witness.answers else spec.terms.timing.start_up / 1000
        return Evidence(
            game=spec.game,
            command=entrant.command,
            source=entrant.program.source if isinstance(entrant, ProgramEntrant) else "",
            request=seat.last_request,
            round=seat.asked_in,
            answers=witness.answers,
            accepted=witness.accepted,
            illegal=witness.illegal(),
            first_answer=first,
            inner_answer=inner,
            missed=not is_whole and player.stopped is None,
            late=late,
            bank=to_ms(missed.cost.charged) / 1000 + start_up if missed else 0.0,
            unread=missed is not None and is_unread(player),
            cpu=to_ms(missed.cost.cpu or 0) / 1000 if missed else 0.0,
            instructions=missed.cost.instructions if missed else None,
            overrun=self._overrun,
            held_back=shown.held_back,
            release=shown.release,
            unasked=unasked,
            unfinished=witness.said.get("unfinished", "") or shown.unfinished,
            on_stderr=self._on_stderr,
            other_game=shown.other_game,
            first_line=_first_line(entrant),
            stopped=player.stopped,
            stopped_detail=player.stopped_detail,
            stderr=player.stderr.text(),
        )

    def _words(self) -> tuple[str, str, str]:
        """The bot's first answer, the suffix of it that is legal by itself, and a line that answers
        no request."""
        witness = self._witness
        unasked, table, seat = witness.unasked, witness.first_table, witness.seat
        first = witness.first.text if witness.first else ""
        if table is None or is_legal(table, seat, first):
            return first, "", unasked
        inner = longest_legal_suffix(table, seat, first) if witness.accepted == 0 else ""
        if unasked and is_legal(table, seat, unasked):
            unasked = first  # output before its answer was mistaken for the answer
        return first, inner, unasked


def _first_line(entrant: Entrant) -> str:
    """The #! line that runs a bot; empty if it is not run by one."""
    if not isinstance(entrant, ProgramEntrant):
        return ""
    program = Path(entrant.program.argv[0])
    with suppress(OSError):
        if is_script(program):
            return head(program).split(b"\n")[0].decode(errors="replace").strip()
    return ""


def kept_waiting(cost: Cost, cpu: float, tasks: int) -> bool:
    """Whether an answer was missed because other processes kept the bot from running.

    Either real time ended the wait before the bank was used up on the fair clock, or the bot waited
    so long that the small error of that clock matters. A bot whose own CPU time and threads took
    the cores does not count."""
    is_crowd = cpu > to_ms(cost.wall or 0) / 1000 or tasks > MANY_THREADS
    is_starved = (cost.delay or 0) > STARVED * cost.charged
    return (was_given_up(cost, Clock.FAIR) or is_starved) and not is_crowd


class Overtime(Struct, frozen=True):
    """Watches one match for a bot that delays itself. Times in seconds."""

    usage: Callable[[], tuple[float, int]]
    """CPU time of the bot so far, and its current number of processes and threads."""
    charged: Callable[[], float]
    """Charges for its answers so far."""
    bank: float
    """Time allowed for the current request."""
    say: Callable[[float, float], None]
    """Receives the real time and the CPU time so far."""

    async def watch(self) -> Overrun:
        """Wait until the match should be abandoned."""
        start, words, most = trio.current_time(), 0, 0
        while True:
            await trio.sleep(POLL_INTERVAL)
            real, (cpu, tasks) = trio.current_time() - start, self.usage()
            most, is_busy = max(most, tasks), cpu > real or tasks > MANY_THREADS
            if is_busy and real - self.charged() > MAX_EXTRA_TIME + self.bank:
                return Overrun(real, cpu, most)
            if real >= PROGRESS_INTERVAL * (words + 1):
                words += 1
                self.say(real, cpu)


def partner(table: Table[Any], seat: int) -> InProcessPlayer:
    """A player that gives random legal answers."""
    stream = Stream(table.setup.seed, f"partner {seat}")

    def answer(lines: Sequence[str]) -> str:
        ask = next(ask for ask in table.asked if ask.seat == seat)
        with attribute_errors_to(table.game, "the random answer", table.setup.seed):
            return table.game.random_answer(table.world, ask, stream)

    return InProcessPlayer(f"partner{seat + 1}", answer)
