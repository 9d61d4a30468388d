"""The evidence on one match, for who decides an appeal: whose fault the time was.

Everything comes from the record, which the league's seal proves: what each request was charged, the
real time, the CPU time of the program, the time in which it was ready and the machine did not run
it (*delay*), the time in which it waited for a disk or for memory (*stalled*, charged), and the
time in which its answer lay unread because the arena was held up (never charged).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from arena.core.clock import NS_PER_MS, Clock
from arena.core.replies import Answer, Silence
from arena.errors import UsageError
from arena.league.league import League
from arena.league.types import VoidAccount
from arena.record.format import PlayerTotals, RecordConditions
from arena.record.reader import MAX_RECORD_SIZE, GivenFault, GivenReply, Match
from arena.sandbox.enforcement import Enforcement
from arena.text import printable

NEAR = 0.8
"""The share of its time bank from which on a request is shown as near its end."""
MOST = 200
"""Requests of a seat that a page shows, those first that took the largest share of their bank."""


class RequestEvidence(Struct, frozen=True):
    """One request; times in milliseconds, None where the record does not have them."""

    number: int
    """From 1, among those of its seat."""
    round: int
    bank: int
    charged: float
    wall: float | None
    cpu: float | None
    delay: float | None
    held_up: float | None
    stalled: float | None
    answer: str
    """Empty for none."""
    verdict: str
    """What the clock decided, and why, in words."""
    in_time: bool


class SeatEvidence(Struct, frozen=True):
    """What the record says of one seat."""

    seat: int
    name: str
    totals: PlayerTotals | None
    requests: list[RequestEvidence]
    """In their order; of many those that took the largest share of their bank."""
    asked: int
    faults: list[GivenFault]


class MatchEvidence(Struct, frozen=True):
    """The evidence on one match."""

    match: int
    clock: str
    sentence: str
    means: str
    """How the programs were kept, as the record says."""
    seats: list[SeatEvidence]
    voids: list[VoidAccount]
    """Earlier attempts that do not count."""


def evidence(league: League, number: int, *, most: int = MOST) -> MatchEvidence:
    """The evidence on a match that has a result. Raises UsageError, and ReplayError when its record
    cannot be read."""
    account = league.match_account(number, lambda _: "")
    if account.result is None:
        raise UsageError(f"match {number} has no result that counts, so there is no evidence")
    match = Match.read(league.record(number), largest=MAX_RECORD_SIZE)
    conditions = next((one for one in match.records if isinstance(one, RecordConditions)), None)
    return MatchEvidence(
        match=number,
        clock=str(match.clock),
        sentence=account.result.sentence,
        means="" if conditions is None else _means(conditions.means),
        seats=[
            _seat(match, seat, one.name, account.totals[seat], most)
            for seat, one in enumerate(account.seats)
        ],
        voids=account.voids,
    )


def _means(means: Enforcement) -> str:
    return f"level {means.sandbox}, CPU time counted by {means.cpu}, memory by {means.memory}"


def _seat(
    match: Match, seat: int, name: str, totals: PlayerTotals | None, most: int
) -> SeatEvidence:
    requests = list(_requests(match, seat))
    worst = sorted(requests, key=_share, reverse=True)[:most]
    return SeatEvidence(
        seat=seat,
        name=name,
        totals=totals,
        requests=sorted(worst, key=lambda one: one.number),
        asked=len(requests),
        faults=list(match.faults(seat)),
    )


def _share(one: RequestEvidence) -> float:
    """How much of its bank a request took; missed ones are first."""
    return one.charged / max(one.bank, 1) + (0 if one.in_time else 1000)


def _requests(match: Match, seat: int) -> Iterator[RequestEvidence]:
    for number, given in enumerate(match.replies(seat), 1):
        cost = given.cost
        yield RequestEvidence(
            number=number,
            round=given.round,
            bank=given.bank_ms,
            charged=cost.charged / NS_PER_MS,
            wall=_ms(cost.wall),
            cpu=_ms(cost.cpu),
            delay=_ms(cost.delay),
            held_up=_ms(cost.held_up),
            stalled=_ms(cost.stalled),
            answer=printable(given.reply.text)[:200] if isinstance(given.reply, Answer) else "",
            verdict=verdict_of(given, match.clock),
            in_time=not isinstance(given.reply, Silence),
        )


def _ms(ns: int | None) -> float | None:
    return None if ns is None else ns / NS_PER_MS


def verdict_of(given: GivenReply, clock: Clock) -> str:
    """What the clock decided on a request, and whose time it was."""
    reply, cost = given.reply, given.cost
    if isinstance(reply, Silence) and not reply.missed:
        return "no answer was due: its program had ended"
    missed = isinstance(reply, Silence)
    share = cost.charged / NS_PER_MS / max(given.bank_ms, 1)
    if not missed and share < NEAR:
        return "in time"
    told = "too late" if missed else f"in time, with {share:.0%} of its bank"
    return f"{told}: {_whose(given, clock)}"


def _whose(given: GivenReply, clock: Clock) -> str:
    """The largest part of the real time of a request, and whose it was."""
    cost = given.cost
    wall = cost.wall if cost.wall is not None else cost.charged
    cpu, delay, stalled = cost.cpu, cost.delay or 0, cost.stalled or 0
    if cpu is None:
        return "the record has no CPU time for it, so nobody can tell what it waited for"
    rest = max(wall - min(cpu, wall) - delay - stalled, 0)
    parts = {
        "the program computed (its own time)": min(cpu, wall),
        _delayed(clock): delay,
        "it waited for a disk or for memory (charged; a program can bring that about)": stalled,
        "it neither computed nor wanted to: it slept, or waited for something of its own": rest,
    }
    what = max(parts, key=lambda one: parts[one])
    return f"for {parts[what] / NS_PER_MS:.0f} of {wall / NS_PER_MS:.0f} ms {what}"


def _delayed(clock: Clock) -> str:
    """What a delay means by each clock."""
    if clock is Clock.WALL:
        return "the machine did not run it (charged: this league has the wall clock)"
    return "the machine did not run it (not charged)"
