"""The processes beside the server: the judge of a league, one for each upload that is examined, and
one for each match that people play.

All do what the command line does, as processes of their own: a match or a build never stops the
loop that serves pages, and a server that is killed takes them with it. What the first two had begun
is begun again, since results and outcomes are one change each; a match of people does not go on.

A judge on another terminal (``arena league run FILE``, with workers of a cluster) takes precedence:
the lock of the league lets one judge play, and the site's own tries again later.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import anyio

from arena.errors import ArenaError
from arena.league.league import Folder, League
from arena.site import boards, moments, scrimmages, uploads
from arena.site.contest import Contest
from arena.text import counted
from arena.web.desk import Notifier
from arena.web.match_process import MatchProcess
from arena.web.passing import control_pair

LOOK = 0.5
"""Seconds between two looks at the queue."""
RETRY_PAUSE = 10.0
"""Seconds until a judge that has ended is started again."""
LATE = 60.0
"""Seconds until people's matches are looked at though none has begun."""
TIDY = 3600.0
"""Seconds between two looks for files to remove."""
GRACE = 10.0
"""Seconds that a process has to end when it is asked to."""
KILLED = "the examiner was killed while it looked at this upload: tell the organiser, or try again"
TRIES = 3
"""Times that an upload is examined if its examiner dies of it."""


class Process:
    """A process that ends with this one. Started by the main thread: the kernel ends it when the
    thread that started it ends."""

    def __init__(self, module: str, *words: str, handle: int | None = None) -> None:
        """`handle`: a descriptor that the process gets too."""
        command = [sys.executable, "-m", module, str(os.getpid()), *words]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=() if handle is None else (handle,),
            start_new_session=True,  # Ctrl-C is for the server, which ends its processes
        )

    async def ended(self) -> tuple[int, str]:
        """Wait for its end: its status, and the last that it wrote. When that is cancelled it is
        asked to end, and killed if it does not."""
        try:
            said = await self._read()
            with anyio.CancelScope(shield=True):
                status = await anyio.to_thread.run_sync(self._process.wait)
            return status, said
        finally:
            if self._process.poll() is None:
                with anyio.CancelScope(shield=True):
                    await self._end()

    async def _read(self) -> str:
        assert self._process.stderr is not None
        handle, said = self._process.stderr.fileno(), b""
        while True:
            await anyio.wait_readable(handle)
            data = os.read(handle, 4096)
            if not data:
                break
            said = (said + data)[-4096:]
        return said.decode("utf-8", "replace")

    async def _end(self) -> None:
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        with anyio.move_on_after(GRACE):
            await anyio.to_thread.run_sync(self._process.wait, abandon_on_cancel=True)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


async def examine_all(contest: Contest, at_once: int, tell: Callable[[str], None]) -> None:
    """Examine uploads for ever, `at_once` of them in the order in which they came; those of one bot
    one after the other, since the last is its newest version."""
    tries: Counter[int] = Counter()
    busy: list[int] = []
    ended = Notifier()

    async def examine(number: int) -> None:
        await _examine(contest, number, tries, tell)
        busy.remove(number)
        _say_what_is_examined(contest, busy)
        ended.tell()

    _say_what_is_examined(contest, busy)
    async with anyio.create_task_group() as nursery:
        while True:
            news = ended.next
            number = await contest.ask(uploads.next_waiting, busy) if len(busy) < at_once else None
            if number is not None:
                busy.append(number)
                _say_what_is_examined(contest, busy)
                nursery.start_soon(examine, number)
                continue
            with anyio.move_on_after(LOOK):
                await news.wait()


def _say_what_is_examined(contest: Contest, busy: Sequence[int]) -> None:
    numbers = ", ".join(map(str, busy))
    said = f"examines {'uploads' if len(busy) > 1 else 'upload'} {numbers}"
    contest.doing["examiner"] = said if busy else "waits for uploads"


async def _examine(
    contest: Contest, number: int, tries: Counter[int], tell: Callable[[str], None]
) -> None:
    """Examine an upload. It stays in the queue if its examiner dies of it, up to `TRIES` times."""
    tries[number] += 1
    status, said = await Process("arena.site.examining", str(contest.path), str(number)).ended()
    if not await contest.ask(uploads.is_waiting, number):
        return
    tell(f"upload {number}: its examiner ended with status {status}: {said.strip()[-500:]}")
    if tries[number] >= TRIES:
        await contest.ask(uploads.end, number, KILLED)
    await anyio.sleep(LOOK)


async def judge_all(contest: Contest, jobs: int, tell: Callable[[str], None]) -> None:
    """Let a judge play as long as there are enough bots, for ever."""
    told = ""
    while True:
        if not await contest.ask(_can_play):
            contest.doing["judge"] = "waits for bots of more teams, or for the end of a pause"
            await anyio.sleep(LOOK * 4)
            continue
        contest.doing["judge"] = f"plays, {counted(jobs, 'match', 'matches')} at a time"
        _, said = await Process("arena.site.judging", str(contest.path), str(jobs)).ended()
        last = said.strip().splitlines()[-1:]
        if last and last[0] != told:
            told = last[0]
            tell(f"the judge of {contest.path.name}: {told}")
        contest.doing["judge"] = last[0] if last else "is started again in some seconds"
        await anyio.sleep(RETRY_PAUSE)


def _can_play(league: League) -> bool:
    teams = len(set(league.teams(league.players())))
    enough = teams >= league.terms.seats or scrimmages.waiting(league) > 0
    return enough and not is_paused(league)


async def host_all(contest: Contest, tell: Callable[[str], None]) -> None:
    """Let people's matches be played, each by a process of its own, for ever."""
    await contest.ask(boards.end_broken)
    async with anyio.create_task_group() as nursery:
        while True:
            news = contest.people.next
            for number in await contest.ask(boards.ready):
                if number not in contest.hosted:
                    ours, theirs = control_pair()
                    contest.hosted[number] = MatchProcess(ours)
                    nursery.start_soon(_host, contest, number, theirs, tell)
            with anyio.move_on_after(LATE):
                await news.wait()


async def _host(
    contest: Contest, number: int, control: socket.socket, tell: Callable[[str], None]
) -> None:
    handle, why = control.fileno(), ""
    try:
        words = ("arena.site.hosting", str(contest.path), str(number), str(handle))
        status, said = await Process(*words, handle=handle).ended()
        why = f"status {status}: {said.strip()[-500:]}" if status or said else ""
    except OSError as error:  # no more processes, or no memory for one
        why = str(error)
    finally:
        contest.hosted.pop(number).close()
        control.close()
    if why:
        tell(f"people's match {number}: {why}")
    try:
        await contest.ask(boards.end, number, "", boards.FAILED)
    except ArenaError as error:  # a full disk; the next start of the site ends the match
        tell(f"people's match {number}: {error}")


async def tidy(contest: Contest) -> None:
    """Remove what is kept for a time only, for ever."""
    while True:
        await contest.ask(uploads.remove_refused)
        await anyio.sleep(TIDY)


def is_paused(league: League) -> bool:
    """Whether an organiser has paused the judge."""
    return moments.since(league, moments.PAUSE) is not None


def clear_drafts(path: Path) -> None:
    """Remove what uploads have left that were cut off by the end of a server."""
    for draft in (Folder(path).path / "uploads").glob("draft-*"):
        draft.unlink(missing_ok=True)
