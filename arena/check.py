"""The input test of a bot: whole matches against a partner that makes random legal moves, once
from each seat, and what they show, step by step."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from arena.books import Seat
from arena.bots import BotProgram
from arena.game import Game, Setup
from arena.limits import Limits
from arena.players import Player, Stopped
from arena.players.inprocess import InProcess
from arena.players.launch import open_program
from arena.players.program import Program
from arena.referee import MatchResult, Referee
from arena.rng import Stream
from arena.sandbox.children import Children
from arena.sandbox.choose import choose
from arena.sandbox.levels import Level, Wish
from arena.settings import Settings
from arena.table import Table

PROTOCOL = (
    *("timeout", "late", "unfinished", "excess", "garbled", "refused"),
    *(why.value for why in Stopped),
)
"""Faults against the protocol. All others are orders that the rules did not like."""


class Step(Struct, frozen=True):
    """One thing that was looked at. A `warning` is no failure."""

    name: str
    ok: bool
    detail: str = ""
    warning: bool = False


class Check(Struct, frozen=True):
    """All steps, and what the bot itself said."""

    ok: bool
    steps: list[Step]
    last_request: str
    last_answer: str
    stderr: str


async def check(
    game: Game,
    bot: BotProgram,
    settings: Settings,
    children: Children,
    *,
    seed: str = "check",
    limits: Limits,
    sandbox: Level | Wish = Level.OFF,
) -> Check:
    """Play the bot once from each seat of the smallest table. Raises BotError when it cannot be
    started, UsageError when the `sandbox` cannot be had."""
    level = await choose(children, sandbox)
    seats = [
        await _play_from(
            game, bot, Setup(seed, game.seats[0], settings), place, children, limits, level
        )
        for place in range(game.seats[0])
    ]
    steps = _steps(seats)
    telling = next((seat for seat, _ in seats if seat.faults), seats[-1][0])
    program = telling.player
    assert isinstance(program, Program)
    return Check(
        all(step.ok or step.warning for step in steps),
        steps,
        telling.last_request,
        telling.last_answer,
        "".join(text for _, text in program.stderr.turns()),
    )


async def _play_from(
    game: Game,
    bot: BotProgram,
    setup: Setup,
    place: int,
    children: Children,
    limits: Limits,
    level: Level,
) -> tuple[Seat, MatchResult]:
    """One match with the bot at `place`; its books and the result."""
    table, budget = Table(game, setup), game.budget(setup.settings)
    async with open_program(children, bot, limits, level, budget=budget) as program:
        players: list[Player] = [partner(table, seat) for seat in range(setup.seats)]
        players[place] = program
        result = await Referee(table, players).run()
    return result.seats[place], result


def partner(table: Table, seat: int) -> InProcess:
    """A player that gives random legal answers."""
    stream = Stream(table.setup.seed, f"partner {seat}")

    def answer(lines: Sequence[str]) -> str:
        ask = next(ask for ask in table.asked if ask.seat == seat)
        return table.game.random_answer(table.world, ask, stream)

    return InProcess(f"partner{seat + 1}", answer)


def _steps(played: list[tuple[Seat, MatchResult]]) -> list[Step]:
    seats = [seat for seat, _ in played]
    rounds = " and ".join(str(result.rounds) for _, result in played)
    answers, asked = sum(seat.answers for seat in seats), sum(seat.requests for seat in seats)
    dearest = max((count for seat in seats for count in seat.instructions or []), default=None)
    slowest = max(seat.max_ns for seat in seats) / 1e6
    most = f"{slowest:.1f} ms" if dearest is None else f"{dearest} instructions"
    protocol, rules = _faults(seats, protocol=True), _faults(seats, protocol=False)
    stopped = [seat.player.stopped_detail for seat in seats if seat.player.stopped]
    return [
        Step(
            "answers requests",
            answers == asked,
            f"{answers} of {asked}, the slowest after {most}",
        ),
        Step("lives to the end", not stopped, "; ".join(stopped) or f"matches of {rounds} rounds"),
        Step("keeps the protocol", not protocol, "; ".join(protocol) or "no fault"),
        Step("gives legal orders", not rules, "; ".join(rules) or "no fault", warning=True),
        Step("leaves at the end of its input", *_leaves(seats), warning=True),
    ]


def _faults(seats: list[Seat], *, protocol: bool) -> list[str]:
    """Faults of one class over all matches: count, code, first example."""
    return [
        f"as player{seat.index + 1} {fault.count} × {code}, first in round {fault.round}: "
        f"{fault.detail}"
        for seat in seats
        for code, fault in seat.faults.items()
        if (code in PROTOCOL) == protocol
    ]


def _leaves(seats: list[Seat]) -> tuple[bool, str]:
    for seat in seats:
        assert isinstance(seat.player, Program)
        if seat.player.ended_by_arena and seat.player.stopped is None:
            return False, "still there after 100 ms, and was ended: return when the input ends"
    return True, "by itself"
