"""The records of matches, as each viewer may see them.

What a bot writes to stderr, and draws by `@viz`, is for its own team and for organisers. Others see
it once an organiser shows it (the moment ``show``, taken back by ``hide``). The rest of a record,
what the bots were told and what they answered, is public once the match is over: without it nobody
could verify the match. A record without a rival's lines has a seal of its own and verifies like
the stored one.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from arena.league.league import League
from arena.league.rows import seats_of
from arena.record.format import encode_lines
from arena.record.reader import MAX_RECORD_SIZE, Match, shared
from arena.site.accounts import Participant
from arena.site.contest import Threads
from arena.site.deeds import are_lines_shown

FILTERING = Threads("filtering", 2)
"""Records that are read and packed at a time, by threads that do not hold the league."""


class RecordSight(Struct, frozen=True):
    """A record on disk, and how much of it one viewer sees."""

    path: Path
    sha256: str
    """Over the stored file."""
    names: tuple[str, ...]
    """What pages call the seats: earlier releases wrote the names of files into records."""
    own: frozenset[int] | None
    """The seats whose stderr and drawings are seen; None: all."""

    @property
    def etag(self) -> str:
        """The tag of what this viewer gets."""
        seats = "all" if self.own is None else "-".join(map(str, sorted(self.own))) or "none"
        return f'"{self.sha256[:32]}-{seats}"'


def sight_of(league: League, number: int, viewer: Participant | None) -> RecordSight | None:
    """The record of a league's match for a viewer; None when it has no result that counts."""
    found = league.store.one(
        "SELECT sha256, seats FROM valid JOIN fixture ON fixture.number = valid.fixture "
        "WHERE fixture.number = ?",
        (number,),
    )
    if found is None:
        return None
    bots = seats_of(found[1])
    own = own_seats(league, [league.copy_of(bot)[0] for bot in bots], viewer)
    names = tuple(map(league.seat_name, bots))
    return RecordSight(league.record(number), found[0], names, own)


def own_seats(
    league: League, names: Sequence[str], viewer: Participant | None
) -> frozenset[int] | None:
    """The seats whose stderr and drawings a viewer sees, of a match between bots of these names;
    None: all."""
    if are_lines_shown(league) or (viewer is not None and viewer.may("organise")):
        return None
    if viewer is None:
        return frozenset()
    query = "SELECT bot FROM owner WHERE team = ?"
    ours = {bot for (bot,) in league.store.all(query, (viewer.team,))}
    own = frozenset(seat for seat, name in enumerate(names) if name in ours)
    return None if len(own) == len(names) else own


async def packed(sight: RecordSight) -> bytes:
    """The record that a viewer may keep, compressed. Raises ReplayError when it cannot be read."""
    return await FILTERING.run(packed_for, sight)


async def match(sight: RecordSight) -> Match:
    """The match as a viewer sees it. Raises ReplayError when it cannot be read."""
    return await FILTERING.run(match_for, sight)


def packed_for(sight: RecordSight) -> bytes:
    """`packed`, in this thread. What a viewer sees whole is the stored file, byte for byte."""
    if sight.own is None:
        return sight.path.read_bytes()
    seen = match_for(sight)
    return gzip.compress(encode_lines((seen.header, *seen.records)), mtime=0)


def match_for(sight: RecordSight) -> Match:
    """`match`, in this thread."""
    found = Match.read(sight.path, largest=MAX_RECORD_SIZE)
    return found if sight.own is None else shared(found, sight.own)
