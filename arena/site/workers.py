"""The processes beside the server: the examiner of uploads and the judge, one each for a league.

Both do what the command line does, as processes of their own: a match or a build never stops the
loop that serves pages, and a server that is killed takes both with it. What they had begun is begun
again, since results and outcomes are one change each.

A judge on another terminal (``arena league run FILE``, with workers of a cluster) takes precedence:
the lock of the league lets one judge play, and the site's own tries again later.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import trio

from arena.league.league import League
from arena.site import scrimmages, uploads
from arena.site.contest import Contest

LOOK = 0.5
"""Seconds between two looks at the queue."""
AGAIN = 10.0
"""Seconds until a judge that has ended is started again."""
GRACE = 10.0
"""Seconds that a process has to end when it is asked to."""
KILLED = "the examiner was killed while it looked at this upload: tell the organiser, or try again"
TRIES = 3
"""Times that an upload is examined if its examiner dies of it."""


class Process:
    """A process that ends with this one. Started by the main thread: the kernel ends it when the
    thread that started it ends."""

    def __init__(self, module: str, *words: str) -> None:
        command = [sys.executable, "-m", module, str(os.getpid()), *words]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the server, which ends its processes
        )

    async def ended(self) -> tuple[int, str]:
        """Wait for its end: its status, and the last that it wrote. When that is cancelled it is
        asked to end, and killed if it does not."""
        try:
            said = await self._read()
            with trio.CancelScope(shield=True):
                status = await trio.to_thread.run_sync(self._process.wait)
            return status, said
        finally:
            if self._process.poll() is None:
                with trio.CancelScope(shield=True):
                    await self._end()

    async def _read(self) -> str:
        assert self._process.stderr is not None
        os.set_blocking(self._process.stderr.fileno(), False)
        said = b""
        async with trio.lowlevel.FdStream(os.dup(self._process.stderr.fileno())) as stream:
            async for data in stream:
                said = (said + bytes(data))[-4096:]
        return said.decode("utf-8", "replace")

    async def _end(self) -> None:
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        with trio.move_on_after(GRACE):
            await trio.to_thread.run_sync(self._process.wait, abandon_on_cancel=True)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


async def examine_all(contest: Contest, tell: Callable[[str], None]) -> None:
    """Examine uploads, one after the other, for ever."""
    tries: dict[int, int] = {}
    while True:
        number = await contest.ask(uploads.next_waiting)
        if number is None:
            await trio.sleep(LOOK)
            continue
        tries[number] = tries.get(number, 0) + 1
        status, said = await Process("arena.site.examining", str(contest.path), str(number)).ended()
        if await contest.ask(uploads.next_waiting) == number:
            tell(f"upload {number}: its examiner ended with status {status}: {said.strip()[-500:]}")
            if tries[number] >= TRIES:
                await contest.ask(uploads.end, number, KILLED)
            await trio.sleep(LOOK)


async def judge_all(contest: Contest, jobs: int, tell: Callable[[str], None]) -> None:
    """Let a judge play as long as there are enough bots, for ever."""
    told = ""
    while True:
        if not await contest.ask(_can_play):
            await trio.sleep(LOOK * 4)
            continue
        _, said = await Process("arena.site.judging", str(contest.path), str(jobs)).ended()
        last = said.strip().splitlines()[-1:]
        if last and last[0] != told:
            told = last[0]
            tell(f"the judge of {contest.path.name}: {told}")
        await trio.sleep(AGAIN)


def _can_play(league: League) -> bool:
    enough = len(league.players()) >= league.terms.seats or scrimmages.waiting(league) > 0
    return enough and not is_paused(league)


def is_paused(league: League) -> bool:
    """Whether an organiser has paused the judge. Of the moments that have come the newest holds."""
    found = league.store.one(
        "SELECT kind FROM moment WHERE kind IN ('pause', 'resume') AND due <= CURRENT_TIMESTAMP "
        "ORDER BY due DESC, number DESC LIMIT 1"
    )
    return found is not None and found[0] == "pause"


def clear_drafts(path: Path) -> None:
    """Remove what uploads have left that were cut off by the end of a server."""
    folder = path.with_name(f"{path.name}.d") / "uploads"
    for draft in folder.glob("draft-*"):
        draft.unlink(missing_ok=True)
