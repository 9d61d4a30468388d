"""What the rules cost without any process, and what a proof costs beside them."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import arena
from arena.core.game import AnyGame, Game, Setup
from arena.core.registry import find_game, own_games
from arena.core.replies import Answer, Reply
from arena.core.rng import Stream
from arena.core.steps import Ask, Show
from arena.core.table import Table
from arena.league.audit import ProofWork, prove_result
from arena.league.types import PlannedMatch, Played, from_record
from arena.match.play import play_match
from arena.record.reader import Match
from arena.record.verify import verify
from arena.sandbox.session import keeper_running, run_with
from tests.experiments.bench.matches import REQUESTS_A_ROUND, ROUNDS, instant_match
from tests.experiments.bench.samples import Sample

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


def measure_audits(samples: int) -> list[Sample]:
    """What `arena verify` of a league does with the record of each match, on one core: matches per
    second of CPU time, against the rules alone on the same answers. These are random, by default
    settings."""
    games = [game for game in own_games() if isinstance(game, Game)]
    with tempfile.TemporaryDirectory() as folder:
        matches = [(game, _recorded(game, Path(folder, f"{game.name}.jsonl.gz"))) for game in games]

        def one() -> Sample:
            found = {}
            for game, (setup, answers, work) in matches:
                rules = _seconds(lambda: _replay(Table(game, setup), answers))  # noqa: B023  it is called here
                proof = _seconds(lambda: _require_proof(work))  # noqa: B023
                found[f"{game.name}.matches_per_s"] = 1 / proof
                found[f"{game.name}.rules_ratio"] = proof / rules
            return found

        return [one() for _ in range(samples)]


def _recorded(game: AnyGame, record: Path) -> tuple[Setup[Any], list[tuple[Reply, ...]], ProofWork]:
    """A match of functions that answer at random, and its record as the work of an audit."""
    setup, answers = _random_match(game)
    table, left = Table(game, setup), [deque[str]() for _ in range(setup.seats)]
    for replies in answers:
        for ask, reply in zip(table.asked, replies, strict=True):
            assert isinstance(reply, Answer)
            left[ask.seat].append(reply.text)
        table.answer_all(replies)
    bots = [partial(lambda own, lines: own.popleft(), own) for own in left]
    arena.play(game.name, bots, seed="bench", replay=record)
    match = Match.ending(record)
    fixture = PlannedMatch(1, "f", "league", 0, "bench", "bench", tuple(map(str, range(len(left)))))
    sha256 = hashlib.sha256(record.read_bytes()).hexdigest()
    played = Played(1, fixture, 1, from_record(match), sha256, None)
    return setup, answers, ProofWork(played, record, True, "bench")


def _require_proof(work: ProofWork) -> None:
    found = prove_result(work)
    assert not found.problem, found.problem


def _replay(table: Table[Any], answers: list[tuple[Reply, ...]]) -> None:
    table.take()
    for replies in answers:
        table.answer_all(replies)
        table.take()


def _seconds(work: Callable[[], None]) -> float:
    """Seconds of CPU time."""
    start = time.process_time()
    work()
    return time.process_time() - start


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
