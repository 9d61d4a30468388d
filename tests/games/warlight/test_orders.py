"""Reading answers, in the forms in which real bots give them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from arena.games.warlight import orders as module
from arena.games.warlight.board import load_board
from arena.games.warlight.orders import Move, Order, Place, new_notes, read_orders
from tests.conftest import DEEP
from tests.games.warlight.helpers import SMALL_MAP
from tests.support.tools import every

BOARD = load_board(SMALL_MAP)


def read(text: str, name: str = "player1", max_orders: int = 0) -> tuple[list[Order], list[str]]:
    """The orders, and the codes of the faults."""
    faults = new_notes(0)
    orders = read_orders(text, name, BOARD, faults, max_orders)
    return orders, [note.code for note in faults.close()]


def detail(text: str, max_orders: int = 0) -> str:
    """The note on an answer with one fault."""
    faults = new_notes(0)
    read_orders(text, "player1", BOARD, faults, max_orders)
    (note,) = faults.close()
    return note.detail


PLACE = "player1 place_armies 3 4"
MOVE = "player1 attack/transfer 3 4 5"
PLACED = Place(3, 4, PLACE)
MOVED = Move(3, 4, 5, MOVE)


def test_orders_are_read_in_their_sequence() -> None:
    assert read(f"{MOVE},{PLACE}, {MOVE}") == ([MOVED, PLACED, MOVED], [])


@pytest.mark.parametrize(
    "text",
    [
        f"{PLACE},",
        f"{PLACE}, ",
        f" {PLACE} ",
        f",{PLACE}",
        f",,,,,,{PLACE},,,, ,,",
        f"\t{PLACE}\t,",
    ],
)
def test_blanks_and_empty_pieces_do_no_harm(text: str) -> None:
    assert read(text) == ([PLACED], [])


@pytest.mark.parametrize(
    "text", ["", ",", ", ,,", "No moves", "no moves", "NO MOVES", "No moves,", " No moves , "]
)
def test_saying_nothing(text: str) -> None:
    assert read(text) == ([], [])


def test_no_moves_beside_orders_is_a_fault() -> None:
    assert read(f"No moves,{PLACE}") == ([PLACED], ["syntax"])
    assert detail(f"{PLACE},no moves") == "'no moves': it counts only alone"


@every(
    "piece",
    [
        "player1 place_armies 3",
        "player1 place_armies 3 4 5",
        "player1 attack/transfer 3 4",
        "player1 attack/transfer 3 4 5 6",
        "player1  place_armies 3 4",
        "player1 place_armies  3 4",
        "player1 place_armies 3  4",
        "player1 attack/transfer 3\t4 5",
        "place_armies 3 4",
        "player1 place_army 3 4",
        "player1 Place_armies 3 4",
        "player1 attack 3 4 5",
        "player1 transfer 3 4 5",
        "player1",
        "No  moves",
        "give me randomly",
        "3",
        "player1 place_armies 3 +4",
        "player1 place_armies 3 04",
        "player1 place_armies 3 -0",
        "player1 place_armies 3 4.0",
        "player1 place_armies 3 1e3",
        "player1 place_armies 3 1_0",
        "player1 place_armies 3 0x4",
        "player1 place_armies 3 four",
        "player1 place_armies 3 31/2",
        "player1 place_armies 3 ４",  # a full-width digit
        "player1 place_armies 3 ²",
        "player1 place_armies 3 1234567890",
        "player1 place_armies 1076985378 4",
        "player1 place_armies 03 4",
        "player1 attack/transfer a 4 5",
        "player1 attack/transfer 3 b 5",
        "player1 attack/transfer 3 4 c",
        "\\xff\\x00player1",
        'Exception in thread "main" java.lang.NullPointerException',
    ],
)
def test_what_has_not_the_form_is_void_and_spoils_nothing(piece: str) -> None:
    assert read(piece) == ([], ["syntax"])
    assert read(f"{PLACE},{piece},{MOVE}") == ([PLACED, MOVED], ["syntax"])


@pytest.mark.parametrize(
    ("piece", "code"),
    [
        ("player2 place_armies 3 4", "name"),
        ("player2 attack/transfer 3 4 5", "name"),
        ("Player1 place_armies 3 4", "name"),
        ("me place_armies 99 4", "name"),
        ("me place_armies 99 x", "syntax"),
        ("player1 place_armies 99 4", "region"),
        ("player1 place_armies 0 4", "region"),
        ("player1 place_armies -3 4", "region"),
        ("player1 place_armies 9 -4", "region"),
        ("player1 attack/transfer 9 3 1", "region"),
        ("player1 attack/transfer 3 999999999 1", "region"),
    ],
)
def test_the_first_reason_counts(piece: str, code: str) -> None:
    assert read(piece) == ([], [code])


@pytest.mark.parametrize("number", [0, -1, -999999999])
def test_a_number_below_one_is_well_formed(number: int) -> None:
    """It is illegal, which the rules say, not void."""
    assert read(f"player1 place_armies 3 {number}")[0] == [
        Place(3, number, f"player1 place_armies 3 {number}")
    ]


def test_player2_reads_with_its_own_name() -> None:
    assert read("player2 place_armies 3 4", "player2")[1] == []
    assert read(PLACE, "player2") == ([], ["name"])


def test_notes_quote_the_order_and_say_why() -> None:
    assert detail("me place_armies 3 4") == "'me place_armies 3 4': your name is player1"
    assert detail("player1 place_armies 9 4") == (
        "'player1 place_armies 9 4': there is no region 9"
    )
    assert detail("player1 place_armies 3 ٤") == (
        "'player1 place_armies 3 ٤': '٤' is no plain whole number of at most 9 digits"
    )
    assert detail("tea\x1b[31m") == (
        "'tea\\x1b[31m': give 'player1 place_armies REGION ARMIES' or 'player1 attack/transfer "
        "FROM TO ARMIES', one blank between the words"
    )


def test_long_orders_are_cut_in_notes() -> None:
    assert detail("x" * 5000).startswith("'" + "x" * 80 + "'…: give ")
    assert len(detail(f"player1 place_armies 3 {'9' * 10**6}")) < 300


def test_a_line_of_many_orders_is_read_to_its_end() -> None:
    orders, codes = read(",".join([MOVE] * 206))
    assert (len(orders), codes) == (206, [])


def test_the_cap_counts_empty_pieces_too() -> None:
    assert read(f"{PLACE},,{MOVE},{PLACE}", max_orders=3) == ([PLACED, MOVED], ["order_cap"])
    assert read(f"{PLACE},,{MOVE},, ,", max_orders=3) == ([PLACED, MOVED], [])
    assert read(f"{PLACE},,{MOVE}", max_orders=3) == ([PLACED, MOVED], [])


def test_the_cap_of_the_old_engine() -> None:
    orders, codes = read(",".join([MOVE] * 60), max_orders=51)
    assert (len(orders), codes) == (51, ["order_cap"])
    assert detail(",".join([MOVE] * 60), max_orders=51) == (
        f"'{MOVE}': 9 orders from here on are beyond the first 51"
    )


def test_a_hostile_line_makes_few_notes() -> None:
    faults = new_notes(1)
    read_orders("x," * 30_000, "player1", BOARD, faults)
    notes = faults.close()
    assert len(notes) == 251
    assert (notes[-1].code, notes[-1].fault) == ("more", False)
    assert notes[-1].detail == "and 29750 more orders of this answer came to nothing"


@pytest.mark.dear
@given(st.text())
@options(derandomize=True, deadline=None, max_examples=30 * DEEP)
def test_no_text_raises(text: str) -> None:
    orders, codes = read(text)
    assert orders == [] or codes == [] or len(codes) < 300


@given(st.lists(st.sampled_from([*MOVE.split(), *PLACE.split(), ",", "", "-1", "99", "player2"])))
@options(derandomize=True, deadline=None)
def test_every_piece_is_an_order_or_a_fault(words: list[str]) -> None:
    text = " ".join(words)
    orders, codes = read(text)
    pieces = [piece for piece in text.split(",") if piece.strip()]
    assert len(orders) + len(codes) == len(pieces)


def test_every_code_is_explained() -> None:
    lines = (module.__doc__ or "").splitlines()
    assert len([line for line in lines if line[:2] == "``"]) == 14


def test_heads_are_kept_for_the_player_and_none_that_goes_to_no_neighbour() -> None:
    board, faults = load_board(SMALL_MAP), new_notes(1)
    far = next(region for region in board.regions if region not in (3, *board.neighbors[3]))
    text = f"{PLACE}, {MOVE}, player1 attack/transfer 3 {far} 5, player1 place_armies 1000 4"
    assert len(read_orders(text, "player1", board, faults)) == 3
    assert set(board.heads["player1"].values()) == {(3,), (3, 4)}
    assert read_orders(PLACE, "player2", board, faults) == []
    assert [note.code for note in faults.close()] == ["region", "name"]
