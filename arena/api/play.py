"""Plays one match from Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Unpack

import msgspec

from arena.api.conditions import Bots, Conditions, game_of, make_spec
from arena.api.inside import children_for, play_spec, refuse_inside_trio
from arena.api.positions import find_position, spec_at
from arena.core.game import AnyGame
from arena.core.listener import Listener
from arena.errors import UsageError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec, existing_record
from arena.record.format import Header, Record  # noqa: F401  # the types of the fields of Match
from arena.record.position import Position
from arena.record.reader import Match
from arena.sandbox.session import one_error


def play(
    game: str | AnyGame,
    bots: Bots,
    *,
    replay: str | Path | None = None,
    position: Position | str | Path | None = None,
    overwrite: bool = False,
    pin: bool = False,
    listeners: Sequence[Listener] = (),
    **conditions: Unpack[Conditions],
) -> PlayedMatch:
    """Play one match to its end, and return its record and its report::

        match = arena.play("warlight", ["my_bot.py", "other.js"], seed=7)
        print(match.outcome.sentence, match.lines(0)[-1])

    `replay` is a file for the record, which is kept in memory otherwise. A file that exists is
    refused, unless `overwrite` lets the record replace it. The match begins at `position`, if
    given, which brings seed, map and settings with it; time settings may differ. `listeners` are
    told what happens as it happens. With `pin` the match and its bots stay on one core.

    Raises UsageError for invalid arguments, BotError for a bot that cannot be built or started,
    ArenaFault when the match is void. A bot's faults raise nothing; they are in the report.
    Inside Trio use `play_async`.
    """
    refuse_inside_trio("play", "play_async")
    spec = _spec(game, bots, position, conditions)
    spec = msgspec.structs.replace(spec, replay=record_path(replay, overwrite=overwrite))
    record = BytesIO()
    report = play_spec(spec, listeners=listeners, pin=pin, record=record)
    return _played(record, report)


async def play_async(
    game: str | AnyGame,
    bots: Bots,
    *,
    replay: str | Path | None = None,
    position: Position | str | Path | None = None,
    overwrite: bool = False,
    listeners: Sequence[Listener] = (),
    **conditions: Unpack[Conditions],
) -> PlayedMatch:
    """Like `play`, inside Trio. When cancelled, it leaves no process of a bot."""
    import trio

    from arena.match.play import play_match

    make = partial(_spec, game, bots, position, conditions)  # it may compile
    path = record_path(replay, overwrite=overwrite)
    spec = msgspec.structs.replace(await trio.to_thread.run_sync(make), replay=path)
    record = BytesIO()
    with one_error():
        async with children_for(spec) as children:
            report = await play_match(spec, children, listeners, record=record)
    return _played(record, report)


def _spec(
    game: str | AnyGame,
    bots: Bots,
    position: Position | str | Path | None,
    conditions: Conditions,
) -> MatchSpec:
    if position is None:
        return make_spec(game, bots, conditions)
    return spec_at(game_of(game).name, bots, find_position(position), conditions)


def _played(record: BytesIO, report: MatchReport) -> PlayedMatch:
    return PlayedMatch.from_record(record.getvalue(), report)


def record_path(
    replay: str | Path | None, *, overwrite: bool, games: int | None = None
) -> Path | None:
    """The file for a record, or for those of so many `games`, which are numbered. Raises UsageError
    for one that exists already, unless it may be overwritten."""
    if replay is None:
        return None
    path = Path(replay)
    found = None if overwrite else existing_record(path, games=games)
    if found is not None:
        raise UsageError(f"the record {found} exists already: name another, or give overwrite=True")
    return path


# A match that was played from Python: its record as an object, and its report.


@dataclass(frozen=True, repr=False)
class PlayedMatch(Match):
    """A match that was just played."""

    report: MatchReport
    """What `arena play --json` prints of it."""

    @classmethod
    def from_record(cls, data: bytes, report: MatchReport) -> PlayedMatch:
        """The match with this record and this report."""
        match = Match.parse(data)
        return cls(match.header, match.records, report)
