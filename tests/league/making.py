"""Small leagues for tests: quick deterministic bots, taken without their input test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from arena.bots.intake import TakenIn
from arena.league.bots import hand_in
from arena.league.judge import Judge
from arena.league.league import League
from arena.league.plan import Meetings, Plan
from arena.league.types import LeagueTerms, settle
from arena.trial.report import SubmissionReport

ANSWERS = """while read -r line; do
    case $line in go*|pick*) echo {answer!r};; esac
done
"""
CRASHES = """while read -r line; do
    case $line in go*) echo alas >&2; exit 7;; esac
done
"""


def passes(terms: LeagueTerms, bot: TakenIn | Path) -> SubmissionReport:
    """A test that any bot passes."""
    return SubmissionReport(bot.name, terms.game, True, "", "off", [], None, "", "", "", "", [])


def fails(terms: LeagueTerms, bot: TakenIn | Path) -> SubmissionReport:
    """A test that no bot passes."""
    return replace(passes(terms, bot), ok=False)


def lay_out(folder: Path, name: str, code: str) -> Path:
    """A bot that is a folder, for the shell: that starts in a tenth of what Python takes."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "bot.sh").write_text(code)
    (place / "bot.toml").write_text(f'name = "{name}"\nrun = ["/bin/sh", "bot.sh"]\n')
    return place


def begin(
    path: Path, *codes: str, game: str = "tiny", seats: int | None = None, **conditions: Any
) -> League:
    """A league of bots ``bot1``, ``bot2`` and so on: a code that is a digit is an answer."""
    conditions = {"seed": "the seed of the tests", "sandbox": "off", **conditions}
    league = League.begin(path, settle(game, seats, conditions))  # type: ignore[arg-type]  # conditions by name
    for number, code in enumerate(codes, 1):
        source = ANSWERS.format(answer=code) if len(code) < 9 else code
        bot = lay_out(path.with_name(f"{path.name}-sources"), f"bot{number}", source)
        hand_in(league, bot, test=passes)
    return league


@contextmanager
def opened(path: Path, *codes: str, **conditions: Any) -> Iterator[League]:
    """The same, for the time of a ``with``."""
    with begin(path, *codes, **conditions) as league:
        yield league


def play(league: League, plan: Plan | None = None, *, jobs: int = 1) -> Judge:
    """Play it to its end."""
    judge = Judge(league, plan or Meetings(1), jobs=jobs)
    for _ in judge.run():
        pass
    return judge
