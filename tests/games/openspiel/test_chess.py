"""Chess: the moves and positions of UCI, given first positions, and losses for want of a move."""

from __future__ import annotations

from typing import Any

import pytest

import arena
from arena.api.positions import prove_book
from arena.core import Answer, Reply, Silence, Table, Tell, Why, find_game
from arena.errors import UsageError
from arena.record.position import Position, is_opening, parse_positions
from tests.games.openspiel.tables import table_of
from tests.support.tools import needs_open_spiel

pytestmark = pytest.mark.dear
needs_open_spiel()

from arena.games.openspiel import chess  # noqa: E402  # needs the library

CASTLES = "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1"
PAWNS = "8/P6k/8/3pP3/8/8/8/K7 w - d6 0 9"


def lines(table: Table[Any]) -> list[str]:
    """What player2, who has white, was told since the last time."""
    return [step.line for step in table.take() if isinstance(step, Tell) and step.seat == 1]


def after(moves: str, **settings: Any) -> Table[Any]:
    """A match in which these moves were answered."""
    table = table_of("chess", **settings)
    for move in moves.split():
        table.take()
        (ask,) = table.asked
        table.answer(ask.seat, Answer(move))
    return table


@pytest.mark.parametrize(
    ("fen", "move", "then"),
    [
        (CASTLES, "e1g1", "r3k2r/p6p/8/8/8/8/P6P/R4RK1 b kq - 1 1"),
        (CASTLES, "e1c1", "r3k2r/p6p/8/8/8/8/P6P/2KR3R b kq - 1 1"),
        (CASTLES.replace(" w ", " b "), "e8c8", "2kr3r/p6p/8/8/8/8/P6P/R3K2R w KQ - 1 2"),
        (PAWNS, "e5d6", "8/P6k/3P4/8/8/8/8/K7 b - - 0 9"),
        (PAWNS, "a7a8q", "Q7/7k/8/3pP3/8/8/8/K7 b - - 0 9"),
        (PAWNS, "a7a8n", "N7/7k/8/3pP3/8/8/8/K7 b - - 0 9"),
    ],
)
def test_special_moves(fen: str, move: str, then: str) -> None:
    table = after(move, fen=fen)
    assert str(table.world.state) == then


def test_castling_of_chess960_is_onto_the_rook() -> None:
    legal = table_of("chess", fen=CASTLES, chess960=True).world.reading.legal[1]
    assert {"e1h1", "e1a1"} <= set(legal)
    assert "e1g1" not in legal


def test_each_legal_action_has_coordinates_of_its_own() -> None:
    for fen in ("", CASTLES, PAWNS):
        world = table_of("chess", fen=fen).world
        assert len(world.reading.legal[1]) == len(world.state.legal_actions())


def test_a_position_is_told_with_the_moves_that_can_be_repeated() -> None:
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert f"position fen {start}" in lines(table_of("chess"))
    assert f"position fen {start} moves g1f3 g8f6" in lines(after("g1f3 g8f6"))
    pawn = "rnbqkb1r/pppp1ppp/5n2/4p3/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 3"
    told = lines(after("g1f3 g8f6 f3g1 e7e5 b1c3 b8c6", fen=start))
    (position,) = [line for line in told if line.startswith("position")]
    fen, _, moves = position.removeprefix("position fen ").partition(" moves ")
    state = chess.first_position(fen)
    for move in moves.split():
        state.apply_action(chess.coordinates_of_all(state)[move])
    assert moves == "b1c3 b8c6"
    assert f"observe {state}" in told
    assert pawn != fen


def test_three_times_the_same_position_is_a_draw() -> None:
    table = after("g1f3 g8f6 f3g1 f6g8 " * 2)
    table.take()
    assert table.outcome is not None
    assert (table.outcome.points, table.outcome.reason) == ((0, 0), "end")


@pytest.mark.parametrize(
    ("reply", "reason", "sentence"),
    [
        (Silence(Why.LATE), "time", "player1 won after 1 moves, since player2 did not answer"),
        (Silence(Why.DEAD), "gone", "player1 won after 1 moves, since player2 had no program"),
        (Answer("e2e5"), "illegal", "player1 won after 1 moves, since player2 gave no legal move"),
    ],
)
def test_who_has_no_legal_answer_has_lost(reply: Reply, reason: str, sentence: str) -> None:
    for play_on in (False, True):
        table = after("e2e4", play_on=play_on)
        table.take()
        table.answer(0, Answer("e7e5"))
        table.take()
        assert [ask.seat for ask in table.asked] == [1]
        table.answer(1, reply)
        table.take()
        if play_on:
            assert [ask.seat for ask in table.asked] == [0]
        else:
            assert table.outcome is not None
            assert (table.outcome.points, table.outcome.reason) == ((1, -1), reason)
            assert table.outcome.sentence.startswith(sentence.replace("1 moves", "2 moves"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("e2e4", ("e2e4", None)),
        ("e2e4 cp -31", ("e2e4", -31)),
        ("e2e4 mate 3", ("e2e4", chess.MATE_SCORE)),
        ("e2e4 mate -3", ("e2e4", -chess.MATE_SCORE)),
        ("e2e4 cp 999999999", ("e2e4", chess.MATE_SCORE)),
        ("e2e4 cp", ("e2e4 cp", None)),
        ("e2e4 wdl 1", ("e2e4 wdl 1", None)),
        ("e2e4 cp 1 2", ("e2e4 cp 1 2", None)),
        ("e2e4 cp +-1", ("e2e4 cp +-1", None)),
        ("", ("", None)),
    ],
)
def test_scores_behind_moves(text: str, found: tuple[str, int | None]) -> None:
    assert chess.split_answer(text) == found


PAWN_MOVES = [f"{file}{row}" for file in "abcdefgh" for row in ("2{0}3", "7{0}6")]
PAWN_MOVES = [move.format(move[0]) for move in PAWN_MOVES]
"""The first moves of both players, after which nothing has happened."""


def scored(scores: str, **settings: Any) -> Table[Any]:
    """A match of moves with these scores, one for each."""
    table = table_of("chess", **settings)
    for move, score in zip(PAWN_MOVES, scores.split(), strict=False):
        table.take()
        if table.outcome is not None:
            break
        table.answer(table.asked[0].seat, Answer(move if score == "-" else f"{move} cp {score}"))
    table.take()
    return table


@pytest.mark.parametrize(
    ("scores", "rounds", "loser"),
    [
        ("-600 0 -700 0 -601 0", 5, 1),  # player2 has white
        ("0 -600 0 -600 0 -600 0 -600", 6, 0),
        ("-600 0 -700 0 -599 0 -600", None, None),
        ("-600 0 - 0 -600 0 -600 0", None, None),
        ("600 0 600 0 600 0 600", None, None),  # nobody loses by what the other thinks
    ],
)
def test_who_scores_its_moves_as_lost_has_lost(
    scores: str, rounds: int | None, loser: int | None
) -> None:
    table = scored(scores, resign_moves=3)
    assert scored(scores).outcome is None
    if rounds is None:
        assert table.outcome is None
        return
    assert table.outcome is not None
    assert table.world.round == rounds
    assert (table.outcome.ranks[loser or 0], table.outcome.reason) == (2, "resigned")
    assert table.outcome.sentence.endswith("scored its position as lost.")


@pytest.mark.parametrize(
    ("scores", "rounds"),
    [
        ("0 0 0 0 0 0 0 0", 6),
        ("99 0 0 10 -10 0 0 0", 7),
        ("0 0 0 11 0 0 0 0", None),
        ("0 0 0 - 0 0 0 0", None),
    ],
)
def test_a_match_that_both_score_as_level_is_drawn(scores: str, rounds: int | None) -> None:
    table = scored(scores, draw_moves=3, draw_from=0)
    if rounds is None:
        assert table.outcome is None
        return
    assert table.outcome is not None
    assert (table.world.round, table.outcome.points) == (rounds, (0, 0))
    assert (table.outcome.reason, table.outcome.ranks) == ("level", (1, 1))


def test_drawing_begins_with_draw_from() -> None:
    table = scored("0 " * 16, draw_moves=2, draw_from=3, play_on=True)
    assert table.world.round == 6


@pytest.mark.parametrize(
    ("fen", "why"),
    [
        ("e4", "six fields"),
        (PAWNS.replace(" 9", ""), "six fields"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "one king of each colour"),
        ("k7/8/8/8/8/8/8/KK6 w - - 0 1", "one king of each colour"),
        ("k7/8/8/8/8/8/8/9K w - - 0 1", "OpenSpiel cannot read it"),
        ("k7/8/1Q6/8/8/8/8/K7 b - - 0 1", "the game is over there"),
        ("k7/8/8/8/R7/8/8/4K3 w - - 0 1", "in check"),
        ("4k3/8/8/8/q7/8/8/K7 b - - 0 1", "in check"),
    ],
)
def test_positions_from_which_nobody_can_play(fen: str, why: str) -> None:
    with pytest.raises(UsageError, match=f"fen=.* is not allowed .*{why}.*a position in FEN"):
        table_of("chess", fen=fen)


@pytest.mark.parametrize(
    ("text", "word"), [("Nf3", "g1f3"), ("Ng1f3!?", "g1f3"), ("e2-e4", "e2e4"), ("e4", "e2e4")]
)
def test_moves_of_pgn(text: str, word: str) -> None:
    assert chess.read_move(chess.first_position(""), text)[1] == word


def test_castling_and_promotions_of_pgn() -> None:
    for text, word in [("O-O", "e1g1"), ("0-0-0", "e1c1"), ("Rab1", "a1b1")]:
        assert chess.read_move(chess.first_position(CASTLES), text)[1] == word
    for text, word in [("a8=Q", "a7a8q"), ("a8N+", "a7a8n"), ("exd6", "e5d6")]:
        assert chess.read_move(chess.first_position(PAWNS), text)[1] == word


@pytest.mark.parametrize("text", ["Nf4", "e9", "", "O-O", "--", "P" * 5000])
def test_no_moves_of_pgn(text: str) -> None:
    with pytest.raises(ValueError, match="no legal move"):
        chess.read_move(chess.first_position(""), text)


def test_moves_that_say_which_piece() -> None:
    rooks = chess.first_position("6k1/8/8/8/8/8/8/R3K2R w - - 0 1")
    assert chess.read_move(rooks, "Rhf1")[1] == "h1f1"
    two = chess.first_position("7k/8/8/8/R7/8/8/R3K3 w - - 0 1")
    assert chess.read_move(two, "R1a3")[1] == "a1a3"
    with pytest.raises(ValueError, match="can be several moves"):
        chess.read_move(two, "Ra3")


def resigned() -> Position:
    """A position after two moves at which white scored itself as lost."""
    answers = ("e2e4 cp -900", "e7e5", "d2d4 cp -900", "a7a6")
    return Position(
        "openspiel:chess", find_game("openspiel:chess").rules_version, 2, "1", answers=answers
    )


def first_legal(lines: list[str]) -> str:
    return next(line for line in lines if line.startswith("legal")).split()[1]


def test_what_adjudicates_may_differ_from_a_position() -> None:
    """It is no part of the board, but it can end the match, even before the position."""
    spec: dict[str, Any] = {"position": resigned(), "settings": {"resign_moves": 3}}
    match = arena.play("openspiel:chess", [first_legal] * 2, **spec)
    assert match.outcome
    assert match.outcome.reason == "end"
    spec["settings"] = {"resign_moves": 2}
    with pytest.raises(UsageError, match="by these settings the match is over before the position"):
        arena.play("openspiel:chess", [first_legal] * 2, **spec)
    spec["settings"] = {"play_on": True}
    with pytest.raises(UsageError, match=r"play_on comes with the position: only .*, resign_moves"):
        arena.play("openspiel:chess", [first_legal] * 2, **spec)


def test_a_book_is_proved_with_what_adjudicates() -> None:
    prove_book([resigned()], {"resign_moves": "3"})
    with pytest.raises(
        UsageError, match=r"position 1 of the book: .*the match of the position is over"
    ):
        prove_book([resigned()], {"resign_moves": "2"})


def test_an_opening_of_a_book_is_proved_by_its_fen() -> None:
    lines = [f"{' '.join(fen.split()[:4])};\n".encode() for fen in (CASTLES, PAWNS)]
    book = parse_positions(b"".join(lines), "book.epd")
    prove_book(book)
    bad = b"4k3/8/8/8/8/8/4R3/4K3 w - -;\n"  # black is in check, and white would move
    with pytest.raises(UsageError, match=r"position 2 of the book: .*does not move is in check"):
        prove_book(parse_positions(lines[0] + bad, "book.epd"))
    moved = Position("openspiel:chess", book[0].rules_version, 2, "1", answers=("e2e5",) * 2)
    assert [is_opening(one, book[0].rules_version) for one in (*book, moved)] == [True, True, False]


@pytest.mark.parametrize(
    ("board", "attacked"),
    [
        ("8/8/8/8/8/8/4R3/4k2K", True),
        ("8/8/8/8/4R3/8/4P3/4k2K", False),
        ("7R/8/8/8/8/8/k7/7K", False),
        ("7K/8/8/3B4/8/8/k7/8", True),
        ("7K/8/8/3B4/2p5/8/k7/8", False),
        ("7K/8/8/8/8/1PN5/k7/8", True),
        ("7K/8/8/8/8/k7/1P6/8", True),
        ("7K/8/8/8/8/1P6/k7/8", False),
        ("7K/8/8/8/8/8/n7/7k", False),
        ("8/8/8/8/8/7k/N7/7K", False),
        ("7K/7N/8/8/k7/8/8/8", False),
        ("8/8/8/8/8/1K6/k7/8", True),
    ],
)
def test_check_is_seen_in_the_text_of_a_board(board: str, attacked: bool) -> None:
    assert chess._is_attacked("k", board) is attacked
    turned = "/".join(reversed(board.swapcase().split("/")))
    assert chess._is_attacked("K", turned) is attacked
