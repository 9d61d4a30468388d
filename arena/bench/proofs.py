"""What it costs to prove a record, against playing its rules again."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from msgspec import Struct

from arena.bench.matches import REQUESTS_A_ROUND, ROUNDS, instant_bot, instant_match
from arena.bench.rules import collect_answers, rounds_per_s
from arena.core.registry import find_game
from arena.core.table import Table
from arena.errors import ArenaFault
from arena.match.play import play_match
from arena.record.verify import verify
from arena.sandbox.session import keeper_running, run_with


class Proof(Struct, frozen=True):
    """Microseconds a request of a recorded match of Warlight; and that in proportion to the rules
    alone with the same answers."""

    us: float
    rules_ratio: float


def measure_proofs(samples: int) -> list[Proof]:
    """The same record again and again."""
    with tempfile.TemporaryDirectory() as folder:
        spec = instant_match(Path(folder), bot=instant_bot())
        with keeper_running() as keeper:
            run_with(keeper, lambda children: play_match(spec, children))
        assert spec.replay is not None
        game = find_game(spec.game)
        answers = collect_answers(Table(game, spec.setup), lambda table, ask: "No moves")

        def one(record: Path) -> Proof:
            us = _verify_s(record) / ROUNDS / REQUESTS_A_ROUND * 1e6
            rules = 1e6 / REQUESTS_A_ROUND / rounds_per_s(Table(game, spec.setup), answers)
            return Proof(us, us / rules)

        return [one(spec.replay) for _ in range(samples)]


def _verify_s(record: Path) -> float:
    """Seconds to prove a record."""
    start = time.perf_counter()
    verdict = verify(record)
    took = time.perf_counter() - start
    if not verdict.ok:
        raise ArenaFault(f"the record of the bench is not right: {verdict.problem}")
    return took
