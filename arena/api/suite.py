"""Tests a bot on positions: does it answer each as expected?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import trio
from msgspec import Struct
from msgspec.structs import replace

from arena.api.conditions import Bot, Conditions, find_entrant
from arena.api.inside import refuse_inside_trio
from arena.api.positions import Positions, at_position, find_positions, spec_at, times_of
from arena.core.clock import open_bank
from arena.core.ranking import shares
from arena.core.replies import Answer, Reply
from arena.errors import UsageError
from arena.match.play import level_for, terms_of
from arena.match.rerun import last_answer
from arena.match.spec import MatchSpec
from arena.players.entrant import Entrant
from arena.record.position import Expectation, Position, ReplayedPosition
from arena.runtime.retry import fitting_jobs, play_all
from arena.sandbox.session import keeper_running, run_with

if TYPE_CHECKING:
    from arena.match.rerun import LastAnswer
    from arena.sandbox.children import Children


class SuiteItem(Struct, frozen=True):
    """The result of one position of a suite."""

    number: int
    """The number of the position in its file, from 1."""
    round: int | None
    seat: int
    """The seat of the bot, from 0."""
    tags: list[str]
    ok: bool
    problems: list[str]
    """What was not as expected, one sentence each."""
    asked: str | None = None
    """The request at the position; None if only scores were expected."""
    answer: str | None = None
    """The bot's answer to it; None for no answer."""
    wall_ms: float | None = None
    """How long the answer took."""
    score: float | None = None
    """The score over the matches that were played on, if one was expected."""
    games: int = 0
    """The number of these matches."""


class SuiteReport(Struct, frozen=True):
    """What `arena suite --json` prints."""

    game: str
    bot: str
    positions: int
    passed: int
    failed: int
    stopped: str | None
    """Why it ended early, with positions that were not tried."""
    items: list[SuiteItem]
    """The positions that were tried, in the order of the file."""


class Suite:
    """A bot and the positions on which it is tested. `run` it once."""

    def __init__(
        self,
        positions: Sequence[Position],
        first: MatchSpec,
        rival: Entrant,
        *,
        times: dict[str, Any],
        jobs: int,
        tell: Callable[[str], None],
    ) -> None:
        """`first` is the match of the first position, in which the bot is at all seats; `rival`
        plays against it where a score is expected."""
        self.positions = positions
        self.bot = first.entrants[0]
        self.items: dict[int, SuiteItem] = {}
        """What was tried so far, by the index of the position."""
        self._first = first
        self._rival = rival
        self._times = times
        self._jobs = jobs
        self._tell = tell

    def run(self, each: Callable[[SuiteItem], None] = lambda item: None) -> SuiteReport:
        """Try all positions; `each` is called as they end, in any order. If it ends early, `items`
        has those that were tried.

        Raises BotError for a bot that cannot be started, ArenaFault when the arena fails.
        """
        refuse_inside_trio("suite", "match.rerun.last_answer")
        scored = [i for i, one in enumerate(self.positions) if _expected(one).min_score is not None]
        single = [i for i, one in enumerate(self.positions) if _asks_for_an_answer(one)]
        found = dict[int, SuiteItem]()

        def keep(index: int, item: SuiteItem) -> None:
            if _expected(self.positions[index]).min_score is not None and not item.games:
                found[index] = item
                return
            self.items[index] = item
            each(item)

        if single:
            with keeper_running(self._first.terms.sandbox) as keeper:
                run_with(keeper, partial(self._ask_all, single, keep))
        self._play(scored, found, keep)
        return self.report()

    def report(self, stopped: BaseException | None = None) -> SuiteReport:
        """The report so far; `stopped` is the exception that ended the suite early."""
        items = [item for _, item in sorted(self.items.items())]
        passed = sum(item.ok for item in items)
        return SuiteReport(
            self._first.game,
            self.bot.name,
            len(self.positions),
            passed,
            len(items) - passed,
            None if stopped is None else str(stopped) or "interrupted",
            items,
        )

    # -- single answers --------------------------------------------------------------------

    async def _ask_all(
        self, indices: Sequence[int], keep: Callable[[int, SuiteItem], None], children: Children
    ) -> None:
        """Try the positions at which an answer is judged, several at a time."""
        level = await level_for([self.bot], self._first.terms.sandbox, children)
        jobs = fitting_jobs(self._jobs, 1, self._tell)
        room = trio.CapacityLimiter(jobs)

        async def ask(index: int) -> None:
            position = self.positions[index]
            try:
                reached = ReplayedPosition(position)
            except UsageError as error:
                keep(index, _item(index, position, [str(error)]))
                return
            spec = at_position(self._first, position, self._times)
            requests = reached.requests(_seat(position))
            terms = terms_of(spec, level)
            bank = open_bank(
                spec.settings.timebank, spec.settings.time_per_move, runs=terms.budget is None
            )
            given = await last_answer(requests, self.bot, terms, bank, children)
            is_there = given.number == len(requests)
            faults = _faults(reached, given, is_there=is_there)
            problems = _judged(_expected(position), given, faults, is_there=is_there)
            keep(
                index,
                replace(
                    _item(index, position, problems),
                    asked=given.asked,
                    answer=_text(given.reply),
                    wall_ms=round(given.wall_ms, 3),
                ),
            )

        async def run(index: int) -> None:
            async with room:
                await ask(index)

        async with trio.open_nursery() as nursery:
            for index in indices:
                nursery.start_soon(run, index)

    # -- scores ----------------------------------------------------------------------------

    def _play(
        self,
        indices: Sequence[int],
        found: dict[int, SuiteItem],
        keep: Callable[[int, SuiteItem], None],
    ) -> None:
        """Play on from the positions at which a score is expected."""
        plan: list[int] = []
        for index in indices:
            position = self.positions[index]
            try:
                ReplayedPosition(position)
            except UsageError as error:
                keep(index, replace(_item(index, position, [str(error)]), games=0))
                self.items[index] = _item(index, position, [str(error)])
                continue
            plan += [index] * _expected(position).games
        scores = defaultdict[int, list[float]](list)
        for number, report in play_all(map(self._match, plan), jobs=self._jobs, tell=self._tell):
            index = plan[number]
            position, expect = self.positions[index], _expected(self.positions[index])
            ranks = [player.rank for player in report.players]
            scores[index].append(shares(ranks)[_seat(position)])
            if len(scores[index]) == expect.games:
                keep(index, _scored(index, position, scores[index], found.get(index)))

    def _match(self, index: int) -> MatchSpec:
        """A match that is played on from a position."""
        position = self.positions[index]
        seats = range(position.seats)
        return replace(
            at_position(self._first, position, self._times),
            entrants=tuple(self.bot if seat == _seat(position) else self._rival for seat in seats),
        )


def _expected(position: Position) -> Expectation:
    assert position.expect is not None
    return position.expect


def _seat(position: Position) -> int:
    assert position.seat is not None
    return position.seat


def _asks_for_an_answer(position: Position) -> bool:
    expect = _expected(position)
    return bool(expect.one_of or expect.none_of or expect.no_fault)


def _item(index: int, position: Position, problems: list[str]) -> SuiteItem:
    return SuiteItem(
        index + 1, position.round, _seat(position), list(position.tags), not problems, problems
    )


def _text(reply: Reply) -> str | None:
    return reply.text if isinstance(reply, Answer) else None


def _plain(answer: str) -> str:
    return " ".join(answer.split())


def _faults(reached: ReplayedPosition, given: LastAnswer, *, is_there: bool) -> dict[str, str]:
    """What is wrong with an answer, by protocol and rules."""
    if not is_there or not isinstance(given.reply, Answer):
        return given.faults
    return {**given.faults, **reached.faults(_seat(reached.position), given.reply)}


def _judged(
    expect: Expectation, given: LastAnswer, faults: dict[str, str], *, is_there: bool
) -> list[str]:
    """How the answer differs from what is expected; empty if it does not."""
    if not isinstance(given.reply, Answer):
        why = f" ({given.stopped}: {given.stopped_detail})" if given.stopped else ""
        where = "" if is_there else f" of round {given.round}, before the position"
        return [f"it gave no answer to {given.asked!r}{where}{why}"]
    answer, problems = _plain(given.reply.text), list[str]()
    if expect.one_of and answer not in map(_plain, expect.one_of):
        problems.append(
            f"it answered {answer!r}, and one of these was expected: {_list(expect.one_of)}"
        )
    if answer in map(_plain, expect.none_of):
        problems.append(f"it answered {answer!r}, which it must not")
    if expect.no_fault:
        problems += [f"{code}: {detail}" for code, detail in faults.items()]
    return problems


def _list(answers: Sequence[str]) -> str:
    return ", ".join(map(repr, answers))


def _scored(
    index: int, position: Position, scores: Sequence[float], before: SuiteItem | None
) -> SuiteItem:
    """The item of a position with its score; `before` is what its answer came to."""
    item = before or _item(index, position, [])
    score, least = sum(scores) / len(scores), _expected(position).min_score
    assert least is not None
    problems = list(item.problems)
    if score < least - 1e-9:
        problems.append(f"it scored {score:.3g} in {len(scores)} games, and {least:g} was expected")
    return replace(item, ok=not problems, problems=problems, score=score, games=len(scores))


def suite(
    positions: Positions,
    bot: Bot,
    *,
    against: Bot | None = None,
    jobs: int = 1,
    tell: Callable[[str], None] = lambda text: None,
    **conditions: Unpack[Conditions],
) -> Suite:
    """A suite: positions that say what to expect, or a file of them, and the bot to test::

        report = arena.suite("tactics.jsonl", "my_bot.py", jobs=2).run()
        print(report.failed)

    At each position a new process of the bot learns the rounds before, and is asked once. Where a
    score is expected it plays matches from there, against `against`, or against itself. `jobs`
    positions are tried at a time.

    Raises UsageError for positions that are none or expect nothing, and for conditions that come
    with them; BotError for a bot that cannot be built.
    """
    if not isinstance(jobs, int) or jobs < 1:
        raise UsageError(f"jobs={jobs!r} is not allowed: give a whole number from 1")
    found = find_positions(positions)
    for number, one in enumerate(found, 1):
        if one.expect is None:
            raise UsageError(
                f"position {number} does not say what to expect: give arena cut --one-of, "
                "--none-of, --no-fault or --min-score"
            )
    first = found[0]
    for number, one in enumerate(found, 1):
        if one.game != first.game:
            raise UsageError(f"position {number} is one of {one.game}, the first of {first.game}")
    spec = spec_at(first.game, [bot] * first.seats, first, conditions)
    rival = spec.entrants[0] if against is None else find_entrant(against, spec.terms.sandbox)
    times = times_of(conditions)
    return Suite(found, spec, rival, times=times, jobs=jobs, tell=tell)
