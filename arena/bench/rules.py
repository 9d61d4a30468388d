"""Rounds per second through the table alone, without any process."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

from msgspec import Struct

from arena.bench.matches import ROUNDS, SEED_OF_64
from arena.game import Game, Setup, find_game
from arena.rng import Stream
from arena.settings import parse
from arena.steps import Answer, Ask, Reply, Show
from arena.table import Table


class Rules(Struct, frozen=True):
    """Rounds per second without processes, with default settings: when all seats give random
    legal answers, and when all say ``No moves``."""

    game: str
    seats: int
    rounds_per_s: float
    idle_rounds_per_s: float


Answerer = Callable[[Table, Ask], str]


def measure_rules(game: Game, samples: int) -> Rules:
    """The same answers again and again through fresh tables; the medians."""
    stream = Stream("bench", "random")
    setup = Setup("bench", game.seats[0], game.settings())

    def random_answer(table: Table, ask: Ask) -> str:
        return game.random_answer(table.world, ask, stream)

    busy = rounds_per_s(game, setup, random_answer, samples)
    idle = rounds_per_s(game, setup, lambda table, ask: "No moves", samples)
    return Rules(game.name, game.seats[0], busy, idle)


def measure_ten_orders(samples: int) -> float:
    """Rounds of Warlight per second with ten orders a side."""
    game = find_game("warlight")
    setup = Setup(SEED_OF_64, 2, parse(game.settings, {"max_rounds": ROUNDS}))
    return rounds_per_s(game, setup, ten_orders, samples)


def ten_orders(table: Table, ask: Ask) -> str:
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


def rounds_per_s(game: Game, setup: Setup, answerer: Answerer, samples: int) -> float:
    """Rounds per second of one match, its answers worked out beforehand."""
    answers = collect_answers(Table(game, setup), answerer)
    return median(_replay_rate(Table(game, setup), answers) for _ in range(samples))


def collect_answers(table: Table, answerer: Answerer) -> list[tuple[Reply, ...]]:
    """Play a match to its end and keep the answers."""
    answers: list[tuple[Reply, ...]] = []
    while table.outcome is None:
        answers.append(tuple(Answer(answerer(table, ask)) for ask in table.asked))
        table.answer_all(answers[-1])
    return answers


def _replay_rate(table: Table, answers: list[tuple[Reply, ...]]) -> float:
    table.take()
    rounds = 0
    start = time.perf_counter()
    for replies in answers:
        table.answer_all(replies)
        rounds += sum([type(step) is Show for step in table.take()])
    return rounds / (time.perf_counter() - start)
