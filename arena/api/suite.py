"""Tests a bot on positions: does it answer each as expected?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from msgspec import Struct
from msgspec.structs import replace

from arena.api.conditions import Bot, Conditions, find_entrant
from arena.api.inside import refuse_inside_trio
from arena.api.positions import Positions, at_position, find_positions, spec_at, times_of
from arena.core.clock import open_bank
from arena.core.ranking import shares
from arena.core.replies import Answer, Reply
from arena.errors import BotError, UsageError
from arena.match.play import level_for, play_match, terms_of
from arena.match.rerun import LastAnswer, last_answer
from arena.match.spec import MatchSpec
from arena.players.entrant import Entrant
from arena.record.position import Expectation, Position, ReplayedPosition
from arena.runtime.pool import pool_of
from arena.runtime.retry import fitting_jobs, play_with

if TYPE_CHECKING:
    from arena.players.terms import Terms
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
        """Try all positions; `each` is called with their items in the order of the file, as soon as
        they are known. If it ends early, `items` has those that were tried.

        Raises UsageError for a position of other rules or settings, BotError for a bot that cannot
        be started, ArenaFault when the arena fails.
        """
        refuse_inside_trio("suite", "match.rerun.last_answer")
        plan = [
            (index, trial) for index in range(len(self.positions)) for trial in self._trials(index)
        ]
        seats = max(len(trial.entrants) for _, trial in plan)
        jobs = fitting_jobs(self._jobs, seats, self._first.terms.limits.memory, self._tell)
        found = defaultdict[int, list[_Tried]](list)
        wanted, said = Counter(index for index, _ in plan), 0
        opened = partial(pool_of, _try)
        with closing(play_with(plan, opened, jobs=jobs, tell=self._tell)) as trials:
            for index, tried in trials:
                if isinstance(tried, BotError):
                    raise tried
                found[index].append(tried)
                if len(found[index]) == wanted[index]:
                    self.items[index] = self._item(index, found.pop(index))
                while said in self.items:
                    each(self.items[said])
                    said += 1
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

    def _trials(self, index: int) -> Iterator[_Trial]:
        """What is played at a position."""
        position, expect = self.positions[index], self.positions[index].expect
        assert expect is not None
        try:
            spec = at_position(self._first, position, self._times)
        except UsageError as error:
            raise UsageError(f"position {index + 1}: {error}") from None
        if expect.one_of or expect.none_of or expect.no_fault:
            yield _Trial(replace(spec, entrants=(self.bot,)), is_question=True)
        if expect.min_score is not None:
            entrants = tuple(
                self.bot if seat == _seat(position) else self._rival
                for seat in range(position.seats)
            )
            trial = _Trial(replace(spec, entrants=entrants), is_question=False)
            yield from [trial] * expect.games

    def _item(self, index: int, tried: Sequence[_Tried]) -> SuiteItem:
        """The item of a position from all that was played there."""
        position, expect = self.positions[index], _expected(self.positions[index])
        item = SuiteItem(index + 1, position.round, _seat(position), list(position.tags), True, [])
        refused = [one for one in tried if isinstance(one, str)]
        if refused:
            return replace(item, ok=False, problems=refused[:1])
        for given in tried:
            if isinstance(given, LastAnswer):
                item = replace(
                    item,
                    problems=_judged(expect, given),
                    asked=given.asked,
                    answer=_text(given.reply),
                    wall_ms=round(given.wall_ms, 3),
                )
        scores = [one for one in tried if isinstance(one, float)]
        if scores:
            score = sum(scores) / len(scores)
            problems = [*item.problems, *_missed(expect, score, len(scores))]
            item = replace(item, problems=problems, score=score, games=len(scores))
        return replace(item, ok=not item.problems)


class _Trial(Struct, frozen=True):
    """What is played at a position: a match that goes on from there, or a question to one bot."""

    spec: MatchSpec
    """At the position; of a question with the bot as the only entrant."""
    is_question: bool

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """See `PoolWork`."""
        return self.spec.entrants

    @property
    def terms(self) -> Terms:
        """See `PoolWork`."""
        return self.spec.terms

    @property
    def has_programs(self) -> bool:
        """See `PoolWork`."""
        return self.spec.has_programs


async def _try(trial: _Trial, children: Children | None, then: _Trial | None) -> _Tried:
    """Play what is to be played at a position, which the rules prove before."""
    position = trial.spec.position
    assert position is not None
    try:
        reached = ReplayedPosition(position)
    except UsageError as error:
        return str(error)
    if trial.is_question:
        return await _ask(trial.spec, reached, children)
    after = None if then is None or then.is_question else then.spec
    report = await play_match(trial.spec, children, then=after, past=reached.prefix)
    return shares([player.rank for player in report.players])[_seat(position)]


async def _ask(spec: MatchSpec, reached: ReplayedPosition, children: Children | None) -> LastAnswer:
    """The bot's answer, with all that is wrong with it by protocol and rules."""
    seat, (bot,) = _seat(reached.position), spec.entrants
    terms = terms_of(spec, await level_for([bot], spec.terms.sandbox, children))
    settings = spec.settings
    bank = open_bank(settings.timebank, settings.time_per_move, runs=terms.budget is None)
    given = await last_answer(reached.requests(seat), bot, terms, bank, children)
    if not given.is_last or not isinstance(given.reply, Answer):
        return given
    return replace(given, faults=given.faults | reached.faults(seat, given.reply))


_Tried: TypeAlias = LastAnswer | float | str
"""What came of a trial: an answer, the bot's score in a match, or why there is no such position."""


def _expected(position: Position) -> Expectation:
    assert position.expect is not None
    return position.expect


def _seat(position: Position) -> int:
    assert position.seat is not None
    return position.seat


def _text(reply: Reply) -> str | None:
    return reply.text if isinstance(reply, Answer) else None


def _plain(answer: str) -> str:
    return " ".join(answer.split())


def _judged(expect: Expectation, given: LastAnswer) -> list[str]:
    """How the answer differs from what is expected; empty if it does not."""
    if not isinstance(given.reply, Answer):
        why = f" ({given.stopped}: {given.stopped_detail})" if given.stopped else ""
        where = "" if given.is_last else f" of round {given.round}, before the position"
        return [f"it gave no answer to {given.asked!r}{where}{why}"]
    answer, problems = _plain(given.reply.text), list[str]()
    if expect.one_of and answer not in map(_plain, expect.one_of):
        problems.append(
            f"it answered {answer!r}, and one of these was expected: {_list(expect.one_of)}"
        )
    if answer in map(_plain, expect.none_of):
        problems.append(f"it answered {answer!r}, which it must not")
    if expect.no_fault:
        problems += [f"{code}: {detail}" for code, detail in given.faults.items()]
    return problems


def _list(answers: Sequence[str]) -> str:
    return ", ".join(map(repr, answers))


def _missed(expect: Expectation, score: float, games: int) -> list[str]:
    """What is said of a score that is too low."""
    if expect.min_score is None or score >= expect.min_score - 1e-9:
        return []
    return [f"it scored {score:.3g} in {games} games, and {expect.min_score:g} was expected"]


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
    rival = (
        spec.entrants[0]
        if against is None
        else find_entrant(against, spec.terms.sandbox, spec.pass_env)
    )
    times = times_of(conditions, first.find_game())
    return Suite(found, spec, rival, times=times, jobs=jobs, tell=tell)
