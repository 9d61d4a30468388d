"""The process of a site's judge: ``python -m arena.site.judging FILE JOBS``.

It plays by the format that the league remembers; if it has none, on and on what narrows the table
most. It ends when an organiser pauses the contest. It looks for that between two matches; the
server starts it again.
"""

from __future__ import annotations

import sys
from pathlib import Path

from arena.errors import ArenaError
from arena.league.judge import Judge
from arena.league.league import League
from arena.league.plan import FOREVER, LeagueFormat, Nothing, remembered
from arena.runtime.worker import die_with
from arena.sandbox.interrupts import interrupt_on_termination
from arena.site.scrimmages import Scrimmages
from arena.site.workers import is_paused


def judge_league(file: Path, jobs: int) -> None:
    """Play a league until it is paused."""
    with League(file) as league:
        enough = len(set(league.teams(league.players()))) >= league.terms.seats
        plan = remembered(league) or LeagueFormat(FOREVER) if enough else Nothing()
        unranked = Scrimmages(league, _tell)
        for _ in Judge(league, plan, jobs=jobs, unranked=unranked, tell=_tell).run():
            if is_paused(league):
                return


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(words: list[str]) -> None:
    """Run with the words of a command line: the process that started this, FILE and JOBS."""
    die_with(int(words[0]))
    interrupt_on_termination()
    try:
        judge_league(Path(words[1]), int(words[2]))
    except ArenaError as error:
        _tell(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main(sys.argv[1:])
