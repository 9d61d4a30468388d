"""Matches against programs: the arena plays them, in a thread with Trio's loop, as `arena.play`
does, and one seat waits for the learner.

The learner sits at a `Desk`, as a person does: without a clock. The referee, the walls, the time
banks of the others and their verdicts are those of any match. A program that ends is a verdict on
it, and the match goes on.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import trio
from msgspec import Struct
from msgspec.structs import replace

from arena.api.inside import children_running
from arena.core.listener import Listener
from arena.core.steps import Frame, Outcome
from arena.errors import root_cause
from arena.match.play import play_match
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import HumanEntrant
from arena.players.human import Turn
from arena.sandbox.children import Children
from arena.sandbox.levels import SandboxWish
from arena.train.episode import Episode, EpisodePlan

LEARNER = "learner"


class Host:
    """A thread in which matches are played one after the other, with one keeper."""

    def __init__(self, mode: SandboxWish) -> None:
        """Raises what the start of a keeper raises."""
        self._mode = mode
        self.pid = os.getpid()
        """The process that has the thread: a fork of it has none."""
        self._error: BaseException | None = None
        self._begun = queue.SimpleQueue[trio.lowlevel.TrioToken | BaseException]()
        self._jobs, self._taken = trio.open_memory_channel[
            Callable[[Children], Coroutine[Any, Any, None]]
        ](1)
        self._thread = threading.Thread(target=self._run, daemon=True, name="arena-host")
        self._thread.start()
        token = self._begun.get()
        if isinstance(token, BaseException):
            raise token
        self.token = token

    def _run(self) -> None:
        try:
            trio.run(self._main)
        except BaseException as error:
            self._error = error
            self._begun.put(error)

    async def _main(self) -> None:
        async with children_running(self._mode) as children:
            self._begun.put(trio.lowlevel.current_trio_token())
            async for job in self._taken:
                await job(children)

    def do(self, job: Callable[[Children], Coroutine[Any, Any, None]]) -> None:
        """Play a match, after those before it. (If the thread ends first, it never begins.)"""
        self.soon(self._jobs.send_nowait, job)

    def soon(self, function: Callable[..., object], *args: object) -> None:
        """Call a function in the thread, unless that has ended."""
        with suppress(trio.RunFinishedError):
            self.token.run_sync_soon(function, *args)

    @property
    def failed(self) -> bool:
        """Whether the thread has ended by an error."""
        return self._error is not None

    def failure(self) -> BaseException:
        """The error by which the thread ends, as when its keeper is killed."""
        self._thread.join()
        assert self._error is not None, "only a thread that fails cancels a match itself"
        return root_cause(self._error)

    def close(self) -> None:
        """End the thread and its keeper, once the match is over."""
        self.soon(self._jobs.close)
        self._thread.join()


class _Cancelled(Exception):
    """The match was given up."""


class HostedEpisode(Episode):
    """A match of one learner; the other seats are taken by the entrants of a spec."""

    def __init__(
        self, plan: EpisodePlan, seed: str, *, encode: bool, host: Host, spec: MatchSpec, seat: int
    ) -> None:
        """`spec` has an entrant for each seat; that of `seat` is replaced by the learner."""
        super().__init__(plan, seed, encode=encode)
        self.seat = seat
        self.report: MatchReport | None = None
        """What became of the match and of each player, at the end."""
        self._host = host
        self._news = queue.SimpleQueue[Turn | MatchReport | BaseException]()
        self._answers = trio.open_memory_channel[str](1)
        self._scope = trio.CancelScope()
        self._done = threading.Event()
        learner = HumanEntrant(LEARNER, desk=_LearnerDesk(self._news, self._answers[1], self._last))
        entrants = (*spec.entrants[:seat], learner, *spec.entrants[seat + 1 :])
        self._spec = replace(
            spec, entrants=entrants, seed=seed, settings=plan.settings, map=plan.map
        )
        host.do(self._play)
        self._take_in()

    # -- in Trio's thread --------------------------------------------------------------------

    async def _play(self, children: Children) -> None:
        news: MatchReport | BaseException = _Cancelled()
        try:
            with self._scope:
                news = await play_match(self._spec, children, [_Shown(self.show)])
        except BaseException as error:
            news = root_cause(error) if isinstance(error, BaseExceptionGroup) else error
            if not isinstance(error, Exception):
                raise
        finally:
            self._done.set()
            self._news.put(news)

    def _last(self, lines: tuple[str, ...]) -> None:
        for line in lines:
            self.tell(self.seat, line)

    # -- in the learner's thread -------------------------------------------------------------

    def _move_on(self, seat: int, text: str) -> None:
        self._host.soon(self._answers[0].send_nowait, text)
        self._take_in()

    def _take_in(self) -> None:
        """Wait until the learner is asked, or for the end. Raises what ended the match, if it is
        void."""
        self.ask = None  # before the wait, which Ctrl-C may end: the answer is given
        news = self._next_news()
        if isinstance(news, trio.Cancelled):
            raise self._host.failure()
        if isinstance(news, BaseException):
            raise news
        if isinstance(news, MatchReport):
            self.report, self.truncated, self.table = news, False, None
            self.outcome = _outcome_of(news)
            return
        for line in (*news.lines, news.request):
            self.tell(self.seat, line)
        self.table = news.helper.table
        self.ask = None if self.truncated else self.table.request(self.seat)

    def _next_news(self) -> Turn | MatchReport | BaseException:
        """Raises what ended the thread, if that was before the match began."""
        while True:
            with suppress(queue.Empty):
                return self._news.get(timeout=1)
            if self._host.failed and self._news.empty():
                self._done.set()
                raise self._host.failure()

    def close(self) -> None:
        """End the match and its programs, if it still runs."""
        self._host.soon(self._scope.cancel)
        self._done.wait()


class _LearnerDesk(Struct, frozen=True):
    """Where the learner sits, as the referee sees it."""

    news: queue.SimpleQueue[Any]
    answers: trio.MemoryReceiveChannel[str]
    last: Callable[[tuple[str, ...]], None]

    async def answer(self, turn: Turn) -> str:
        """Hand the request over, and wait for the answer."""
        self.news.put(turn)
        return await self.answers.receive()

    async def dismiss(self, name: str, lines: tuple[str, ...]) -> None:
        """Keep the last lines."""
        self.last(lines)


def _outcome_of(report: MatchReport) -> Outcome:
    players = report.players
    return Outcome(
        ranks=tuple(one.rank for one in players),
        points=tuple(one.points for one in players),
        fates=tuple(one.fate for one in players),
        reason=report.reason,
        sentence=report.sentence,
    )


class _Shown(Listener):
    def __init__(self, show: Callable[[Frame], None]) -> None:
        self._show = show

    async def shown(self, frame: Frame) -> None:
        """A round ended."""
        self._show(frame)
