"""Imports point down, and the pure parts know no process, no clock and no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import PURE_IMPORTS, imports

ROOT = Path(__file__).parents[1]

LAYERS = [
    {
        "arena.errors",
        "arena.rng",
        "arena.lines",
        "arena.clock",
        "arena.series",
        "arena.sizes",
        "arena.limits",
        "arena.signals",
    },
    {"arena.steps", "arena.settings", "arena.host", "arena.budget"},
    {"arena.game"},
    {"arena.games", "arena.table"},
    {"arena.sandbox", "arena.bots", "arena.wasm"},
    {"arena.players"},
    {"arena.replay", "arena.reports", "arena.books"},
    {"arena.referee", "arena.verify", "arena.run"},
    {"arena.match", "arena.check"},
    {"arena.workers", "arena.room"},
    {"arena.bench", "arena.doctor"},
    {"arena.cli"},
]
"""From the bottom up. A module imports from its own layer and those below it."""

PURE = [
    "errors", "rng", "lines", "clock", "series", "sizes", "steps", "settings", "budget", "game",
    "table",
]  # fmt: skip
ALLOWED = {"errno": {"errors"}, "random": {"rng"}, "importlib": {"game"}, "difflib": {"errors"}}
"""The few things beyond `PURE_IMPORTS`, and who may have them."""


def layer(module: str) -> int:
    parts = module.split(".")
    names = {".".join(parts[: i + 1]) for i in range(len(parts))}
    found = [i for i, layer in enumerate(LAYERS) if names & layer]
    assert found, f"{module} stands in no layer: add it to LAYERS"
    return max(found)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = [
    path for path in sorted((ROOT / "arena").rglob("*.py")) if path.parent.name != "__pycache__"
]


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_point_down(path: Path) -> None:
    name = module_name(path)
    if name in ("arena", "arena.__main__"):
        return  # the version, and the way into the command line
    for imported in imports(path):
        if imported.startswith("arena."):
            assert layer(imported) <= layer(name), f"{name} imports {imported}"


@pytest.mark.parametrize("name", PURE)
def test_the_pure_parts_are_pure(name: str) -> None:
    for imported in imports(ROOT / "arena" / f"{name}.py"):
        top = imported.partition(".")[0]
        if top != "arena":
            assert top in PURE_IMPORTS or name in ALLOWED.get(top, ()), f"{name} imports {imported}"


def test_nothing_but_the_package_stands_at_the_top() -> None:
    allowed = {
        "pyproject.toml", "README.md", "arena", "protocol.md", "sample_bots", "tests", "LICENSE",
        "CHANGELOG.md",
    }  # fmt: skip
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found - {"dist", "build"} == allowed
