"""Start the process that serves the pages of a match which this process plays."""

from __future__ import annotations

import secrets
import socket
import subprocess
import sys

import msgspec
import trio
from trio import TASK_STATUS_IGNORED, TaskStatus

from arena.core.game import AnyGame
from arena.view.page import live_page, seat_page
from arena.web.live import LiveMatch
from arena.web.passing import SPECTATORS, control_pair, take_pages

LEAVING = 20.0
"""Maximum seconds in which pages can load the whole match after its end."""
ENDING = 5.0
"""Seconds that the serving process has to end by itself."""


class LiveServer:
    """The process that serves the pages of a match that this process plays.

    Each person on a page has an address of their own; without such people there is one for
    spectators."""

    def __init__(self, live: LiveMatch, game: AnyGame) -> None:
        self._live, self._game = live, game
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self._listening.getsockname()[1]}"
        """Listening address, such as ``127.0.0.1:8000``."""
        self._seats = {secrets.token_urlsafe(16): seat for seat in [*live.desks] or [SPECTATORS]}
        self._stop = trio.Event()

    @property
    def addresses(self) -> dict[int | None, str]:
        """The addresses to open in a browser, by seat of a person; None: for spectators."""
        return {
            None if seat == SPECTATORS else seat: f"http://{self.host}/{secret}/"
            for secret, seat in self._seats.items()
        }

    async def run(self, task_status: TaskStatus[None] = TASK_STATUS_IGNORED) -> None:
        """Serve until `close`."""
        ours, theirs = control_pair()
        with self._listening, theirs:
            process = self._start(theirs)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(take_pages, ours, self._live, nursery)
                task_status.started()
                await self._stop.wait()
                nursery.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(_end, process)

    def _start(self, control: socket.socket) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena.web.server"],
            stdin=subprocess.PIPE,
            pass_fds=(self._listening.fileno(), control.fileno()),
            start_new_session=True,  # Ctrl-C is for this process, which ends the other
        )
        serving = {
            "listening": self._listening.fileno(),
            "control": control.fileno(),
            "host": self.host,
            "pages": {secret: self._page(secret, seat) for secret, seat in self._seats.items()},
        }
        assert process.stdin is not None
        process.stdin.write(msgspec.json.encode(serving) + b"\n")
        process.stdin.flush()
        return process

    def _page(self, secret: str, seat: int) -> dict[str, object]:
        make = live_page if seat == SPECTATORS else seat_page
        return {"seat": seat, "html": make(self._game, f"ws://{self.host}/{secret}/feed")}

    async def close(self) -> None:
        """Stop once each open page has loaded the whole match or has had the time to."""
        with trio.move_on_after(LEAVING):
            await self._live.closed()
        self._stop.set()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the serving process, which ends by itself once its input is closed."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
