"""Boards in colour: each player's letter in a colour of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arena.cli.text.layout import styled
from arena.text import safe

if TYPE_CHECKING:
    from rich.text import Text

PLAYERS = ("red", "blue", "green", "yellow", "magenta", "cyan", "bright_red", "bright_blue")
"""The colours of player1, player2 and so on, whom boards show as A, B and so on."""
COLOURS = dict(zip("ABCDEFGH", PLAYERS, strict=True))
CELL = r"(?<![A-Za-z]){}(?![A-Za-z])[0-9]*"
"""A player's letter, with the number behind it."""


def coloured(text: str) -> Text:
    """A board for the library rich."""
    from rich.text import Text

    drawn = Text(safe(text))
    for letter, colour in COLOURS.items():
        drawn.highlight_regex(CELL.format(letter), f"bold {colour}")
    return drawn


def painted(text: str) -> str:
    """A board for `say`."""
    return re.sub(
        CELL.format("([A-H])"), lambda cell: styled(cell[0], fg=COLOURS[cell[1]], bold=True), text
    )
