"""``arena view --text``: a recorded match in the terminal."""

from __future__ import annotations

import select
import sys
import time
from pathlib import Path

from arena.cli.text.layout import say
from arena.cli.text.playback import Playback
from arena.cli.text.screen import LOOK_EVERY, Screen, drawn, draws, opened_screen, pressed
from arena.cli.text.terminal import STDIN, has_keyboard
from arena.core.game import AnyGame
from arena.core.registry import find_game
from arena.errors import ArenaFault, ReplayError
from arena.record.reader import LARGEST, Match
from arena.text import joined, safe

SHOWN = 100
"""Characters of an error that are shown."""
KEYS = "space pause · q quit · ← → round · + − speed · PgUp PgDn ten · Home End"


def view_text(replay: Path) -> None:
    """Show the match of a record: with keys in a terminal, else all rounds one below the other.

    Raises ReplayError for what is no record, has no round, or a frame that cannot be drawn.
    """
    match = Match.read(replay, largest=LARGEST)
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
        why = repr(error.__cause__)[:SHOWN]
        raise ReplayError(
            f"{replay} has a frame that {match.game} cannot draw ({why}): arena verify says "
            "whether the record is right"
        ) from None


def _title(match: Match) -> str:
    players = [f"{'ABCDEFGH'[i]} {name}" for i, name in enumerate(match.players)]
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
            left = LOOK_EVERY if show.paused else min(LOOK_EVERY, due - time.monotonic())
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
        self._screen.show(f"{_title(match)}\n{head}", picture, f"{self._show.status} · {KEYS}")
