"""What bots write to stderr, printed as it comes: each line behind its seat and round."""

from __future__ import annotations

import shutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator

from arena.cli.text.layout import say
from arena.cli.text.live import RoundLine
from arena.core.lines import LINE_CAP
from arena.core.listener import Listener
from arena.core.tally import SeatTotals
from arena.text import safe

MOST_LINES = 200
"""Lines of one bot in one round that are printed."""
SHOWN = 2000
"""Characters of a line that are printed."""
NARROWEST = 40
"""Columns of a line, at least."""


class StderrLines(Listener):
    """Prints by a function, which must not print anything else on the same line."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._begun: defaultdict[int, bytes] = defaultdict(bytes)
        """The beginning of a line, by seat."""
        self._rounds: dict[int, int] = {}
        """Of what was written last, by seat."""
        self._printed: dict[int, int] = {}
        """Lines of that round, by seat."""

    def wrote(self, seat: int, round: int, data: bytes) -> None:
        """Print the lines that are whole."""
        if self._rounds.get(seat) != round:
            self._end_line(seat)
            self._rounds[seat], self._printed[seat] = round, 0
        *lines, self._begun[seat] = (self._begun[seat] + data).split(b"\n")
        for line in lines:
            self._print(seat, line)
        if len(self._begun[seat]) > LINE_CAP:
            self._end_line(seat)

    def totals(self, totals: SeatTotals) -> None:
        """The match is over: print what has no end."""
        self._end_line(totals.seat)

    def _end_line(self, seat: int) -> None:
        if begun := self._begun.pop(seat, b""):
            self._print(seat, begun)

    def _print(self, seat: int, line: bytes) -> None:
        self._printed[seat] += 1
        if self._printed[seat] > MOST_LINES + 1:
            return
        text = _shown(line)
        if self._printed[seat] > MOST_LINES:
            text = "… and more in this round (--replay and --json have the last)"
        prefix = f"player{seat + 1} round {self._rounds[seat]} | "
        for piece in _folded(text, _columns() - len(prefix)):
            self._show(prefix + piece)


def printer(listeners: list[Listener]) -> Callable[[str], None]:
    """What prints beside what these listeners show."""
    for one in listeners:
        if isinstance(one, RoundLine):
            return one.print
    return lambda text: say(text, err=True)


def _shown(line: bytes) -> str:
    text = safe(line.decode(errors="backslashreplace").removesuffix("\r"))
    rest = len(text) - SHOWN
    return text if rest <= 0 else f"{text[:SHOWN]}… and {rest} characters more"


def _columns() -> int:
    """The width of the terminal on stderr; no end where there is none."""
    stderr = sys.__stderr__  # rich puts another in its place, which before 15 is no terminal
    if not (stderr and stderr.isatty()):
        return 1 << 20
    return max(shutil.get_terminal_size().columns, NARROWEST)


def _folded(text: str, columns: int) -> Iterator[str]:
    """A line in pieces that fit."""
    from rich.cells import chop_cells

    yield from chop_cells(text, columns) or [""]
