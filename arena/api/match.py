"""A match that was played from Python: its record as an object, and its report."""

from __future__ import annotations

from dataclasses import dataclass

from arena.match.report import MatchReport
from arena.record.format import Header, Record  # noqa: F401  # what its fields are
from arena.record.reader import Match


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
