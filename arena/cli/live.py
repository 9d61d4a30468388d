"""What a terminal shows while matches run. Nothing elsewhere, and never inside a bot's time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress

    from arena.game import Game
    from arena.referee import Spectator
    from arena.steps import Frame

REDRAW = 0.25
"""Seconds between two redraws: one takes milliseconds."""
WATCH_PACE = 0.25
"""Seconds for which ``--watch`` shows a round. Nobody's clock runs meanwhile."""


@contextmanager
def rounds(game: Game, quiet: bool) -> Iterator[Spectator | None]:
    """A spectator that keeps one line: the round, a bar up to the maximum, how it stands."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with _progress() as progress:
        task = progress.add_task("round", total=None, visible=False, standing="")
        drawn = 0.0

        async def show(frame: Frame) -> None:
            nonlocal drawn
            last = frame["round"] == frame["rounds"]
            if time.monotonic() - drawn < REDRAW and not last:
                return
            progress.update(
                task,
                completed=frame["round"],
                total=frame["rounds"],
                standing=game.headline(frame),
                visible=True,
            )
            progress.refresh()
            drawn = time.monotonic()

        yield show


@contextmanager
def board(game: Game) -> Iterator[Spectator]:
    """A spectator that draws the board after each round, at a pace that eyes can follow; not on
    a terminal it prints them one below the other."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    first: dict[str, Any] = {}
    terminal = sys.stderr.isatty()
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as screen:

        async def show(frame: Frame) -> None:
            import trio

            first.setdefault("board", frame.get("board"))
            text = f"round {frame['round']} of {frame['rounds']}: {game.headline(frame)}\n\n"
            text += game.picture(first["board"], frame) + "\n"
            if terminal:
                screen.update(Text(text), refresh=True)
                await trio.sleep(WATCH_PACE)
            else:
                print(text, file=sys.stderr)

        yield show


@contextmanager
def games(total: int, quiet: bool) -> Iterator[Callable[[], None]]:
    """A bar over the games of a series; call what it gives after each."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    with _progress() as progress:
        task = progress.add_task("games", total=total, standing="")

        def advance() -> None:
            progress.advance(task)
            progress.refresh()

        yield advance


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        MofNCompleteColumn(),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[standing]}"),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
    )
