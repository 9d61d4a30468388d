"""A board that fills the terminal, with keys."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arena.cli.text.boards import coloured
from arena.cli.text.playback import meanings
from arena.cli.text.terminal import STDIN, has_keyboard, kept_terminal
from arena.core.faults import blamed
from arena.core.game import AnyGame
from arena.core.steps import Frame

if TYPE_CHECKING:
    from rich.live import Live

LOOK_EVERY = 0.25
"""Seconds between two looks whether the window has another size."""


def draws(stream: int) -> bool:
    """Whether a board can be drawn there again and again."""
    return os.isatty(stream) and os.environ.get("TERM", "dumb") != "dumb"


def drawn(game: AnyGame, board: object, frame: Frame, seed: str | None) -> tuple[str, str]:
    """A frame as its headline and its picture. Raises ArenaFault for a bug of the game."""
    with blamed(game, "the headline", seed):
        head = f"round {frame['round']} of {frame['rounds']}: {game.headline(frame)}"
    with blamed(game, "the picture", seed):
        return head, game.picture(board, frame)


class Screen:
    """Shows one text at a time, in place of the one before."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._shown: tuple[object, ...] = ()

    def show(self, head: str, picture: str, foot: str) -> None:
        """Draw, unless nothing has changed, the window included."""
        columns, lines = self._live.console.size
        shown = head, picture, foot, columns, lines
        if shown != self._shown:
            self._shown = shown
            text = fitted(head, picture, foot, columns, lines)
            self._live.update(coloured(text), refresh=True)


def fitted(head: str, picture: str, foot: str, columns: int, lines: int) -> str:
    """The text for a window of that size: the picture, or what it would need. What stands above and
    below takes as many lines as it needs, where there is room; else it is cut."""
    rows, heads = picture.split("\n"), head.split("\n")
    wide, high = max(map(len, rows)), len(rows) + 3 + len(heads)
    if wide > columns or high > lines:
        needs = f"this board needs {wide} columns and {high} lines,"
        rows = [needs, f"the window has {columns} and {lines}: enlarge it"]
    around = [*_wrapped(heads, columns), "", *rows, "", *_wrapped([foot], columns)]
    if len(around) > lines:
        around = [*heads, "", *rows, "", foot]
    return "\n".join(line[:columns] for line in around[:lines])


def _wrapped(texts: Sequence[str], columns: int) -> list[str]:
    """Lines that are broken at blanks where they are too long."""
    return [line for text in texts for line in textwrap.wrap(text, columns) or [""]]


@contextmanager
def opened_screen(*, stderr: bool = False) -> Iterator[Screen]:
    """The whole terminal, which is as it was before at the end. Keys are not echoed."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=stderr, highlight=False)
    with (
        kept_terminal(),
        Live(console=console, screen=True, auto_refresh=False, vertical_overflow="crop") as live,
    ):
        _single_keys()
        yield Screen(live)


def _single_keys() -> None:
    """Have each key at once, and do not show it. (Ctrl-C still interrupts.)"""
    if has_keyboard():
        import termios

        modes = termios.tcgetattr(STDIN)
        modes[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(STDIN, termios.TCSADRAIN, modes)


def pressed() -> list[str]:
    """The keys that wait on stdin, by their meaning; its end means quit."""
    sent = os.read(STDIN, 1 << 10)
    return meanings(sent) if sent else ["quit"]
