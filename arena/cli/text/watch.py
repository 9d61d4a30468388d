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

KEYS = "space pause · q stop watching · → round · + − speed"


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
    """Boards in the terminal, with keys."""

    def __init__(self, game: AnyGame, screen: Screen, seed: str | None) -> None:
        self._game = game
        self._screen = screen
        self._seed = seed
        self._board: object = None
        self._show = Playback(0)
        self.last = ""
        """What was drawn last, which stays when the match is over; empty when the user has left."""

    async def shown(self, frame: Frame) -> None:
        """Draw the board, and give the user time to look."""
        show = self._show
        if show.over:
            self.last = ""
            return
        self._board = self._board or frame.get("board")
        head, picture = drawn(self._game, self._board, frame, self._seed)
        self.last = f"{head}\n\n{picture}"
        show.at, show.last = 0, 1
        until = time.monotonic() + show.seconds
        while not show.over and show.at == 0:
            foot = f"{show.status} · {KEYS}" if has_keyboard() else ""
            self._screen.show(head, picture, foot)
            left = until - time.monotonic()
            if not show.paused and left <= 0:
                return
            if await _key_within(LOOK_EVERY if show.paused else min(left, LOOK_EVERY)):
                for meaning in pressed():
                    show.press(meaning)
                until = time.monotonic() + show.seconds


async def _key_within(seconds: float) -> bool:
    """Whether a key was pressed by then."""
    import trio

    with trio.move_on_after(seconds):
        if not has_keyboard():
            await trio.sleep_forever()
        await trio.lowlevel.wait_readable(STDIN)
        return True
    return False
