"""Chess: moves and positions as the protocol UCI writes them, which engines speak.

A position is told as the last one after which nothing can come back (a capture, a pawn's move), and
the moves since: so an engine sees repetitions, and a line has at most a hundred moves.
"""

from __future__ import annotations

import re
from typing import Any

import pyspiel

CHESS = "chess"
"""The library's name of the game."""


def coordinates(state: Any, action: int, board: Any = None) -> str:
    """A legal action as UCI writes it: ``e2e4``, ``e7e8q``; in Chess960, castling is the king's
    move to the rook's square. `board` is that of the state."""
    board = board or state.board()
    is_960 = state.get_game().get_parameters().get("chess960", False)
    return str(pyspiel.chess.action_to_move(action, board).to_lan(is_960, board))


def coordinates_of_all(state: Any) -> dict[str, int]:
    """The legal actions, by their coordinates."""
    board = state.board()
    return {coordinates(state, action, board): action for action in state.legal_actions()}


def is_for_good(state: Any) -> bool:
    """Whether the last move was a capture or a pawn's, so that no earlier position can recur."""
    return str(state).split()[4] == "0"


def position_line(since: str, moves: list[str]) -> str:
    """The command of UCI for a position that is reached by these moves."""
    return " ".join(["position fen", since, *(["moves", *moves] if moves else [])])


# -- moves as PGN writes them ----------------------------------------------------------------

_SAN = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)[x-]?([a-h][1-8])(?:=?([QRBN]))?")


def first_position(fen: str) -> Any:
    """The state of a position in FEN; empty for the usual one. Raises ValueError."""
    game = pyspiel.load_game(CHESS)
    try:
        return game.new_initial_state(fen) if fen else game.new_initial_state()
    except pyspiel.SpielError:
        raise ValueError(f"{fen!r} is no position in FEN") from None


def read_move(state: Any, text: str) -> tuple[int, str]:
    """The legal action of a move as PGN writes it (``Nf3``, ``Ngf3``, ``e8=Q+``, ``O-O``), and its
    coordinates. Raises ValueError unless there is exactly one."""
    wanted, board = text.rstrip("+#!?").replace("0", "O"), state.board()
    found = []
    for action in state.legal_actions():
        san, word = state.action_to_string(action), coordinates(state, action, board)
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
