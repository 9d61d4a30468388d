"""Settings: defaults, ranges, and what contradicts itself."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from arena.core.settings import keys, parse
from arena.errors import SettingError, UsageError
from arena.games.hextrategic.settings import HexSettings
from tests.games.hextrategic.helpers import fresh
from tests.games.values import assert_not_allowed


def test_the_defaults_are_those_of_the_rules() -> None:
    assert {key.name: key.default for key in keys(HexSettings)} == {
        "timebank": 10000,
        "time_per_move": 100,
        "radius": "4 for 2 or 3 players, 5 for 4 or 6",
        "start_units": 10,
        "income": (1, 2, 5, 10),
        "type_limits": (70, 88, 97),
        "neutral_units": (0, 4, 2, 8, 6, 14, 12, 24),
        "max_missed": 3,
        "max_rounds": 200,
        "position_points": "10 × (players − position)",
        "round_point": 1,
    }


def test_every_key_is_explained() -> None:
    assert all(key.meaning and key.allowed for key in keys(HexSettings))


@pytest.mark.parametrize(
    ("seats", "radius", "points"),
    [
        (2, 4, (10, 0)),
        (3, 4, (20, 10, 0)),
        (4, 5, (30, 20, 10, 0)),
        (6, 5, (50, 40, 30, 20, 10, 0)),
    ],
)
def test_what_follows_from_the_number_of_players(
    seats: int, radius: int, points: tuple[int, ...]
) -> None:
    made = fresh(seats)
    assert made.board.radius == radius
    assert made.position_points == points


def test_settings_from_text() -> None:
    made = parse(HexSettings, {"income": "0 0 0 9", "position_points": "5,1", "radius": "2"})
    assert made == HexSettings(income=(0, 0, 0, 9), position_points=(5, 1), radius=2)


@pytest.mark.parametrize(
    "values", [{}, {"position_points": (3, 2, 1), "radius": 3, "income": (1, 1, 1, 1)}]
)
def test_settings_come_back_from_a_record(values: dict[str, Any]) -> None:
    made = parse(HexSettings, values)
    assert parse(HexSettings, json.loads(msgspec.json.encode(made))) == made


@pytest.mark.parametrize(
    "given",
    [
        {"radius": "0"},
        {"radius": "25"},
        {"start_units": "0"},
        {"income": "1 2 5"},
        {"income": "1 2 5 -1"},
        {"type_limits": "70 88 101"},
        {"neutral_units": "0 4 2 8"},
        {"max_missed": "0"},
        {"max_rounds": "0"},
        {"position_points": "3 -1"},
        {"round_point": "-1"},
    ],
    ids=str,
)
def test_values_out_of_range_are_refused(given: dict[str, str]) -> None:
    assert_not_allowed(HexSettings, given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"type_limits": "70 60 97"},
            "type_limits must not fall: give three numbers, the lowest first",
        ),
        (
            {"neutral_units": "0 4 8 2 6 14 12 24"},
            "neutral_units has 8 as the least and 2 as the most: give the lower number first, for "
            "each type",
        ),
    ],
)
def test_contradictions_are_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError) as error:
        parse(HexSettings, given)
    assert str(error.value) == sentence


def test_points_must_fit_the_players() -> None:
    with pytest.raises(SettingError) as error:
        fresh(4, position_points=(3, 2, 1))
    assert str(error.value) == (
        "position_points has 3 numbers for 4 players: give one for each position, the first first"
    )


@pytest.mark.parametrize("seats", [1, 5, 7])
def test_other_numbers_of_players_are_refused(seats: int) -> None:
    with pytest.raises(UsageError, match=f"no board treats {seats} players alike: play with"):
        fresh(seats)
