"""``arena bench``: it measures what it says, on whatever machine. How fast that is, is for people
to read; here only what cannot depend on the load."""

from __future__ import annotations

import json

from arena.bench.matches import SEED_OF_64
from arena.game import Setup, find_game, game_names
from tests.cli.conftest import Arena


def test_the_map_has_64_regions() -> None:
    game = find_game("warlight")
    world = game.world(Setup(SEED_OF_64, 2, game.settings()))
    assert len(world.board.regions) == 64


def test_the_document(arena: Arena) -> None:
    ran = arena("bench", "--quick", "--json")
    assert ran.status == 0
    document = json.loads(ran.out)
    request = document["request"]
    assert set(request) == {"us", "floor_us", "floor_ratio"}
    assert min(request.values()) > 0
    assert min(document["start"].values()) > 0
    assert [rules["game"] for rules in document["rules"]] == game_names()
    assert all(rules["rounds_per_s"] > 10 for rules in document["rules"])
    assert document["ten_orders_rounds_per_s"] > 100
    assert document["jobs"]["one"] > 0
    off, *behind = document["walls"]
    assert off["level"] == "off"
    for walls in document["walls"]:
        assert min(walls["start_ms"], walls["request_us"], walls["look_us"]) > 0
    assert all(walls["level"] != "off" for walls in behind)
