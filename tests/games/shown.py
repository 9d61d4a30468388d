"""Matches in which the world is at hand at the moment of each step, as when a page is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.core import Answer, AnyGame, Setup
from arena.core.rng import Stream


def play_shown(game: AnyGame, setup: Setup[Any]) -> Iterator[tuple[Any, Any]]:
    """The world, and each step (or tuple of requests) at whose moment it stands so. Random players
    answer."""
    world = game.world(setup)
    script, stream = game.script(world), Stream(setup.seed, "answers")
    replies = None
    while True:
        try:
            step = script.send(replies) if replies else next(script)
        except StopIteration:
            return
        yield world, step
        replies = None
        if isinstance(step, tuple):
            texts = [game.random_answer(world, ask, stream) for ask in step]
            replies = tuple([Answer(text) for text in texts])
