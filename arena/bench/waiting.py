"""What a request costs the arena where it waits for several programs at once: four programs in C
that each sleep for 0.1 ms before they answer, in a game that has no rules."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from msgspec import Struct

from arena.bots.program import BotProgram
from arena.core.game import Game, Setup
from arena.core.listener import Listener
from arena.core.settings import Settings
from arena.core.steps import Ask, Fate, Outcome, Script, Step
from arena.core.table import Table
from arena.match.referee import Referee
from arena.players.entrant import programs
from arena.players.terms import Terms
from arena.sandbox.children import Children
from arena.sandbox.session import keeper_running, run_with

SEATS = 4
ROUNDS = 400
SLEEP_US = 100


class Waiting(Struct, frozen=True):
    """Microseconds of CPU time of the arena for each of the requests that it waits for at once."""

    arena_cpu_us: float


@dataclass(slots=True)
class _World:
    """Nothing is in it."""

    def copy(self) -> _World:
        return _World()


def _script(world: _World) -> Script:
    asks = tuple(Ask(seat, "go") for seat in range(SEATS))
    for _ in range(ROUNDS):
        yield asks
    return Outcome((1,) * SEATS, (1.0,) * SEATS, (Fate.SURVIVED,) * SEATS, "done", "It is over.")


GAME: Game[_World, Settings] = Game(
    name="waiting",
    title="Waiting",
    seats=(SEATS,),
    rules_version=1,
    settings=Settings,
    world=lambda setup: _World(),
    script=_script,
    headline=lambda frame: "",
    picture=lambda board, frame: "",
    random_answer=lambda world, ask, chance: "No moves",
)


class _Stamps(Listener):
    """The CPU time at each round of requests, and at the end."""

    def __init__(self) -> None:
        self.cpu: list[int] = []

    def steps(self, steps: Sequence[Step | Ask | Outcome]) -> None:
        """Look at the clock."""
        self.cpu.append(time.process_time_ns())


def measure_waiting(bot: BotProgram, samples: int) -> list[Waiting]:
    """Whole matches; a first one warms up. `bot` takes the microseconds as its argument."""
    sleepy = replace(bot, argv=(*bot.argv, str(SLEEP_US)))
    with keeper_running() as keeper:

        async def one(children: Children) -> Waiting:
            return await _play(sleepy, children)

        return [run_with(keeper, one) for _ in range(samples + 1)][1:]


async def _play(bot: BotProgram, children: Children) -> Waiting:
    stamps = _Stamps()
    async with AsyncExitStack() as stack:
        players = [
            await stack.enter_async_context(entrant.open(Terms(), children))
            for entrant in programs((bot,) * SEATS)
        ]
        table = Table(GAME, Setup("1", SEATS, Settings()))
        await Referee(table, players, listeners=[stamps]).run()
    rounds = stamps.cpu[1:-1]  # the bots start in the first
    return Waiting((rounds[-1] - rounds[0]) / 1e3 / (len(rounds) - 1) / SEATS)
