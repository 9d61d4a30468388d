"""What one request costs."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from arena.bots.program import BotProgram
from arena.core.game import Game, Setup
from arena.core.listener import Listener
from arena.core.settings import Settings
from arena.core.steps import Ask, Fate, Outcome, Script, Step
from arena.core.table import Table
from arena.match.referee import Referee
from arena.match.report import PlayerReport
from arena.players.entrant import programs
from arena.players.terms import PlayerTerms
from arena.runtime.affinity import pinned
from arena.sandbox.children import Children
from arena.sandbox.session import keeper_running, run_with
from tests.experiments.bench.matches import (
    exchanges,
    instant_bot,
    instant_bot_in_c,
    instant_match,
    play_stamped,
)
from tests.experiments.bench.samples import Sample

REGIONS = (16, 64, 256, 1000)
ROUNDS_OF_A_SIZE = 60
SEATS = 4
WAITS = 400
SLEEP_US = 100


def measure_request(samples: int) -> list[Sample]:
    """A request of Warlight on 64 regions, bots in Python: real time in the median round, all kept
    on one core and everything included (rules, fog, record, and the bots' own work), against a bare
    loop of blocking writes and reads of the same text with the same bot on the same core. What
    comes every few rounds only (a write of the record, a look at the limits) is in the CPU time
    alone."""
    return _requests(instant_bot(), samples)


def measure_c_request(samples: int) -> list[Sample]:
    """The same with bots in C: they take next to no time themselves."""
    return _requests(instant_bot_in_c(), samples)


def _requests(bot: BotProgram, samples: int) -> list[Sample]:
    """Matches and bare loops in turn; a first round warms up."""
    with pinned(0), keeper_running() as keeper, tempfile.TemporaryDirectory() as folder:
        spec = instant_match(Path(folder), bot=bot)
        texts = exchanges(spec)

        async def one(children: Children) -> Sample:
            used, report = await play_stamped(spec, children)
            floor = floor_us(texts, bot.argv)
            bots = sum(_conversing_ms(player) for player in report.players) * 1e3 / report.requests
            return {
                "us": used.us,
                "floor_us": floor,
                "floor_ratio": used.us / floor,
                "arena_cpu_us": used.arena_cpu_us,
                "keeper_cpu_us": used.keeper_cpu_us,
                "bots_cpu_us": bots,
            }

        return [run_with(keeper, one) for _ in range(samples + 1)][1:]


def floor_us(texts: Sequence[bytes], argv: Sequence[str]) -> float:
    """The median microseconds of one exchange in a bare blocking loop: a text, and the answer."""
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        to_bot, from_bot = bot.stdin.fileno(), bot.stdout.fileno()
        took = []
        for text in texts:
            start = time.perf_counter_ns()
            os.write(to_bot, text)
            os.read(from_bot, 4096)
            took.append(time.perf_counter_ns() - start)
        bot.stdin.close()
    return median(took) / 1e3


def _conversing_ms(player: PlayerReport) -> float:
    """The CPU time of a bot from its first request to its last."""
    thought = player.thought_ms.total if player.thought_ms else 0.0
    return thought + (player.pondered_ms or 0.0)


# -- maps ------------------------------------------------------------------------------------------


def measure_sizes(samples: int) -> list[Sample]:
    """A request on maps of 16 to 1000 regions, bots in C: against the smallest map."""
    with pinned(0), keeper_running() as keeper, tempfile.TemporaryDirectory() as folder:
        spec = instant_match(Path(folder), ROUNDS_OF_A_SIZE, bot=instant_bot_in_c())
        specs = {size: msgspec.structs.replace(spec, map=ladder(size)) for size in REGIONS}

        async def one(children: Children) -> Sample:
            us = {size: (await play_stamped(specs[size], children))[0].us for size in REGIONS}
            ratios = {f"{size}.size_ratio": us[size] / us[REGIONS[0]] for size in REGIONS[1:]}
            return {**{f"{size}.us": us[size] for size in REGIONS}, **ratios}

        return [run_with(keeper, one) for _ in range(samples + 1)][1:]


def ladder(regions: int) -> dict[str, Any]:
    """A map file of two rows of regions, where four make a super region."""
    return {
        "Regions": [
            {
                "id": i,
                "superRegion": (i + 3) // 4,
                "neighbors": [other for other in (i + 1, i + 2) if other <= regions],
            }
            for i in range(1, regions + 1)
        ],
        "SuperRegions": [{"id": i, "bonus": 3} for i in range(1, regions // 4 + 1)],
    }


# -- several at once -------------------------------------------------------------------------------


@dataclass(slots=True)
class _World:
    """Nothing is in it."""

    def copy(self) -> _World:
        return _World()


def _script(world: _World) -> Script:
    asks = tuple(Ask(seat, "go") for seat in range(SEATS))
    for _ in range(WAITS):
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


def measure_waiting(samples: int) -> list[Sample]:
    """CPU time of the arena for each of four requests that it waits for at once: bots in C that
    sleep for 0.1 ms, in a game without rules."""
    bot = instant_bot_in_c()
    bot = replace(bot, argv=(*bot.argv, str(SLEEP_US)))
    with keeper_running() as keeper:

        async def one(children: Children) -> Sample:
            return {"arena_cpu_us": await _waiting_us(bot, children)}

        return [run_with(keeper, one) for _ in range(samples + 1)][1:]


async def _waiting_us(bot: BotProgram, children: Children) -> float:
    stamps = _Stamps()
    async with AsyncExitStack() as stack:
        players = [
            await stack.enter_async_context(entrant.open(PlayerTerms(), children))
            for entrant in programs((bot,) * SEATS)
        ]
        table = Table(GAME, Setup("1", SEATS, Settings()))
        await Referee(table, players, listeners=[stamps]).run()
    rounds = stamps.cpu[1:-1]  # the bots start in the first
    return (rounds[-1] - rounds[0]) / 1e3 / (len(rounds) - 1) / SEATS
