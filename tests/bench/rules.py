"""What the rules cost without any process, and what a proof costs beside them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.core.game import AnyGame, Game, Setup
from arena.core.registry import find_game, own_games
from arena.core.replies import Answer, Reply
from arena.core.rng import Stream
from arena.core.steps import Ask, Show
from arena.core.table import Table
from arena.match.play import play_match
from arena.record.verify import verify
from arena.sandbox.session import keeper_running, run_with
from tests.bench.matches import REQUESTS_A_ROUND, ROUNDS, instant_match
from tests.bench.samples import Sample

Answerer = Callable[[Table[Any], Ask], str]


def measure_rules(samples: int) -> list[Sample]:
    """Rounds per second of each game through the table alone: random legal answers with default
    settings; and rounds in the time of a bare loop of a million steps."""
    games = [game for game in own_games() if isinstance(game, Game)]
    matches = [(game, *_random_match(game)) for game in games]

    def one() -> Sample:
        found = {}
        for game, setup, answers in matches:
            loop, rate = _loop_s(), _rounds_per_s(Table(game, setup), answers)
            found[f"{game.name}.rounds_per_s"] = rate
            found[f"{game.name}.rounds_per_loop"] = rate * loop
        return found

    return [one() for _ in range(samples)]


def _random_match(game: AnyGame) -> tuple[Setup[Any], list[tuple[Reply, ...]]]:
    stream = Stream("bench", "random")
    setup = Setup("bench", game.seats[0], game.settings())
    table = Table(game, setup)
    return setup, collect_answers(
        table, lambda table, ask: game.random_answer(table.world, ask, stream)
    )


def measure_proofs(samples: int) -> list[Sample]:
    """A request of a recorded match that is proved: against its rules alone."""
    with tempfile.TemporaryDirectory() as folder:
        spec = instant_match(Path(folder))
        with keeper_running() as keeper:
            run_with(keeper, lambda children: play_match(spec, children))
        assert spec.replay is not None
        game = find_game(spec.game)
        answers = collect_answers(Table(game, spec.setup), lambda table, ask: "No moves")

        def one(record: Path) -> Sample:
            us = _verify_s(record) / ROUNDS / REQUESTS_A_ROUND * 1e6
            rules = 1e6 / REQUESTS_A_ROUND / _rounds_per_s(Table(game, spec.setup), answers)
            return {"us": us, "rules_ratio": us / rules}

        return [one(spec.replay) for _ in range(samples)]


def collect_answers(table: Table[Any], answerer: Answerer) -> list[tuple[Reply, ...]]:
    """Play a match to its end and keep the answers."""
    answers: list[tuple[Reply, ...]] = []
    while table.outcome is None:
        answers.append(tuple(Answer(answerer(table, ask)) for ask in table.asked))
        table.answer_all(answers[-1])
    return answers


def _rounds_per_s(table: Table[Any], answers: list[tuple[Reply, ...]]) -> float:
    """Rounds per second of one match with these answers."""
    table.take()
    rounds = 0
    start = time.perf_counter()
    for replies in answers:
        table.answer_all(replies)
        rounds += sum([type(step) is Show for step in table.take()])
    return rounds / (time.perf_counter() - start)


def _loop_s() -> float:
    """Seconds that a bare loop of a million steps takes now."""
    start = time.perf_counter()
    for _ in range(10**6):
        pass
    return time.perf_counter() - start


def _verify_s(record: Path) -> float:
    """Seconds to prove a record."""
    start = time.perf_counter()
    verdict = verify(record)
    took = time.perf_counter() - start
    assert verdict.ok, verdict.problem
    return took
