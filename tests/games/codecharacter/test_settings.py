"""Settings: defaults, ranges, and what contradicts itself."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import asdict

from arena.core.budget import Budget
from arena.core.settings import keys, parse
from arena.errors import SettingError
from arena.games.codecharacter.settings import CodecharacterSettings, budget
from tests.games.codecharacter.helpers import fresh, settings
from tests.games.values import assert_not_allowed


def test_the_defaults_are_those_of_the_rules() -> None:
    given = {key.name: key.default for key in keys(CodecharacterSettings)}
    assert given == {
        "timebank": 10000,
        "time_per_move": 100,
        "map_size": 30,
        "tile_size": 50,
        "num_turns": 1000,
        "num_soldiers": 20,
        "respawn_turns": 10,
        "soldier_hp": 100,
        "soldier_damage": 50,
        "soldier_speed": 50,
        "attack_range": 60,
        "immune_turns": 2,
        "money_start": 300,
        "soldier_reward": 200,
        "tower_costs": (800, 800, 800),
        "tower_hp": (7000, 10000, 15000),
        "tower_ranges": (2, 3, 4),
        "tower_kill_reward": (300, 500, 700),
        "suicide_refund": "third",
        "max_towers": 15,
        "tower_cap_rule": "final",
        "max_level": 3,
        "base_tiles": (4, 4, 25, 25),
        "turn_limit": "bank",
        "game_limit": "3, or 3 × turn_limit",
    }


def test_every_key_is_explained() -> None:
    assert all(key.meaning and key.allowed for key in keys(CodecharacterSettings))


@pytest.mark.parametrize(
    "given",
    [
        {"map_size": "3"},
        {"map_size": "97"},
        {"num_turns": "0"},
        {"num_soldiers": "0"},
        {"respawn_turns": "0"},
        {"soldier_speed": "0"},
        {"soldier_hp": "1.5"},
        {"immune_turns": "-1"},
        {"money_start": str(2**63)},
        {"tower_costs": "800 800"},
        {"tower_costs": "500 300 many"},
        {"suicide_refund": "half"},
        {"tower_cap_rule": "seed"},
        {"max_level": "4"},
        {"max_towers": "0"},
        {"base_tiles": "4 4"},
        {"turn_limit": "0"},
        {"turn_limit": "soon"},
        {"turn_limit": "1000000000001"},
        {"game_limit": "0"},
    ],
    ids=str,
)
def test_values_out_of_range_are_refused(given: dict[str, str]) -> None:
    assert_not_allowed(CodecharacterSettings, given)


@pytest.mark.parametrize(
    "given",
    [
        {"base_tiles": "4 4 25 24"},
        {"base_tiles": "31 4 0 25"},
        {"map_size": "12"},
        {"map_size": "9", "base_tiles": "4 4 4 4"},
    ],
    ids=str,
)
def test_bases_must_mirror_each_other(given: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=r"that mirror each other on a map of .* give for exam"):
        parse(CodecharacterSettings, given)


def test_the_advice_for_the_bases_can_be_followed() -> None:
    with pytest.raises(SettingError) as error:
        settings(map_size="12")
    assert str(error.value) == (
        "base_tiles=4,4,25,25 are not two tiles that mirror each other on a map of 12 × 12: "
        "give for example 1,1,10,10"
    )
    for size in range(4, 97):
        last = size - 1
        near = max(size // 6 - 1, 0)
        assert settings(map_size=size, base_tiles=(near, near, last - near, last - near))


def test_the_old_prices_can_be_had() -> None:
    made = fresh(settings(tower_costs="500 300 300", money_start=str(2**63 - 1)))
    assert made.settings.tower_costs == (500, 300, 300)
    assert made.money == [2**63 - 1, 2**63 - 1]


@pytest.mark.parametrize(
    ("given", "limits"),
    [
        ({}, ("bank", 3)),
        ({"game_limit": "5"}, ("bank", 5)),
        ({"turn_limit": "10000000"}, (10_000_000, 30_000_000)),
        ({"turn_limit": "500", "game_limit": "500"}, (500, 500)),
        ({"turn_limit": "1000000000000"}, (10**12, 10**12)),
    ],
    ids=str,
)
def test_the_limits_are_banks_or_instructions(
    given: dict[str, str], limits: tuple[str | int, int]
) -> None:
    found = parse(CodecharacterSettings, given)
    assert (found.turn_limit, found.game_limit) == limits
    assert budget(found) == (None if limits[0] == "bank" else Budget(int(limits[0]), limits[1]))
    assert parse(CodecharacterSettings, asdict(found)) == found  # as a replay has them


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"game_limit": "30000000"},
            "game_limit=30000000 is not allowed with turn_limit=bank: "
            "give a whole number from 2 to 100",
        ),
        (
            {"turn_limit": "1000", "game_limit": "999"},
            "game_limit=999 is not allowed with turn_limit=1000: "
            "give a whole number from 1000 to 1000000000000",
        ),
        (
            {"turn_limit": "banks"},
            "turn_limit=banks is not allowed: give bank or a whole number from 1 to 1000000000000",
        ),
    ],
    ids=str,
)
def test_limits_that_do_not_go_together(given: dict[str, str], message: str) -> None:
    with pytest.raises(SettingError) as error:
        parse(CodecharacterSettings, given)
    assert str(error.value) == message
