"""Run bots against each other: programs that speak a line protocol on stdin and stdout.

This is the face of the package; what stands here is public and stable::

    import arena

    match = arena.play("warlight", ["my_bot.py", "other.js"], seed=7)
    print(match.outcome.sentence)

=============================  ====================================================================
`play` `play_async`            one match: its record and its report, as a `Match`
`series`                       many matches with rotating seats: a `Series`, played while iterated
`compare`                      whether one bot is better than another: pairs until an `Sprt` knows
`check` `check_async`          the input test of one bot
`verify`                       proves a record
`rerun`                        one bot against what a seat of a recorded match was told
`Match`                        a record as an object: rounds, frames, lines, answers, times, stderr
`Table`                        a match without any process, to drive by hand or to search in
`find_game` `game_names`       the games; `Setup` is what a match of one depends on
`find_bot`                     a bot by its file, folder or command
`Listener`                     the base of what hears of a match while it is played
`ArenaError` and its kinds     everything that is raised on purpose (`arena.errors`)
=============================  ====================================================================

Authors of games import `arena.core`, `arena.games.kit` and `arena.testing`, which are public too.
Everything is imported when it is first used: ``import arena`` itself costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.api.check import check, check_async
    from arena.api.compare import Comparison, compare
    from arena.api.play import play, play_async
    from arena.api.rerun import rerun
    from arena.api.series import Series, series
    from arena.bots.find import find_bot
    from arena.core.game import Setup
    from arena.core.listener import Listener
    from arena.core.registry import find_game, game_names
    from arena.core.replies import Answer, Silence
    from arena.core.table import Table
    from arena.errors import ArenaError, ArenaFault, BotError, ReplayError, UsageError
    from arena.record.reader import Match
    from arena.record.verify import verify
    from arena.tournament.sprt import Sprt

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "ArenaError",
    "ArenaFault",
    "BotError",
    "Comparison",
    "Listener",
    "Match",
    "ReplayError",
    "Series",
    "Setup",
    "Silence",
    "Sprt",
    "Table",
    "UsageError",
    "check",
    "check_async",
    "compare",
    "find_bot",
    "find_game",
    "game_names",
    "play",
    "play_async",
    "rerun",
    "series",
    "verify",
]

_HOMES = {
    "api.check": ("check", "check_async"),
    "api.compare": ("Comparison", "compare"),
    "api.play": ("play", "play_async"),
    "api.rerun": ("rerun",),
    "api.series": ("Series", "series"),
    "bots.find": ("find_bot",),
    "core.game": ("Setup",),
    "core.listener": ("Listener",),
    "core.registry": ("find_game", "game_names"),
    "core.replies": ("Answer", "Silence"),
    "core.table": ("Table",),
    "errors": ("ArenaError", "ArenaFault", "BotError", "ReplayError", "UsageError"),
    "record.reader": ("Match",),
    "record.verify": ("verify",),
    "tournament.sprt": ("Sprt",),
}
"""Where the public names live."""


def __getattr__(name: str) -> object:
    """A public name, imported now and kept."""
    import importlib  # the keeper needs neither

    for home, names in _HOMES.items():
        if name in names:
            found: object = getattr(importlib.import_module(f"arena.{home}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'arena' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
