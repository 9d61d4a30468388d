"""Measurements: ``python -m tests.experiments.bench [NAME…]``, with ``--help`` for its options.

The speed of a machine drifts, between runs more than within one. So what is compared with a saved
run are proportions alone: figures that were divided, sample by sample, by something that was
measured in the same moment.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec

from arena.cli.text.layout import table
from arena.errors import BotError
from tests.experiments.bench.fixed import measure_fixed
from tests.experiments.bench.requests import (
    measure_c_request,
    measure_request,
    measure_sizes,
    measure_waiting,
)
from tests.experiments.bench.rules import measure_audits, measure_proofs, measure_rules
from tests.experiments.bench.samples import Spread, compare, spreads
from tests.experiments.bench.starts import measure_start, measure_walls

MEASUREMENTS = {
    "request": measure_request,
    "c_request": measure_c_request,
    "waiting": measure_waiting,
    "sizes": measure_sizes,
    "start": measure_start,
    "fixed": measure_fixed,
    "rules": measure_rules,
    "proof": measure_proofs,
    "audit": measure_audits,
    "walls": measure_walls,
}


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print it."""
    asked = _asked(words)
    then = read_run(asked.against) if asked.against else {}
    now = measure(asked.names or list(MEASUREMENTS), asked.samples, asked.before)
    rows = [[name, _median(one), _interval(one)] for name, one in now.items()]
    print(table(("", "median", "95 % interval"), rows))
    if asked.save:
        asked.save.write_bytes(msgspec.json.encode(now))
    if found := compare(now, then):
        rows = [[one.name, _interval(one.then), _interval(one.now), one.verdict] for one in found]
        print(f"\n{table(('in proportion', 'then', 'now', ''), rows)}")


def _asked(words: Sequence[str] | None) -> argparse.Namespace:
    known = ", ".join(MEASUREMENTS)
    parser = argparse.ArgumentParser(
        prog="python -m tests.experiments.bench",
        description="Measure the arena beside the least that such work can cost.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {known} (all)")
    parser.add_argument("--samples", type=int, default=15, help="of each figure (15)")
    parser.add_argument("--save", type=Path, help="keep the run in this file")
    parser.add_argument("--against", type=Path, help="compare with a run that was saved")
    parser.add_argument("--before", type=Path, help="another checkout, measured in turn (fixed)")
    asked = parser.parse_args(words)
    if unknown := set(asked.names) - set(MEASUREMENTS):
        parser.error(f"there is no {', '.join(sorted(unknown))}: choose from {known}")
    return asked


def measure(names: Sequence[str], samples: int, before: Path | None = None) -> dict[str, Spread]:
    """The figures of these measurements."""
    measurements = MEASUREMENTS | {"fixed": partial(measure_fixed, before=before)}
    figures: dict[str, Spread] = {}
    for name in names:
        try:
            taken = measurements[name](samples)
        except BotError as error:
            print(f"{name} is left out: {error}")
        else:
            figures |= {f"{name}.{what}": one for what, one in spreads(taken).items()}
    return figures


def read_run(path: Path) -> dict[str, Spread]:
    """A run that was saved."""
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Spread])


def _median(one: Spread) -> str:
    return f"{one.median:.4g}"


def _interval(one: Spread) -> str:
    return f"{one.low:.4g} to {one.high:.4g}"


if __name__ == "__main__":
    main()
