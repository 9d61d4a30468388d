"""``arena bench`` measures what it says, on any machine. How fast that is, is for people to read;
here only what is far from any limit, in proportion."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.bench.matches import SEED_OF_64
from arena.bench.measure import bench
from arena.cli import bench as command
from arena.core.game import Setup
from arena.core.registry import find_game, game_names
from tests.cli.conftest import Arena


def test_the_map_has_64_regions() -> None:
    game = find_game("warlight")
    world = game.world(Setup(SEED_OF_64, 2, game.settings()))
    assert len(world.board.regions) == 64


@pytest.mark.dear
@pytest.mark.alone
def test_the_document(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the fewest samples."""
    monkeypatch.setattr(command, "bench", lambda scale, progress: bench(scale / 10, progress))
    ran = arena("bench", "--quick", "--json")
    assert ran.status == 0
    document = json.loads(ran.out)
    request = document["request"]
    assert {"us", "floor_us", "floor_ratio"} <= set(request)
    assert min(request["us"], request["floor_us"], request["arena_cpu_us"]) > 0
    assert request["us"] == document["spreads"]["request.us"]["median"]
    assert min(document["start"].values()) > 0
    assert [rules["game"] for rules in document["rules"]] == game_names()
    start = document["start"]["trio_ms"]
    assert all(1000 / rules["rounds_per_s"] < start for rules in document["rules"])
    assert 1000 / document["ten_orders_rounds_per_s"] < start / 10
    assert [size["regions"] for size in document["sizes"]] == [16, 64, 256, 1000]
    assert all(size["us"] > 0 for size in document["sizes"])
    assert document["proof"]["rules_ratio"] > 1
    assert document["jobs"]["one"] > 0
    off, *behind = document["walls"]
    assert off["level"] == "off"
    for walls in document["walls"]:
        assert min(walls["start_ms"], walls["request_us"], walls["look_us"]) > 0
    assert all(walls["level"] != "off" for walls in behind)


def test_against_what_is_no_run_of_it(arena: Arena, tmp_path: Path) -> None:
    saved = tmp_path / "then.json"
    saved.write_text("{}")
    ran = arena("bench", "--against", str(saved))
    assert ran.status == 2
    assert "save one with arena bench --json" in ran.err
    missing = arena("bench", "--against", str(tmp_path / "missing.json"))
    assert missing.status == 2
    assert "No such file" in missing.err
