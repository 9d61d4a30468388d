"""Chess: moves and positions as the protocol UCI writes them, which engines speak.

A position is told as the last one after which nothing can come back (a capture, a pawn's move), and
the moves since: so an engine sees repetitions, and a line has at most a hundred moves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import pyspiel
from msgspec import Struct

from arena.core import SettingError
from arena.games.kit import quote

CHESS = "chess"
"""The library's name of the game."""
MATE_SCORE = 100_000
"""The score of a mate, in hundredths of a pawn."""


def coordinates(state: pyspiel.State, action: int) -> str:
    """A legal action as UCI writes it: ``e2e4``, ``e7e8q``; in Chess960, castling is the king's
    move to the rook's square."""
    return _written([action], state)[0]


def coordinates_of_all(state: pyspiel.State) -> dict[str, int]:
    """The legal actions, by their coordinates."""
    actions = state.legal_actions()
    return dict(zip(_written(actions, state), actions, strict=True))


def _written(actions: Sequence[int], state: pyspiel.State) -> list[str]:
    board, move_of = state.board(), pyspiel.chess.action_to_move
    is_960 = state.get_game().get_parameters().get("chess960", False)
    return [move_of(action, board).to_lan(is_960, board) for action in actions]


def is_for_good(fen: str) -> bool:
    """Whether the last move was a capture or a pawn's, so that no earlier position can recur."""
    return fen.split()[4] == "0"


def position_line(since: str, moves: list[str]) -> str:
    """The command of UCI for a position that is reached by these moves."""
    return " ".join(["position fen", since, *(["moves", *moves] if moves else [])])


# -- scores ----------------------------------------------------------------------------------

_SCORED = re.compile(r"(\S+) (?:cp (-?\d{1,9})|mate (-?)\d{1,9})", re.ASCII)


def split_answer(text: str) -> tuple[str, int | None]:
    """The move of an answer, and what the seat thinks of its position then, in hundredths of a
    pawn: ``e2e4 cp 31``, ``e2e4 mate -3`` (as in UCI, less than 0 is bad for it). None if it does
    not say."""
    match = _SCORED.fullmatch(text)
    if match is None:
        return text, None
    move, centipawns, sign = match.groups()
    if centipawns is None:
        return move, -MATE_SCORE if sign else MATE_SCORE
    return move, max(-MATE_SCORE, min(MATE_SCORE, int(centipawns)))


class ScoreRuns(Struct, frozen=True):
    """How long the scores of moves have been such that a match need not be played on."""

    bad: tuple[int, int] = (0, 0)
    """For each seat, its moves in a row with a score at which it would resign."""
    level: int = 0
    """Moves in a row, of both seats, with a score near 0."""

    def after(self, seat: int, score: int | None, resign: int, draw: int) -> ScoreRuns:
        """The runs after a move with this score; those of a seat that gives none end."""
        bad = list(self.bad)
        bad[seat] = bad[seat] + 1 if score is not None and score <= -resign else 0
        level = self.level + 1 if score is not None and abs(score) <= draw else 0
        return ScoreRuns((bad[0], bad[1]), level)


# -- given positions -------------------------------------------------------------------------


@cache
def usual_game() -> pyspiel.Game:
    """The library's chess with its own parameters."""
    return pyspiel.load_game(CHESS)


def first_position(fen: str, game: pyspiel.Game | None = None) -> pyspiel.State:
    """The state of a position in FEN; empty for the usual one. Raises SettingError for a position
    that cannot be played."""
    game = game or usual_game()
    if not fen:
        return game.new_initial_state()
    try:
        return _read_position(fen, game)
    except ValueError as error:
        raise SettingError(
            f"fen={quote(fen)} is not allowed ({error}): give a position in FEN, as "
            f"{game.new_initial_state()}"
        ) from None


def _read_position(fen: str, game: pyspiel.Game) -> pyspiel.State:
    """Raises ValueError with the reason: the library reads more than it can play on from."""
    board, *rest = fen.split(" ")
    if len(rest) != 5 or not (rest[3].isdecimal() and rest[4].isdecimal()):
        raise ValueError("it has not the six fields of FEN")
    if (board.count("K"), board.count("k")) != (1, 1):
        raise ValueError("it has not one king of each colour")
    try:
        state = game.new_initial_state(fen)
    except pyspiel.SpielError:
        raise ValueError("OpenSpiel cannot read it") from None
    if state.is_terminal():
        raise ValueError("the game is over there")
    if _is_attacked("k" if rest[0] == "w" else "K", board):
        raise ValueError("the king of the player who does not move is in check")
    return state


_WIDE = {ord("/"): "//"} | {ord(str(count)): "." * count for count in range(1, 9)}
"""Makes rows of ten signs, so that no leap of a knight comes in again at the other side."""
_STRAIGHT, _DIAGONAL = (1, -1, 10, -10), (9, -9, 11, -11)
_LEAPS = (8, -8, 12, -12, 19, -19, 21, -21)


def _is_attacked(king: str, board: str) -> bool:
    """Whether a king is in check. (To ask the library for a capture of the king takes four times as
    long as all the rest, and a book may have 100,000 positions.)"""
    squares = board.translate(_WIDE).join(["/" * 21] * 2)
    at = squares.index(king)
    queen, rook, bishop, knight, pawn, other = "qrbnpk" if king == "K" else "QRBNPK"
    pawns = (at - 9, at - 11) if king == "K" else (at + 9, at + 11)
    straight = [_first(squares, at, step) for step in _STRAIGHT]
    diagonal = [_first(squares, at, step) for step in _DIAGONAL]
    return (
        queen in straight
        or rook in straight
        or queen in diagonal
        or bishop in diagonal
        or pawn in [squares[place] for place in pawns]
        or knight in [squares[at + leap] for leap in _LEAPS]
        or other in [squares[at + step] for step in (*_STRAIGHT, *_DIAGONAL)]
    )


def _first(squares: str, at: int, step: int) -> str:
    """The first sign that is no empty square, in one direction."""
    at += step
    while squares[at] == ".":
        at += step
    return squares[at]


# -- moves as PGN writes them ----------------------------------------------------------------

_SAN = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)[x-]?([a-h][1-8])(?:=?([QRBN]))?")


def read_move(state: pyspiel.State, text: str) -> tuple[int, str]:
    """The legal action of a move as PGN writes it (``Nf3``, ``Ngf3``, ``e8=Q+``, ``O-O``), and its
    coordinates. Raises ValueError unless there is exactly one."""
    wanted, found = text.rstrip("+#!?").replace("0", "O"), []
    for word, action in coordinates_of_all(state).items():
        san = state.action_to_string(action)
        if san.rstrip("+#") == wanted or _is_same(san, word, wanted):
            found.append((action, word))
    if len(found) != 1:
        why = "is no legal move" if not found else "can be several moves"
        raise ValueError(f"{text!r} {why}")
    return found[0]


def _is_same(san: str, word: str, wanted: str) -> bool:
    """Whether a move is the one that is wanted, which may say more than is needed."""
    match = _SAN.fullmatch(wanted)
    if match is None or san.startswith("O"):
        return False
    piece, file, rank, target, promoted = (part or "" for part in match.groups())
    return (
        piece == (san[0] if san[0] in "KQRBN" else "")
        and file in ("", word[0])
        and rank in ("", word[1])
        and target == word[2:4]
        and promoted.lower() == word[4:]
    )
