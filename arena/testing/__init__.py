"""Checks for game authors and for our own games: conformance, golden playthroughs, script talks.

`arena.testing.pytest_plugin` runs the first two for a package without any test code."""

from arena.testing.conformance import CHECKS, check_game
from arena.testing.playthroughs import Playthrough, leftovers, playthroughs
from arena.testing.random_play import at_random, play, silent
from arena.testing.talk import Talk

__all__ = [
    "CHECKS",
    "Playthrough",
    "Talk",
    "at_random",
    "check_game",
    "leftovers",
    "play",
    "playthroughs",
    "silent",
]
