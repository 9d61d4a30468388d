"""Settings: defaults, ranges, and what contradicts itself."""

from __future__ import annotations

from typing import Any

import pytest

from arena.core.settings import keys, parse
from arena.errors import SettingError
from arena.games.toroid.settings import ToroidSettings
from tests.games.toroid.helpers import fresh
from tests.games.values import assert_not_allowed


def test_the_defaults_are_those_of_the_rules() -> None:
    given = {key.name: key.default for key in keys(ToroidSettings)}
    assert given == {
        "timebank": 10000,
        "time_per_move": 100,
        "countries_per_player": 3,
        "neutrals": "2 × players",
        "start_units": 2,
        "neutral_units_min": 1,
        "neutral_units_max": 5,
        "normal_game_turn_per_player": 20,
        "occupation_win": 3,
        "domination_win": 1,
        "max_attack_units": 10,
        "max_transfer_units": 10,
        "max_resident_units": 20,
        "unfriendly_transfer": "off",
        "die": "proportional",
        "visibility": "neighbours",
        "reasks": 1,
    }


def test_every_key_is_explained() -> None:
    assert all(key.meaning and key.allowed for key in keys(ToroidSettings))


@pytest.mark.parametrize(
    "given",
    [
        {"countries_per_player": "0"},
        {"neutrals": "-1"},
        {"start_units": "0"},
        {"neutral_units_min": "0"},
        {"normal_game_turn_per_player": "0"},
        {"occupation_win": "-1"},
        {"domination_win": "2.5"},
        {"max_attack_units": "0"},
        {"max_transfer_units": "0"},
        {"max_resident_units": "1001"},
        {"unfriendly_transfer": "yes"},
        {"die": "sum8"},
        {"visibility": "none"},
        {"reasks": "-1"},
    ],
    ids=str,
)
def test_values_out_of_range_are_refused(given: dict[str, str]) -> None:
    assert_not_allowed(ToroidSettings, given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"neutral_units_min": 6},
            "neutral_units_max=5 is below neutral_units_min=6: raise one or lower the other",
        ),
        *[
            (
                {key: 21},
                f"{key}=21 is above max_resident_units=20: lower one or raise the other",
            )
            for key in (
                "start_units",
                "neutral_units_max",
                "max_attack_units",
                "max_transfer_units",
            )
        ],
    ],
)
def test_contradictions_are_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError) as error:
        parse(ToroidSettings, given)
    assert str(error.value) == sentence


def test_equal_limits_do_not_contradict() -> None:
    parse(ToroidSettings, {"neutral_units_min": 5, "start_units": 20, "max_attack_units": 20})


def test_a_ring_needs_three_countries() -> None:
    assert len(fresh(countries_per_player=1, neutrals=1).owner) == 3
    with pytest.raises(SettingError) as error:
        fresh(countries_per_player=1, neutrals=0)
    assert str(error.value) == (
        "2 players with countries_per_player=1 and neutrals=0 make a ring of 2 countries: "
        "raise one, it needs 3"
    )


@pytest.mark.parametrize("seats", range(2, 9))
def test_neutrals_and_game_turns_follow_from_the_players(seats: int) -> None:
    made = fresh(seats=seats)
    assert len(made.names) - seats == 2 * seats
    assert made.rounds == 20 * seats
    assert fresh(seats=seats, normal_game_turn_per_player=7).rounds == 7 * seats
    assert len(fresh(seats=seats, neutrals=0).owner) == 3 * seats
