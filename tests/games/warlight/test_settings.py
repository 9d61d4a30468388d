"""Settings: defaults, ranges, and what contradicts itself."""

from __future__ import annotations

from typing import Any

import pytest

from arena.core.settings import keys, parse
from arena.errors import SettingError
from arena.games.warlight.settings import WarlightSettings
from tests.games.values import assert_not_allowed
from tests.games.warlight.helpers import fresh


def test_the_defaults_are_those_of_the_rules() -> None:
    given = {key.name: key.default for key in keys(WarlightSettings)}
    assert given == {
        "timebank": 10000,
        "time_per_move": 500,
        "max_rounds": "2.5 × regions, rounded down",
        "max_rounds_rule": "seed",
        "starting_armies": 5,
        "luck": 160,
        "attacker_kill": 600,
        "defender_kill": 700,
        "neutral_armies": 2,
        "wasteland_armies": 6,
        "wastelands": "super regions / 2, rounded down",
        "wasteland_rule": "strict",
        "min_picks": 6,
        "pick_drop": 250,
        "max_orders": 0,
        "max_timeouts": 2,
        "min_supers": 8,
        "max_supers": 14,
    }


def test_every_key_is_explained() -> None:
    assert all(key.meaning and key.allowed for key in keys(WarlightSettings))


@pytest.mark.parametrize(
    "given",
    [
        {"luck": "1001"},
        {"luck": "-1"},
        {"attacker_kill": "1001"},
        {"max_rounds": "0"},
        {"max_rounds_rule": "both"},
        {"wasteland_rule": "loose"},
        {"wastelands": "-1"},
        {"neutral_armies": "0"},
        {"max_timeouts": "0"},
        {"starting_armies": "five"},
        {"min_supers": "1"},
    ],
    ids=str,
)
def test_values_out_of_range_are_refused(given: dict[str, str]) -> None:
    assert_not_allowed(WarlightSettings, given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"min_supers": 9, "max_supers": 8},
            "max_supers=8 is below min_supers=9: raise one or lower the other",
        ),
        ({"min_picks": 7}, "min_picks=7 is odd: give an even number, half for each player"),
    ],
)
def test_contradictions_are_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError) as error:
        parse(WarlightSettings, given)
    assert str(error.value) == sentence


def map_of(regions: int) -> Any:
    """A chain of regions in two super regions."""
    return {
        "Regions": [
            {"id": i, "superRegion": 1 + i % 2, "neighbors": [i + 1] if i < regions else []}
            for i in range(1, regions + 1)
        ],
        "SuperRegions": [{"id": 1, "bonus": 1}, {"id": 2, "bonus": 1}],
    }


@pytest.mark.parametrize(
    ("regions", "rule", "rounds"),
    [
        (19, "seed", 47),
        (19, "source", 60),
        (43, "seed", 107),
        (43, "source", 107),
        (64, "seed", 160),
    ],
)
def test_max_rounds_follows_from_the_map(regions: int, rule: str, rounds: int) -> None:
    assert fresh(data=map_of(regions), max_rounds_rule=rule).max_rounds == rounds


def test_a_given_max_rounds_stands() -> None:
    assert fresh(max_rounds=3, max_rounds_rule="source").max_rounds == 3
