"""The worlds of a recorded match: its rules, run again on the recorded answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.core.game import AnyGame, Setup
from arena.core.replies import Reply
from arena.core.settings import parse
from arena.core.steps import Frame, Show
from arena.errors import ReplayError
from arena.record.format import Answered, Header, Silent, reply_of
from arena.record.reader import Match


def worlds(game: AnyGame, match: Match) -> Iterator[tuple[Any, Frame]]:
    """The world at the very moment of each frame, with that frame, as far as the answers go. The
    world changes when the next is asked for. Raises UsageError and ArenaFault as the game does, and
    ReplayError when the rules do not give the recorded match."""
    given = (one for one in match.records if isinstance(one, Answered | Silent))
    played = worlds_of(game, match.header, given)
    for (world, frame), recorded in zip(played, match.frames, strict=False):
        if frame != recorded:
            raise ReplayError(f"the rules give another round {frame['round']} than the record")
        yield world, frame


def worlds_of(
    game: AnyGame, header: Header, given: Iterator[Answered | Silent]
) -> Iterator[tuple[Any, Frame]]:
    """The worlds of a match that begins with this header, with their frames, for the replies that
    were given. No reply is taken before a frame needs it."""
    settings, forfeit = parse(game.settings, header.settings), header.forfeit is True
    setup = Setup(header.seed, len(header.players), settings, header.map, forfeit)
    world = game.world(setup)
    for frame in _frames(game, world, map(reply_of, given)):
        yield world, frame


def _frames(game: AnyGame, world: Any, replies: Iterator[Reply]) -> Iterator[Frame]:
    """The script's frames, each at the moment when it is shown."""
    script = game.script(world)
    try:
        step = next(script)
        while True:
            if type(step) is Show:
                yield step.frame
            if type(step) is tuple:
                given = tuple([reply for _, reply in zip(step, replies, strict=False)])
                if len(given) < len(step):
                    return
                step = script.send(given)
            else:
                step = next(script)
    except StopIteration:
        return
