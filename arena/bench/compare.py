"""This run against an earlier one.

The speed of a machine drifts, between runs more than within one. So only proportions are compared:
figures that were divided, sample by sample, by something measured in the same moment.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from arena.bench.measure import Bench
from arena.bench.samples import Spread, differ, enough
from arena.errors import UsageError
from arena.record.source import open_plain

MORE_IS_BETTER = ("rounds_per_loop", "ratio")
LESS_IS_BETTER = (
    *("floor_ratio", "trio_ratio", "long_ratio", "start_ratio", "request_ratio"),
    *("size_ratio", "rules_ratio"),
)
"""The proportions, by their last word. (`ratio` alone is that of two matches at a time.)"""


class Comparison(Struct, frozen=True):
    """One proportion, then and now."""

    name: str
    then: Spread
    now: Spread
    verdict: str
    """``better``, ``worse``, ``noise`` where the runs do not tell, or ``too few samples``."""

    @property
    def ratio(self) -> float:
        """Now, in units of then."""
        return self.now.median / self.then.median


def compare(now: Bench, then: Bench) -> list[Comparison]:
    """All proportions that both runs have."""
    return [
        Comparison(name, then.spreads[name], spread, _verdict(name, spread, then.spreads[name]))
        for name, spread in now.spreads.items()
        if name.split(".")[-1] in (*MORE_IS_BETTER, *LESS_IS_BETTER)
        and name in then.spreads
        and not name.startswith(("walls.off.", "sizes.16."))
    ]


def _verdict(name: str, now: Spread, then: Spread) -> str:
    if not enough(now, then):
        return "too few samples"
    if not differ(now, then):
        return "noise"
    rose = now.median > then.median
    return "better" if rose is (name.split(".")[-1] in MORE_IS_BETTER) else "worse"


def read_bench(path: Path) -> Bench:
    """A run that was saved with ``arena bench --json``. Raises UsageError."""
    try:
        with open_plain(path) as file:
            return msgspec.json.decode(file.read(), type=Bench)
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}: name a run that was saved with --json"
        ) from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} is no run of this release ({error}): save one with arena bench --json > FILE"
        ) from None
