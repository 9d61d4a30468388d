"""Rounds per second through the table alone, without any process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from arena.bench.matches import ROUNDS, SEED_OF_64
from arena.core.game import AnyGame, Setup
from arena.core.registry import find_game
from arena.core.replies import Answer, Reply
from arena.core.rng import Stream
from arena.core.settings import parse
from arena.core.steps import Ask, Show
from arena.core.table import Table


class Rules(Struct, frozen=True):
    """Rounds per second without processes, with default settings: when all seats give random
    legal answers, and when all say ``No moves``."""

    game: str
    seats: int
    rounds_per_s: float
    idle_rounds_per_s: float
    rounds_per_loop: float
    """Random answers: rounds in the time of a bare loop of a million steps."""


class TenOrders(Struct, frozen=True):
    """Rounds of Warlight with ten orders a side: a second, and in the time of a bare loop."""

    rounds_per_s: float
    rounds_per_loop: float


Answerer = Callable[[Table[Any], Ask], str]


def measure_rules(game: AnyGame, samples: int) -> list[Rules]:
    """The same answers again and again through fresh tables."""
    stream = Stream("bench", "random")
    setup = Setup("bench", game.seats[0], game.settings())

    def random_answer(table: Table[Any], ask: Ask) -> str:
        return game.random_answer(table.world, ask, stream)

    busy = collect_answers(Table(game, setup), random_answer)
    idle = collect_answers(Table(game, setup), lambda table, ask: "No moves")

    def one() -> Rules:
        loop, rate = loop_s(), rounds_per_s(Table(game, setup), busy)
        idle_rate = rounds_per_s(Table(game, setup), idle)
        return Rules(game.name, game.seats[0], rate, idle_rate, rate * loop)

    return [one() for _ in range(samples)]


def measure_ten_orders(samples: int) -> list[TenOrders]:
    """Rounds of Warlight with ten orders a side."""
    game = find_game("warlight")
    setup = Setup(SEED_OF_64, 2, parse(game.settings, {"max_rounds": ROUNDS}))
    answers = collect_answers(Table(game, setup), ten_orders)

    def one() -> TenOrders:
        loop, rate = loop_s(), rounds_per_s(Table(game, setup), answers)
        return TenOrders(rate, rate * loop)

    return [one() for _ in range(samples)]


def loop_s() -> float:
    """Seconds that a bare loop of a million steps takes now."""
    start = time.perf_counter()
    for _ in range(10**6):
        pass
    return time.perf_counter() - start


def ten_orders(table: Table[Any], ask: Ask) -> str:
    """Ten placements or ten attacks and transfers of Warlight, spread over what the seat has."""
    from arena.games.warlight.world import NAMES

    world, name = table.world, NAMES[ask.seat]
    own = [region for region in world.board.regions if world.owner[region] == ask.seat]
    if ask.head.endswith("place_armies"):
        return ", ".join(f"{name} place_armies {own[i % len(own)]} 1" for i in range(10))
    if ask.head.endswith("attack/transfer"):
        ways = [(source, to) for source in own for to in world.board.neighbors[source]]
        ways.sort(key=lambda way: (world.owner[way[1]] == ask.seat, -world.armies[way[0]]))
        return ", ".join(f"{name} attack/transfer {one} {to} 5" for one, to in ways[:10])
    return ask.tail.split()[0]


def collect_answers(table: Table[Any], answerer: Answerer) -> list[tuple[Reply, ...]]:
    """Play a match to its end and keep the answers."""
    answers: list[tuple[Reply, ...]] = []
    while table.outcome is None:
        answers.append(tuple(Answer(answerer(table, ask)) for ask in table.asked))
        table.answer_all(answers[-1])
    return answers


def rounds_per_s(table: Table[Any], answers: list[tuple[Reply, ...]]) -> float:
    """Rounds per second of one match with these answers."""
    table.take()
    rounds = 0
    start = time.perf_counter()
    for replies in answers:
        table.answer_all(replies)
        rounds += sum([type(step) is Show for step in table.take()])
    return rounds / (time.perf_counter() - start)
