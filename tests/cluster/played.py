"""A match that an honest worker would have played, for tests in which others lie about it."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from arena.api.conditions import Conditions, make_spec
from arena.cluster.dispatch import DispatchedMatch
from arena.cluster.work import Hello, hello
from arena.match.play import play_match
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import PythonEntrant, StoredEntrant
from arena.sandbox.levels import Level
from arena.sandbox.session import trio_run

NAMES = "ann", "ben"
CONDITIONS = Conditions(settings={"max_rounds": 3}, seed="7", start_up=1000, clock="wall")


def hello_of_a_worker(level: Level = Level.CGROUP, least: Level = Level.OFF) -> Hello:
    return hello(level, least)


def stored(folder: Path, **changes: object) -> MatchSpec:
    """A match of two bots that lie in a folder, as a judge asks for it."""
    for name in NAMES:
        (folder / f"{name}.py").write_text(f"print('{name}')\n")
    bots = tuple(StoredEntrant(name, folder / f"{name}.py") for name in NAMES)
    conditions: Conditions = {**CONDITIONS, **changes}  # type: ignore[typeddict-item]
    return replace(make_spec("warlight", [_passive] * 2, conditions), entrants=bots)


def answer(spec: MatchSpec, record: Path) -> MatchReport:
    """What a worker makes of it: a record, and a report."""
    bots = tuple(PythonEntrant(one.name, _passive) for one in spec.entrants)
    return trio_run(lambda: play_match(replace(spec, entrants=bots, replay=record)))


def match_of(spec: MatchSpec) -> DispatchedMatch:
    return DispatchedMatch.of(spec)


def _passive(lines: list[str]) -> str:
    return "No moves"
