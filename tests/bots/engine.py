"""A chess engine for tests: it speaks UCI, knows the fool's mate alone, and logs what it reads.

Its arguments are words: ``deaf`` does not speak UCI, ``dies`` ends at its first move with status 7,
``killed`` by a signal, ``illegal`` answers its second move with one that is none.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

MOVES = {"w": ("f2f3", "g2g4"), "b": ("e7e5", "d8h4")}


def answer(position: str) -> str:
    """The move of the side that is to move after ``position fen FEN moves …``."""
    fen, _, moves = position.removeprefix("position fen ").partition(" moves ")
    side, number = fen.split()[1], int(fen.split()[5])
    plies = 2 * (number - 1) + (side == "b") + len(moves.split())
    return MOVES["wb"[plies % 2]][plies // 2]


def main() -> None:
    """Speak UCI until ``quit``."""
    words, position, asked = sys.argv[1:], "", 0
    for line in sys.stdin:
        with Path(os.environ.get("ENGINE_LOG", "/dev/null")).open("a") as log:
            log.write(line)
        command = line.split()[0]
        if command == "quit":
            return
        if command == "uci" and "deaf" not in words:
            print("id name Fool\noption name Hash type spin default 1 min 1 max 9")
            print("option name Skill Level type spin default 20 min 0 max 20\nuciok", flush=True)
        elif command == "isready":
            print("readyok", flush=True)
        elif command == "position":
            position = line.strip()
        elif command == "go":
            asked += 1
            if "dies" in words:
                sys.exit(7)
            if "killed" in words:
                os.kill(os.getpid(), 9)
            move = "a1a1" if "illegal" in words and asked == 2 else answer(position)
            print("info depth 1 score cp 7\n" * 500 + f"bestmove {move} ponder e7e5", flush=True)


if __name__ == "__main__":
    main()
