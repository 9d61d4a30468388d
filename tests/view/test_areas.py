"""Maps whose regions have no places of their own are laid out without tangles, large ones too."""

from __future__ import annotations

import json
import subprocess
from itertools import product
from pathlib import Path

import pytest

from arena.view import page
from tests.support.tools import needs_tool

SCRIPT = """
const [neighbors, groups] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const places = arena.spread(neighbors, groups);
const sides = arena.areas(places).map((area) => area.map(({ other }) => other));
console.log(JSON.stringify({ places: places.map(({ x, y }) => [x, y]), sides }));
"""


def lattice(wide: int, tall: int) -> tuple[list[list[int]], list[int]]:
    """The neighbours of each region of a map of hexagons, and the super region of each."""
    cells = list(product(range(tall), range(wide)))
    number = {cell: i for i, cell in enumerate(cells)}
    steps = {0: ((0, 1), (1, 0), (1, -1)), 1: ((0, 1), (1, 0), (1, 1))}
    found: list[list[int]] = [[] for _ in cells]
    for (y, x), i in number.items():
        for down, right in steps[y % 2]:
            if (j := number.get((y + down, x + right))) is not None:
                found[i].append(j)
                found[j].append(i)
    return found, [(y // 4) * wide + x // 4 for y, x in cells]


@pytest.mark.parametrize(("wide", "tall"), [(8, 6), (24, 15)])
def test_a_map_without_places_is_laid_out_flat(wide: int, tall: int) -> None:
    neighbors, groups = lattice(wide, tall)
    static = Path(page.__file__).with_name("static")
    scripts = [static / "loader.js", static / "dom.js", static / "areas.js"]
    browser = "const window = { matchMedia: () => ({}) }; const document = {};"
    code = [path.read_text("utf-8") for path in scripts]
    code[0] = code[0].partition("(async")[0]
    run = subprocess.run(
        [needs_tool("node", "nodejs"), "-e", "\n".join([browser, *code, SCRIPT])],
        input=json.dumps([neighbors, groups]),
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(run.stdout)
    apart = [
        ((x - u) ** 2 + (y - v) ** 2) ** 0.5
        for i, (x, y) in enumerate(told["places"])
        for u, v in told["places"][:i]
    ]
    assert min(apart) > 1.6  # a number has room
    links = [(i, j) for i, others in enumerate(neighbors) for j in others]
    touching = sum(j in told["sides"][i] for i, j in links)
    assert touching > 0.97 * len(links)
