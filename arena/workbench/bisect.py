"""Finds the version that made a bot worse: a search by halves whose every question is a comparison
against the same pool."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import UsageError
from arena.tournament.sprt import Sprt, SprtVerdict

LOSS = Sprt(elo1=20.0)
"""Default test: the first version is better than another by so much."""


class BisectVerdict(Enum):
    """What a search found. The values go into documents."""

    FOUND = "found"
    NOT_WORSE = "not worse"
    """The last version is not worse than the first."""
    UNDECIDED = "undecided"


class BisectStep(Struct, frozen=True):
    """One question: is this version worse than the first?"""

    version: int
    verdict: SprtVerdict
    """`BETTER`: the first version is better than this one."""
    elo: float | None
    """How much better the first version is."""
    low: float | None
    high: float | None
    games: int


class BisectReport(Struct, frozen=True):
    """What `arena bisect --json` prints."""

    game: str
    versions: list[str]
    steps: list[BisectStep]
    verdict: BisectVerdict
    good: str
    """The last version that is not worse than the first, as far as is known."""
    bad: str
    """The first version that is worse."""
    sentence: str


def each_test(test: Sprt, versions: int) -> Sprt:
    """The test of each question, so that all of them together keep the errors of `test`."""
    questions = 1 + math.ceil(math.log2(max(versions - 1, 1)))
    least = 0.0001
    return replace(
        test,
        alpha=max(least, test.alpha / questions),
        beta=max(least, test.beta / questions),
    )


def bisect(game: str, versions: Sequence[str], ask: Callable[[int], BisectStep]) -> BisectReport:
    """Search among the versions, the first of which is good; `ask` compares one with the first.

    One version is taken to have made the loss, and those after it to have kept it. Raises
    UsageError for fewer than two versions.
    """
    if len(versions) < 2:
        raise UsageError("a search is among versions: name the good one first, the bad one last")
    steps: list[BisectStep] = []
    good, bad = 0, len(versions) - 1
    verdict = BisectVerdict.FOUND
    asked = bad
    while True:
        step = ask(asked)
        steps.append(step)
        if step.verdict is SprtVerdict.UNDECIDED:
            verdict = BisectVerdict.UNDECIDED
            break
        if step.verdict is SprtVerdict.NOT_BETTER:
            if asked == len(versions) - 1:
                verdict = BisectVerdict.NOT_WORSE
                break
            good = asked
        else:
            bad = asked
        if bad - good == 1:
            break
        asked = (good + bad) // 2
    return BisectReport(
        game=game,
        versions=list(versions),
        steps=steps,
        verdict=verdict,
        good=versions[good],
        bad=versions[bad],
        sentence=_sentence(verdict, versions, good, bad),
    )


def _sentence(verdict: BisectVerdict, versions: Sequence[str], good: int, bad: int) -> str:
    if verdict is BisectVerdict.NOT_WORSE:
        return f"{versions[-1]} is not worse than {versions[0]}: there is nothing to find."
    if verdict is BisectVerdict.UNDECIDED:
        return (
            f"It is not known yet which version after {versions[good]} is worse: play more games."
        )
    return (
        f"{versions[bad]} is the first that is worse than {versions[0]}; {versions[good]} is not."
    )
