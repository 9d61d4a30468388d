"""``--watch``: the board after each round, at a pace that eyes can follow."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from arena.cli.text.boards import painted
from arena.cli.text.layout import say
from arena.cli.text.playback import Playback
from arena.cli.text.screen import LOOK_EVERY, Screen, drawn, draws, opened_screen, pressed
from arena.cli.text.terminal import STDIN, has_keyboard
from arena.core.game import AnyGame
from arena.core.listener import Listener
from arena.core.steps import Frame

KEYS = "space pause · q stop watching · ← → round · + − speed"


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
            elif await _key_within(LOOK_EVERY if show.paused else min(left, LOOK_EVERY)):
                for meaning in pressed():
                    show.press(meaning)
            else:
                continue
            until = time.monotonic() + show.seconds

    def _draw(self) -> None:
        foot = f"{self._show.status} · {KEYS}" if has_keyboard() else ""
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
