"""Chess: moves and positions as the protocol UCI writes them, which engines speak.

A position is told as the last one after which nothing can come back (a capture, a pawn's move), and
the moves since: so an engine sees repetitions, and a line has at most a hundred moves.
"""

from __future__ import annotations

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
