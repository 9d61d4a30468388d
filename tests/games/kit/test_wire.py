"""The forms of the protocol."""

from __future__ import annotations

from decimal import Decimal

import pytest

from arena.core.settings import Settings
from arena.games.kit import wire

NO_INTEGERS = [
    "+5",
    "05",
    "-0",
    "00",
    "1234567890",
    "1_0",
    "１２",
    "1.0",
    "",
    " 1",
    "1e3",
    "٣",
    "--1",
]


@pytest.mark.parametrize("text", NO_INTEGERS)
def test_what_is_no_integer(text: str) -> None:
    assert wire.read_integer(text) is None


def test_integers() -> None:
    assert [wire.read_integer(t) for t in ("0", "7", "-12", "123456789")] == [
        0,
        7,
        -12,
        123456789,
    ]


def test_integers_beside_the_common_ones() -> None:
    for number in (*range(-20, 2000), 10**9 - 1):
        assert wire.read_integer(str(number)) == number
        assert wire.read_integer(f"0{number}") is None
        assert wire.read_integer(f"{number} ") is None


def test_a_million_digits_cost_nothing() -> None:
    assert wire.read_integer("9" * 10**6) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("1.5", 1500), ("-1.25", -1250), ("0.001", 1), ("750", 750_000), ("2.50", 2500)],
)
def test_decimals(text: str, value: int) -> None:
    assert wire.read_thousandths(text) == value


@pytest.mark.parametrize("text", ["1.", ".5", "1.2345", "-0", "-0.0", "01.5", "1,5", "NaN", "1e3"])
def test_what_is_no_decimal(text: str) -> None:
    assert wire.read_thousandths(text) is None


def test_thousandths_are_written_short() -> None:
    values = [0, 260355, 50000, 295710, -1250, 1]
    assert [wire.thousandths(v) for v in values] == [
        "0",
        "260.355",
        "50",
        "295.71",
        "-1.25",
        "0.001",
    ]


@pytest.mark.parametrize(("x", "y"), [(0, 500), (1, 999_999_999), (260_355, 50_000)])
def test_a_place_has_the_same_numbers(x: int, y: int) -> None:
    assert wire.point(x, y) == f"{wire.thousandths(x)} {wire.thousandths(y)}"


def test_all_thousandths_of_a_unit_are_the_shortest_decimals() -> None:
    for value in range(-2000, 3000):
        text = wire.thousandths(value)
        assert Decimal(text) * 1000 == value
        assert wire.read_thousandths(text) == value
        assert "." not in text or text[-1] not in "0."


def test_settings_lines() -> None:
    class Some(Settings, frozen=True, kw_only=True):
        growth: Decimal = Decimal("1.070")
        steal: tuple[Decimal, ...] = (Decimal("0.5"), Decimal(1))
        rounds: int | None = None

    assert wire.settings_lines("some", ("player1", "player2"), 1, Some(), rounds=9) == [
        "settings game some",
        "settings players player1 player2",
        "settings your_bot player2",
        "settings timebank 10000",
        "settings time_per_move 100",
        "settings growth 1.07",
        "settings steal 0.5 1",
        "settings rounds 9",
    ]


def test_the_end_of_a_match() -> None:
    assert wire.game_over_line(1, 1.0) == "game_over 1 1"
    assert wire.game_over_line(2, 0.5) == "game_over 2 0.5"
    assert wire.game_over_line(1, 1 / 3) == "game_over 1 0.333"
    assert wire.game_over_line(1, 41) == "game_over 1 41"
    assert wire.game_over_line(3, 0.0) == "game_over 3 0"
    assert wire.game_over_line(3, 10.0) == "game_over 3 10"


def test_pieces_and_no_moves() -> None:
    assert wire.pieces(" a 1,,b ,  , c") == ["a 1", "b", "c"]
    assert wire.pieces("") == []
    assert all(wire.is_no_moves(text) for text in ("", "No moves", "NO MOVES", "no moves"))
    assert not wire.is_no_moves("No  moves")


def test_no_moves_counts_only_alone() -> None:
    assert wire.only_orders(["NO moves"]) == wire.only_orders([]) == []
    assert wire.only_orders(["No moves", "a"]) == ["No moves", "a"]
    assert wire.only_orders(["a"]) == ["a"]
