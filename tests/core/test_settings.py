"""Settings from text: what is taken, what is refused, and in which words."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from arena.core.settings import Settings, decimal_range, keys, parse, parse_changes
from arena.errors import SettingError


class Example(Settings, frozen=True, kw_only=True):
    luck: Annotated[int, Meta(ge=0, le=1000, description="share of chance")] = 160
    rule: Annotated[Literal["strict", "source"], Meta(description="which rule")] = "strict"
    rounds: Annotated[
        Annotated[int, Meta(ge=1, le=9)] | None,
        Meta(description="length", extra={"default": "depends"}),
    ] = None
    income: Annotated[
        tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=0)]], Meta(description="two")
    ] = (1, 2)
    prizes: Annotated[
        Annotated[tuple[Annotated[int, Meta(ge=0)], ...], Meta()] | None,
        Meta(description="one each", extra={"default": "3 2 1"}),
    ] = None
    low: Annotated[int, Meta(description="below high")] = 0
    growth: Annotated[Decimal, decimal_range(0, 5, "each cycle")] = Decimal("1.07")
    steal: Annotated[
        tuple[Annotated[Decimal, decimal_range(0, 9)], ...], Meta(description="shares")
    ] = (Decimal("0.5"), Decimal(1))

    def __post_init__(self) -> None:
        if self.low > 5:
            raise ValueError("low must be at most 5")


def test_defaults() -> None:
    assert parse(Example, {}) == Example()
    assert parse(Example, {}).timebank == 10000


def test_the_time_settings_that_every_game_has() -> None:
    bank, more = keys(Settings)
    assert (bank.name, bank.default) == ("timebank", 10_000)
    assert bank.allowed == "a whole number from 1 to 86400000"
    assert (more.name, more.default) == ("time_per_move", 100)
    assert more.allowed == "a whole number from 0 to 86400000"


def test_text_and_typed_values_are_the_same() -> None:
    typed = Example(luck=0, rule="source", rounds=3, income=(3, 4), timebank=5)
    text = {"luck": "0", "rule": "source", "rounds": "3", "income": "3 4", "timebank": "5"}
    assert parse(Example, text) == typed
    assert parse(Example, {"income": "3,4"}).income == (3, 4)
    assert parse(Example, {"luck": 0, "rule": "source", "rounds": 3, "income": [3, 4]}).luck == 0


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("luck", "1001", "luck=1001 is not allowed: give a whole number from 0 to 1000"),
        ("luck", "-1", "luck=-1 is not allowed: give a whole number from 0 to 1000"),
        ("luck", "many", "luck=many is not allowed: give a whole number from 0 to 1000"),
        ("luck", "1.5", "luck=1.5 is not allowed: give a whole number from 0 to 1000"),
        ("luck", "", "luck= is not allowed: give a whole number from 0 to 1000"),
        ("rule", "loose", "rule=loose is not allowed: give strict or source"),
        ("rounds", "0", "rounds=0 is not allowed: give a whole number from 1 to 9"),
        ("income", "1", "income=1 is not allowed: give 2 numbers, each a whole number, at least 0"),
        ("timebank", "-5", "timebank=-5 is not allowed: give a whole number from 1 to 86400000"),
        ("timebank", "0", "timebank=0 is not allowed: give a whole number from 1 to 86400000"),
        ("lukc", "1", "there is no setting 'lukc': did you mean 'luck'?"),
        (
            "growth",
            "1.0001",
            "growth=1.0001 is not allowed: give a number with at most three decimals from 0 to 5",
        ),
        (
            "growth",
            "NaN",
            "growth=NaN is not allowed: give a number with at most three decimals from 0 to 5",
        ),
        (
            "steal",
            "1 10",
            "steal=1 10 is not allowed: give numbers, each a number with at most three decimals "
            "from 0 to 9",
        ),
        ("low", "6", "low must be at most 5"),
    ],
)
def test_what_is_refused(key: str, value: str, message: str) -> None:
    with pytest.raises(SettingError) as caught:
        parse(Example, {key: value})
    assert str(caught.value) == message


def test_decimals_are_exact() -> None:
    found = parse(Example, {"growth": "1.1", "steal": "0.5 0.025"})
    assert found.growth == Decimal("1.1")
    assert found.steal == (Decimal("0.5"), Decimal("0.025"))
    assert parse(Example, msgspec.to_builtins(found)) == found


def test_the_ends_of_a_range_of_decimals_are_allowed() -> None:
    assert parse(Example, {"growth": "0"}).growth == 0
    assert parse(Example, {"growth": "5"}).growth == 5
    for value in ("-0.001", "5.001"):
        with pytest.raises(SettingError):
            parse(Example, {"growth": value})


def test_a_derived_list_can_be_given() -> None:
    found = parse(Example, {"prizes": "3 2 1 0"})
    assert found.prizes == (3, 2, 1, 0)
    assert parse(Example, msgspec.to_builtins(found)) == found
    assert parse(Example, msgspec.to_builtins(Example())) == Example()


def test_a_far_off_name_lists_all() -> None:
    with pytest.raises(SettingError, match="choose one of: growth, income, low, luck, prizes"):
        parse(Example, {"zzzzzz": 1})


def test_changes_are_key_and_value() -> None:
    assert parse_changes(["a=1", " b = x=y "]) == {"a": "1", "b": "x=y"}
    with pytest.raises(SettingError, match="give KEY=VALUE"):
        parse_changes(["a"])


def test_the_table_of_settings() -> None:
    table = {key.name: key for key in keys(Example)}
    assert list(table)[:2] == ["timebank", "time_per_move"]
    assert table["luck"].default == 160
    assert table["luck"].allowed == "a whole number from 0 to 1000"
    assert table["luck"].meaning == "share of chance"
    assert table["rounds"].default == "depends"
    assert table["rule"].allowed == "strict or source"
