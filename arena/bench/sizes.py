"""What a request costs on maps of several sizes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.bench.matches import instant_match
from arena.bench.requests import play_stamped
from arena.bots.program import BotProgram
from arena.runtime.affinity import pinned
from arena.sandbox.children import Children
from arena.sandbox.session import keeper_running, run_with

REGIONS = (16, 64, 256, 1000)
ROUNDS = 60


class Size(Struct, frozen=True):
    """Microseconds a request, and that in proportion to the smallest map."""

    regions: int
    us: float
    size_ratio: float


def measure_sizes(bot: BotProgram, samples: int) -> dict[int, list[Size]]:
    """Matches on all maps in turn, on one core; a first round warms up."""
    measured: dict[int, list[Size]] = {regions: [] for regions in REGIONS}
    with pinned(0), keeper_running() as keeper, tempfile.TemporaryDirectory() as folder:
        spec = instant_match(Path(folder), ROUNDS, bot=bot)
        specs = [replace(spec, map=ladder(regions)) for regions in REGIONS]

        async def one(children: Children) -> list[float]:
            return [(await play_stamped(spec, children))[0].us for spec in specs]

        for _ in range(samples + 1):
            costs = run_with(keeper, one)
            for regions, us in zip(REGIONS, costs, strict=True):
                measured[regions].append(Size(regions, us, us / costs[0]))
    return {regions: sizes[1:] for regions, sizes in measured.items()}


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
