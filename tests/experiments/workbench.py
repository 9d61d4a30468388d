"""Simulations with a known truth: ``python -m tests.experiments.workbench NAME``.

errors    how often the pool test accepts a wrong hypothesis, and what it costs beside a test whose
          versions play on seeds of their own
tunes     how near to the best six numbers come that are worth 2 Elo each
nothing   how often a tune of numbers without an effect says so, and when
blunders  how often one planted blunder in a match is among the three turning points of its bot
worse     how often a tune ships worse numbers, when it starts at the best ones
cycles    how often a cycle planted among 12 bots is found, at 200 games a pair, and how often
          one is found in a field that ratings explain
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from random import Random
from statistics import mean
from typing import Any

from arena.tournament.meta import field_report
from arena.tournament.sprt import Sprt, SprtVerdict
from arena.tournament.standings import wilson
from arena.workbench.spsa import Spsa
from arena.workbench.tune import FINAL, GIVE_UP
from tests.workbench.blunders import planted
from tests.workbench.fields import BOTS, PLANTED, played, ratings, transitive, with_cycle
from tests.workbench.simulation import World, compared, hill, tuned

WORLD = World()


def share(what: str, of: list[bool]) -> None:
    """Print how often something was so, with its 95 % interval."""
    low, high = wilson(sum(of), len(of))
    print(f"{what}: {sum(of)} of {len(of)} = {sum(of) / len(of):.1%} ({low:.1%} to {high:.1%})")


def errors(runs: int, map_: Any, *, elo1: float) -> None:
    """See above."""
    same = list(map_(partial(_compared, elo1, 0.0, True), range(runs)))
    better = list(map_(partial(_compared, elo1, elo1, True), range(runs)))
    alone = list(map_(partial(_compared, elo1, elo1, False), range(max(100, runs // 5))))
    share("equal versions: 'better'", [v is SprtVerdict.BETTER for v, _ in same])
    share(f"better by {elo1:g} Elo: 'not better'", [v is SprtVerdict.NOT_BETTER for v, _ in better])
    share("the same on seeds of their own", [v is SprtVerdict.NOT_BETTER for v, _ in alone])
    paired, apart = mean(n for _, n in better), mean(n for _, n in alone)
    print(f"games, equal: {mean(n for _, n in same):.0f}")
    print(f"games, better: {paired:.0f} on common seeds, {apart:.0f} on seeds of their own: "
          f"{1 - paired / apart:.0%} fewer")  # fmt: skip


def _compared(elo1: float, elo: float, paired: bool, run: int) -> tuple[SprtVerdict, int]:
    test, strength = Sprt(elo1=elo1), WORLD.strength(elo) if elo else 0.0
    return compared(WORLD, 0.0, strength, test, f"{elo}.{run}", paired=paired, most=20_000)


def tunes(runs: int, map_: Any, *, iterations: int, worth: float, off: float) -> None:
    """See above. The numbers start `off` steps from their best, and cost `worth` a step off."""
    losses = list(map_(partial(_tuned, iterations, worth, off), range(runs)))
    print(f"{iterations} iterations, {4 * iterations} games; lost at the start: "
          f"{6 * worth * off**2:g} Elo, at the end: {mean(losses):.2f} in the mean")  # fmt: skip
    share("within 0.5 Elo of the best", [loss <= 0.5 for loss in losses])


def _tuned(iterations: int, worth: float, off: float, run: int) -> float:
    truth = hill(6, worth, off)
    found = tuned(WORLD, truth, iterations, f"t{run}", _never, worth=worth)
    return -truth.elo(found.values())


def _never(spsa: Spsa, told: int) -> bool:
    return False


def _when_useless(iterations: int) -> Callable[[Spsa, int], bool]:
    return lambda spsa, told: told >= GIVE_UP * iterations and not spsa.has_effect()


def nothing(runs: int, map_: Any, *, iterations: int) -> None:
    """See above."""
    said = list(map_(partial(_nothing, iterations), range(runs)))
    share(f"'no measurable effect' after {GIVE_UP:.0%} of {iterations} iterations", said)


def _nothing(iterations: int, run: int) -> bool:
    look = _when_useless(iterations)
    return not tuned(WORLD, hill(6, 0.0, 0.5), iterations, f"n{run}", look).has_effect()


def worse(runs: int, map_: Any, *, iterations: int) -> None:
    """See above. Each is compared at the end, as if an effect had been found."""
    ended = list(map_(partial(_worse, iterations), range(runs)))
    print(f"lost by the tuned numbers: {mean(loss for loss, _ in ended):.2f} Elo in the mean")
    share("worse numbers shipped", [shipped for _, shipped in ended])


def _worse(iterations: int, run: int) -> tuple[float, bool]:
    truth = hill(6, 8.0, 0.0)
    spsa = tuned(WORLD, truth, iterations, f"w{run}", _never)
    elo = truth.elo(spsa.values())
    verdict, _ = compared(WORLD, 0.0, elo, FINAL, f"w{run}.final", most=5000)
    return -elo, verdict is SprtVerdict.BETTER


def cycles(runs: int, map_: Any, *, beyond: float) -> None:
    """See above. Each of three bots beats the next by `beyond` Elo more than its rating says."""
    for kind in ("independent", "lucky maps"):
        there = list(map_(partial(_cycles, kind, beyond), range(runs)))
        absent = list(map_(partial(_cycles, kind, 0.0), range(runs)))
        share(f"{kind}: a cycle of {beyond:g} Elo found", [planted for planted, _ in there])
        share(f"{kind}: another one beside it", [other for _, other in there])
        share(f"{kind}: one found where ratings explain all", [other for _, other in absent])


def _cycles(kind: str, beyond: float, run: int) -> tuple[bool, bool]:
    """Whether the planted cycle was found, and whether another."""
    rng = Random(f"cycles {kind} {beyond} {run}")
    elo = ratings(rng)
    gaps = with_cycle(elo, beyond) if beyond else transitive(elo)
    names = [str(bot) for bot in range(BOTS)]
    report = field_report(names, played(rng, gaps, 200, kind), draws=2, nash_draws=0)
    planted = [set(map(int, one.bots)) == set(PLANTED) and beyond > 0 for one in report.cycles]
    return any(planted), not all(planted)


def blunders(runs: int, map_: Any) -> None:
    """See above. Matches of Warlight in which there was no chance for a blunder do not count."""
    found = [one for one in map_(_blundered, range(runs)) if one is not None]
    share("a planted blunder that is a turning point", [one for one, _, _ in found])
    share("one among the rounds of a turning point", [one for _, one, _ in found])
    share("one that is a turning point, if it cost 15 %", [one for one, _, cost in found if cost])


def _blundered(run: int) -> tuple[bool, bool, bool] | None:
    found = planted(run)
    return None if found is None else (found.is_found, found.is_within, found.cost_chance)


def main() -> None:
    """Run one of the simulations."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = ["errors", "tunes", "nothing", "worse", "cycles", "blunders"]
    parser.add_argument("name", choices=names)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--elo1", type=float, default=40.0)
    parser.add_argument("--beyond", type=float, default=100.0)
    parser.add_argument("--worth", type=float, default=2.0)
    parser.add_argument("--off", type=float, default=1.0)
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as processes:
        map_ = partial(processes.map, chunksize=4)
        if given.name == "errors":
            errors(given.runs or 5000, map_, elo1=given.elo1)
        elif given.name == "tunes":
            tunes(
                given.runs or 200,
                map_,
                iterations=given.iterations or 50_000,
                worth=given.worth,
                off=given.off,
            )
        elif given.name == "cycles":
            cycles(given.runs or 1000, map_, beyond=given.beyond)
        elif given.name == "blunders":
            blunders(given.runs or 200, map_)
        elif given.name == "nothing":
            nothing(given.runs or 200, map_, iterations=given.iterations or 4000)
        else:
            worse(given.runs or 200, map_, iterations=given.iterations or 2000)


if __name__ == "__main__":
    main()
