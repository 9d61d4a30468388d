"""How a run goes on: matches played and planned, the rate, who leads, faults so far."""

from __future__ import annotations

import time
from collections import Counter, defaultdict

from arena.core.ranking import shares
from arena.league.league import League
from arena.league.types import Fixture, MatchResult


class Progress:
    """What a run has come to."""

    def __init__(self, league: League) -> None:
        self.stage = ""
        """What is played now, where there are several stages."""
        self.total: int | None = None
        """Matches of the stage, with those that were played before; None where there is no end."""
        self.done = 0
        """Matches of the stage that have results."""
        self.played = 0
        """Matches of this run."""
        self.ended: Counter[str] = Counter()
        """Programs that were ended in this run, by why."""
        self._league = league
        self._began = time.monotonic()
        self._beaten: defaultdict[str, float] = defaultdict(float)
        self._games: Counter[str] = Counter()

    def begin(self, stage: str, total: int | None) -> None:
        """A stage begins."""
        self.stage, self.total, self.done = stage, total, 0

    def count(self, fixture: Fixture, result: MatchResult) -> None:
        """One more match."""
        self.done += 1
        self.played += 1
        won = shares([seat.rank for seat in result.seats])
        for bot, share, seat in zip(fixture.seats, won, result.seats, strict=True):
            self._beaten[bot] += share
            self._games[bot] += 1
            if seat.stopped is not None:
                self.ended[seat.stopped] += 1

    @property
    def rate(self) -> float:
        """Matches a second, in this run."""
        return self.played / max(time.monotonic() - self._began, 1e-6)

    @property
    def seconds_left(self) -> float | None:
        """Until the end of the stage; None where there is none, or nothing was played."""
        if self.total is None or not self.played:
            return None
        return (self.total - self.done) / self.rate

    def leaders(self, count: int = 3) -> list[tuple[str, float]]:
        """Who has beaten the largest share of its rivals in this run."""
        shares = {bot: self._beaten[bot] / games for bot, games in self._games.items()}
        best = sorted(shares, key=lambda bot: -shares[bot])[:count]
        return [(self._league.copy_of(bot)[0], shares[bot]) for bot in best]
