"""Boards in colour: each player's letter in a colour of its own."""

from __future__ import annotations

import os
import re
import select
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING

from arena.cli.text.layout import say, styled
from arena.cli.text.terminal import STDIN, has_keyboard, kept_terminal
from arena.core.faults import attribute_errors_to
from arena.core.game import AnyGame
from arena.core.listener import Listener
from arena.core.registry import find_game
from arena.core.steps import Frame
from arena.errors import ArenaFault, ReplayError
from arena.record.reader import MAX_RECORD_SIZE, Match
from arena.text import joined, safe

if TYPE_CHECKING:
    from rich.live import Live
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


# Playing frames by keys: which one is shown, how fast, and what each key does. Pure.

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Rounds a second."""
NORMAL = SPEEDS.index(4.0)
LEAP = 10
"""Rounds of a bigger step."""
KEYS = {
    **dict.fromkeys((" ", "k"), "pause"),
    **dict.fromkeys(("\x1b[C", "\x1bOC", "l"), "next"),
    **dict.fromkeys(("\x1b[D", "\x1bOD", "h"), "back"),
    **dict.fromkeys(("\x1b[6~",), "leap"),
    **dict.fromkeys(("\x1b[5~",), "leap back"),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~"), "first"),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~"), "last"),
    **dict.fromkeys(("+", "=", "\x1b[A", "\x1bOA"), "faster"),
    **dict.fromkeys(("-", "_", "\x1b[B", "\x1bOB"), "slower"),
    **dict.fromkeys(("q", "Q", "\x1b"), "quit"),
}
"""What the keys send, and what they mean."""
_KEY = re.compile("\x1b\\[[0-9;]*[A-Za-z~]|\x1bO.|.", re.DOTALL)


def meanings(sent: bytes) -> list[str]:
    """What was pressed, key by key; keys without a meaning are left out."""
    keys = _KEY.findall(sent.decode(errors="replace"))
    return [KEYS[key] for key in keys if key in KEYS]


@dataclass(slots=True)
class Playback:
    """Where a show stands. Frames count from 0."""

    last: int
    """The last frame that there is; a match that is still played has as many as were shown."""
    at: int = 0
    paused: bool = False
    pace: int = NORMAL
    """The place in `SPEEDS`."""
    over: bool = False

    @property
    def seconds(self) -> float:
        """For how long a frame is shown."""
        return 1 / SPEEDS[self.pace]

    def press(self, meaning: str) -> None:
        """A key. Steps pause."""
        match meaning:
            case "pause":
                self.paused = not self.paused
            case "next" | "back" | "leap" | "leap back" | "first" | "last":
                self.paused = True
                self.at = max(0, min(self.last, self._target(meaning)))
            case "faster" | "slower":
                step = 1 if meaning == "faster" else -1
                self.pace = max(0, min(len(SPEEDS) - 1, self.pace + step))
            case "quit":
                self.over = True

    def _target(self, meaning: str) -> int:
        steps = {"next": 1, "back": -1, "leap": LEAP, "leap back": -LEAP}
        if meaning in steps:
            return self.at + steps[meaning]
        return 0 if meaning == "first" else self.last

    def tick(self) -> None:
        """The frame was shown for its time: the next one. The last one stays."""
        if not self.paused:
            self.at = min(self.at + 1, self.last)
            self.paused = self.at == self.last

    @property
    def status(self) -> str:
        """How it is played, in words."""
        return "paused" if self.paused else f"{SPEEDS[self.pace]:g} rounds a second"


# A board that fills the terminal, with keys.

RESIZE_POLL = 0.25
"""Seconds between two looks whether the window has another size."""


def draws(stream: int) -> bool:
    """Whether a board can be drawn there again and again."""
    return os.isatty(stream) and os.environ.get("TERM", "dumb") != "dumb"


def drawn(game: AnyGame, board: object, frame: Frame, seed: str | None) -> tuple[str, str]:
    """A frame as its headline and its picture. Raises ArenaFault for a bug of the game."""
    with attribute_errors_to(game, "the headline", seed):
        head = f"round {frame['round']} of {frame['rounds']}: {game.headline(frame)}"
    with attribute_errors_to(game, "the picture", seed):
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


# ``arena view --text``: a recorded match in the terminal.

ERROR_WIDTH = 100
"""Characters of an error that are shown."""
VIEWER_KEYS = "space pause · q quit · ← → round · + − speed · PgUp PgDn ten · Home End"


def view_text(replay: Path) -> None:
    """Show the match of a record: with keys in a terminal, else all rounds one below the other.

    Raises ReplayError for what is no record, has no round, or a frame that cannot be drawn.
    """
    match = Match.read(replay, largest=MAX_RECORD_SIZE)
    game = find_game(match.game)
    if not match.frames:
        raise ReplayError(f"{replay} has no round to show: the match ended before its first")
    try:
        if has_keyboard() and sys.stdout and draws(sys.stdout.fileno()):
            with opened_screen() as screen:
                _Viewer(match, game, screen).run()
        else:
            say("\n".join(_plain(match, game)))
    except ArenaFault as error:  # the game drew what it was given: a record may be a stranger's
        why = repr(error.__cause__)[:ERROR_WIDTH]
        raise ReplayError(
            f"{replay} has a frame that {match.game} cannot draw ({why}): arena verify says "
            "whether the record is right"
        ) from None


def _title(match: Match) -> str:
    pairs = zip(ascii_uppercase, match.players, strict=False)
    players = [f"{letter} {name}" for letter, name in pairs]
    return f"{match.game}, seed {safe(match.seed)}: {joined(map(safe, players), 'against')}"


def _plain(match: Match, game: AnyGame) -> list[str]:
    """All rounds as lines."""
    board, lines = match.frames[0].get("board"), [_title(match)]
    for frame in match.frames:
        lines += ["", *drawn(game, board, frame, match.seed)]
    return [*lines, "", match.outcome.sentence if match.outcome else "the record ends here"]


class _Viewer:
    """The show in the terminal."""

    def __init__(self, match: Match, game: AnyGame, screen: Screen) -> None:
        self._match = match
        self._game = game
        self._screen = screen
        self._board = match.frames[0].get("board")
        self._show = Playback(len(match.frames) - 1)

    def run(self) -> None:
        """Until the user quits."""
        show, due = self._show, time.monotonic() + self._show.seconds
        while not show.over:
            self._draw()
            left = RESIZE_POLL if show.paused else min(RESIZE_POLL, due - time.monotonic())
            if select.select([STDIN], [], [], max(left, 0))[0]:
                for meaning in pressed():
                    show.press(meaning)
                due = time.monotonic() + show.seconds
            elif time.monotonic() >= due:
                show.tick()
                due = time.monotonic() + show.seconds

    def _draw(self) -> None:
        match, frame = self._match, self._match.frames[self._show.at]
        head, picture = drawn(self._game, self._board, frame, match.seed)
        if self._show.at == self._show.last and match.outcome:
            head = f"{head}  {match.outcome.sentence}"
        self._screen.show(
            f"{_title(match)}\n{head}", picture, f"{self._show.status} · {VIEWER_KEYS}"
        )


# ``--watch``: the board after each round, at a pace that eyes can follow.

WATCH_KEYS = "space pause · q stop watching · ← → round · + − speed"


@contextmanager
def board(game: AnyGame, seed: str | None = None) -> Iterator[list[Listener]]:
    """A listener that draws the board after each round. No clock runs meanwhile. Not on a terminal
    it prints them one below the other."""
    if not (sys.stderr and draws(sys.stderr.fileno())):
        yield [_Printed(game, seed)]
        return
    with opened_screen(stderr=True) as screen:
        watched = _Watched(game, screen, seed)
        yield [watched]
    if watched.last:
        say(f"{painted(watched.last)}\n", err=True)


class _Printed(Listener):
    """Boards one below the other."""

    def __init__(self, game: AnyGame, seed: str | None) -> None:
        self._game = game
        self._seed = seed
        self._board: object = None

    async def shown(self, frame: Frame) -> None:
        """Print the board."""
        self._board = self._board or frame.get("board")
        head, picture = drawn(self._game, self._board, frame, self._seed)
        say(f"{head}\n\n{picture}\n", err=True)


class _Watched(Listener):
    """Boards in the terminal, with keys. While an earlier one is looked at, the match waits."""

    def __init__(self, game: AnyGame, screen: Screen, seed: str | None) -> None:
        self._game = game
        self._screen = screen
        self._seed = seed
        self._board: object = None
        self._drawn: list[tuple[str, str]] = []
        """Headlines and pictures of the rounds so far."""
        self._show = Playback(0)
        """Its last place is that of the round to come."""

    @property
    def last(self) -> str:
        """What stays when the match is over; empty when the user has left before."""
        return "" if self._show.over else "\n\n".join(self._drawn[-1]) if self._drawn else ""

    async def shown(self, frame: Frame) -> None:
        """Draw the board, and give the user time to look."""
        show = self._show
        if show.over:
            return
        self._board = self._board or frame.get("board")
        self._drawn.append(drawn(self._game, self._board, frame, self._seed))
        show.at, show.last = len(self._drawn) - 1, len(self._drawn)
        until = time.monotonic() + show.seconds
        while not show.over and show.at < show.last:
            self._draw()
            left = until - time.monotonic()
            if not show.paused and left <= 0:
                show.at += 1
            elif await _key_within(RESIZE_POLL if show.paused else min(left, RESIZE_POLL)):
                for meaning in pressed():
                    show.press(meaning)
            else:
                continue
            until = time.monotonic() + show.seconds

    def _draw(self) -> None:
        foot = f"{self._show.status} · {WATCH_KEYS}" if has_keyboard() else ""
        self._screen.show(*self._drawn[self._show.at], foot)


async def _key_within(seconds: float) -> bool:
    """Whether a key was pressed by then."""
    import trio

    with trio.move_on_after(seconds):
        if not has_keyboard():
            await trio.sleep_forever()
        await trio.lowlevel.wait_readable(STDIN)
        return True
    return False
