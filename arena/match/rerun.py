"""Reruns one bot against the recorded lines and requests of a seat.

The answers of the bot are compared with the recorded ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import trio
from msgspec import Struct, structs

from arena.core.clock import NS_PER_MS, TimeBank, to_ms
from arena.core.replies import Answer, Reply, Silence, TimedReply, Violation
from arena.match.report import ExitReport, Rerun, RerunEnd
from arena.match.seat import NO_CLOCK
from arena.players.entrant import Entrant
from arena.players.player import Player
from arena.players.terms import PlayerTerms
from arena.record.position import PastRequest
from arena.record.reader import Exchange, Transcript
from arena.sandbox.children import Children

PATIENCE = 3.0
"""Seconds without an answer after which the user is told what the arena waits for."""


async def rerun(
    transcript: Transcript,
    entrant: Entrant,
    terms: PlayerTerms,
    children: Children | None = None,
    *,
    first: int = 0,
    clock: bool = False,
    each: Callable[[Rerun], None] = lambda answer: None,
    earlier: Callable[[Rerun], None] = lambda answer: None,
    asking: Callable[[Exchange], None] = lambda exchange: None,
    waiting: Callable[[Exchange], None] = lambda exchange: None,
) -> RerunEnd:
    """Run a bot against a transcript, to the end of either.

    With `clock`, each answer has the time bank of the record; otherwise time is unlimited. `each`
    is called with every answer from round `first` on, `earlier` with the answers before: a bot with
    a memory needs all requests. `asking` is called before each request, `waiting` when there is no
    answer after `PATIENCE`. Raises as a match does when the bot cannot be started.
    """
    async with (
        entrant.open(structs.replace(terms, grant=None), children) as player,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(player.watch)
        told: list[str] = []
        for exchange in transcript.exchanges:
            told += exchange.lines
            tell = earlier if exchange.given.round < first else each
            asking(exchange)
            tell(await _ask(player, told, exchange, partial(waiting, exchange), clock=clock))
            told = []
            if player.stopped is not None:
                break
        stopped, detail = player.stopped, player.stopped_detail
        await player.finish("".join(f"{line}\n" for line in (*told, *transcript.rest)))
        nursery.cancel_scope.cancel()
    ending = player.ending
    left = ExitReport(ending.code, ending.signal, ending.by_arena or None) if ending else None
    return RerunEnd(stopped and stopped.value, detail, left, player.stderr.text())


class LastAnswer(Struct, frozen=True):
    """The reply of a bot to the last of its requests, or to the one at which it was given up."""

    is_last: bool
    """Whether that is the last of the requests."""
    round: int
    asked: str
    reply: Reply
    wall_ms: float
    faults: dict[str, str]
    """Protocol breaches that came with the reply, by code."""
    stopped: str | None
    """Why its program ended; None if it did not."""
    stopped_detail: str


async def last_answer(
    requests: Sequence[PastRequest],
    entrant: Entrant,
    terms: PlayerTerms,
    bank: TimeBank,
    children: Children | None = None,
) -> LastAnswer:
    """Ask a bot all requests, before the last one with a bank that runs, at the last one with a
    full one; `bank` is full when this is called. Ends early at the first answer that it misses.
    Raises as a match does when the bot cannot be started."""
    async with entrant.open(terms, children) as player, trio.open_nursery() as nursery:
        nursery.start_soon(player.watch)
        for number, one in enumerate(requests, 1):
            if number == len(requests):
                bank.refill()
            player.take_violations()  # of an earlier answer
            asked = one.ask.line(bank.left_ms)
            player.post("\n".join([*one.lines, asked, ""]), bank.left, one.ask.patience)
            timed = player.poll() or await player.reply()
            bank.spend(timed.cost.charged)
            if player.stopped is not None:
                await player.shut_down(player.stopped, "")
            if isinstance(timed.reply, Silence):
                break
        faults = _by_code([found for found in player.take_violations() if found.fault])
        nursery.cancel_scope.cancel()
    wall = timed.cost.charged if timed.cost.wall is None else timed.cost.wall
    return LastAnswer(
        number == len(requests),
        one.round,
        asked,
        timed.reply,
        to_ms(wall),
        faults,
        player.stopped and player.stopped.value,
        player.stopped_detail,
    )


async def _ask(
    player: Player,
    told: list[str],
    exchange: Exchange,
    waiting: Callable[[], None],
    *,
    clock: bool,
) -> Rerun:
    given = exchange.given
    bank = given.bank_ms * NS_PER_MS if clock else NO_CLOCK
    player.post("\n".join([*told, given.request, ""]), bank)
    timed = player.poll() or await _reply(player, waiting)
    if player.stopped is not None:
        await player.shut_down(player.stopped, "")  # ends what is left of it
    violations = [one for one in player.take_violations() if one.fault]
    wall = timed.cost.charged if timed.cost.wall is None else timed.cost.wall
    return Rerun(
        request=exchange.number,
        round=given.round,
        asked=given.request,
        recorded=in_words(given.reply),
        answered=in_words(timed.reply),
        same=given.reply == timed.reply,
        recorded_ms=to_ms(given.cost.charged),
        wall_ms=to_ms(wall),
        faults=_by_code(violations),
    )


async def _reply(player: Player, waiting: Callable[[], None]) -> TimedReply:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_call_later, waiting)
        timed = await player.reply()
        nursery.cancel_scope.cancel()
    return timed


async def _call_later(waiting: Callable[[], None]) -> None:
    await trio.sleep(PATIENCE)
    waiting()


def _by_code(violations: list[Violation]) -> dict[str, str]:
    return {one.code: one.detail for one in reversed(violations)}


def in_words(reply: Reply) -> str:
    """A reply as text: silence in brackets."""
    return reply.text if isinstance(reply, Answer) else f"(no answer: {reply.why.value})"
