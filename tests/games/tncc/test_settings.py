"""Settings: defaults, ranges, the lines they go out in."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from arena.core.game import Setup
from arena.core.replies import Silence, Why
from arena.core.settings import keys, parse, parse_changes
from arena.core.steps import Show, Tell
from arena.core.table import Table
from arena.errors import MapError
from arena.games.kit.wire import value_text
from arena.games.tncc import GAME, words
from arena.games.tncc.settings import TnccSettings
from tests.games.tncc.helpers import fresh, numbers, settings
from tests.games.values import assert_not_allowed

DEFAULTS = {
    "timebank": "10000",
    "time_per_move": "100",
    "start": "600 800 800 0 150",
    "population_food": "0.5",
    "population_gold": "0.25",
    "army_food": "1",
    "army_gold": "0.1",
    "population_growth": "1.07",
    "land_capacity": "10",
    "gold_for_war": "1600",
    "wave1_advantage": "2",
    "wave2_advantage": "2",
    "steal": "0.5 1 0.1 0 0.025",
    "hunger_death": "200",
    "max_cycles": "100",
    "wave_rule": "seed",
    "land_rule": "hard",
}


def test_the_defaults_are_those_of_the_rules_and_in_their_order() -> None:
    told = {key.name: value_text(key.default) for key in keys(TnccSettings)}
    assert list(told.items()) == list(DEFAULTS.items())


def test_every_key_is_explained() -> None:
    assert all(key.meaning and key.allowed for key in keys(TnccSettings))


def test_the_lines_before_the_match() -> None:
    assert words.opening_lines(fresh(3), 1) == [
        "settings game tncc",
        "settings players player1 player2 player3",
        "settings your_bot player2",
        *(f"settings {key} {value}" for key, value in DEFAULTS.items()),
    ]


def test_decimals_go_out_without_zeros_at_the_end() -> None:
    made = fresh(steal="0.50 1.000 -0 0.125 10", population_food="-0.10", gold_for_war="1600.500")
    lines = words.opening_lines(made, 0)
    assert "settings steal 0.5 1 0 0.125 10" in lines
    assert "settings population_food -0.1" in lines
    assert "settings gold_for_war 1600.5" in lines


@pytest.mark.parametrize(
    "given",
    [
        {"start": "1 2 3 4"},
        {"start": "1 2 3 4 5 6"},
        {"start": "1 2 3 4 -5"},
        {"start": "1 2 3 4 1000001"},
        {"steal": "0.5 1 0.1 0"},
        {"steal": "0.5 1 0.1 0 -0.025"},
        {"steal": "0.5 1 0.1 0 0.0255"},
        {"population_growth": "-1"},
        {"population_growth": "1.0701"},
        {"wave1_advantage": "0.999"},
        {"wave2_advantage": "0.5"},
        {"gold_for_war": "-1"},
        {"army_food": "NaN"},
        {"hunger_death": "0.5"},
        {"max_cycles": "0"},
        {"wave_rule": "code"},
        {"land_rule": "cap"},
    ],
    ids=str,
)
def test_values_out_of_range_are_refused(given: dict[str, str]) -> None:
    assert_not_allowed(TnccSettings, given)


def test_settings_survive_json() -> None:
    made = settings(steal="0.5 1 0.125 0 0.025", population_food="-0.1")
    again = parse(TnccSettings, msgspec.json.decode(msgspec.json.encode(made)))
    assert again == made
    assert again.steal[2] == Decimal("0.125")


def worlds() -> dict[str, dict[str, Any]]:
    """The settings of the other worlds, as `rules.md` gives them."""
    rows = re.findall(r"^\| ([A-Z_]+) \| `(--set .*)` \|$", GAME.rules, re.MULTILINE)
    split = re.compile(r'--set (?:"([^"]+)"|(\S+))')
    return {
        name: dict(parse_changes(a or b for a, b in split.findall(changes)))
        for name, changes in rows
    }


def test_the_other_worlds_are_complete() -> None:
    steal = "1 2 0.5 0 0.2"
    assert worlds() == {
        "TRIBE": {
            "start": "50 400 100 10 50",
            "population_food": "1",
            "population_gold": "0.1",
            "population_growth": "1.05",
            "gold_for_war": "1000",
            "steal": steal,
            "max_cycles": "200",
        },
        "ROBOT_ARMY": {
            "start": "600 800 1000 0 200",
            "population_food": "0.01",
            "army_food": "0",
            "army_gold": "1",
            "population_growth": "1.02",
            "gold_for_war": "2000",
            "wave1_advantage": "1",
            "wave2_advantage": "1",
            "steal": steal,
        },
        "MEXICAN_STANDOFF": {
            "start": "50000 1500 1 1499 150",
            "population_growth": "1.08",
            "steal": "2 2 1 0 0.05",
        },
        "DECAY": {
            "start": "600 2000 15000 0 1500",
            "population_food": "-0.1",
            "population_gold": "0.01",
            "population_growth": "1",
            "steal": steal,
        },
        "CRAZY": {
            "start": "6000 8000 10000 0 1500",
            "population_food": "2",
            "population_gold": "1",
            "population_growth": "1.2",
            "land_capacity": "20",
            "gold_for_war": "10000",
            "steal": "5 10 2.5 0 1",
        },
    }


@pytest.mark.parametrize("name", sorted(worlds()))
def test_the_other_worlds_can_be_played(name: str) -> None:
    table = Table(GAME, Setup("1", 3, parse(TnccSettings, worlds()[name])))
    while table.outcome is None:
        table.answer_all((Silence(Why.DEAD),))
    assert all(min(numbers(own)) >= 0 for own in table.world.countries)


def test_all_start_alike_and_nothing_is_drawn() -> None:
    one, two = (Table(GAME, Setup(seed, 4, settings(start="5 4 3 2 1"))) for seed in "12")
    assert [numbers(own) for own in one.world.countries] == [[5, 4, 3, 2, 1]] * 4
    lines = [[s for s in table.take() if isinstance(s, Tell | Show)] for table in (one, two)]
    assert lines[0] == lines[1]


def test_there_are_no_map_files() -> None:
    with pytest.raises(MapError) as error:
        Table(GAME, Setup("1", 2, settings(), {}))
    assert str(error.value) == "tncc takes no map file: leave out --map"
