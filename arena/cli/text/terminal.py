"""The terminal that a person types at: put back as it was at the end, and read line by line."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import trio

from arena.bots.program import BotProgram
from arena.cli.text.layout import say
from arena.core.lines import LINE_CAP
from arena.sandbox import interrupts
from arena.text import safe

Completer = Callable[[str], list[str]]
"""The words that may come next, from the line so far."""
STDIN = 0


def has_keyboard() -> bool:
    """Whether a person can type here."""
    return bool(sys.stdin) and os.isatty(STDIN)


@contextmanager
def kept_terminal() -> Iterator[None]:
    """At the end, however it comes, the terminal is as it was at the beginning."""
    if not has_keyboard():
        yield
        return
    import termios

    before = termios.tcgetattr(STDIN)

    def restore() -> None:
        with suppress(termios.error):
            termios.tcsetattr(STDIN, termios.TCSADRAIN, before)

    interrupts.RESTORERS.append(restore)
    try:
        yield
    finally:
        interrupts.RESTORERS.remove(restore)
        restore()


class LineReader:
    """Reads lines in a thread of its own, one when it is asked for one. With a keyboard, lines are
    edited, completed and brought back by `readline`.

    A wait may be cancelled, but not the thread: what is being typed then is the next line.
    """

    def __init__(self) -> None:
        self._wanted = threading.Semaphore(0)
        self._reading = False
        self._thread: threading.Thread | None = None
        self._send, self._lines = trio.open_memory_channel[str | None](1)
        self._prompt = ""
        self._completer: Completer = lambda typed: []
        self._matches: list[str] = []

    async def line(self, prompt: str, completer: Completer = lambda typed: []) -> str | None:
        """The next line; None at the end of the input."""
        self._prompt, self._completer = prompt, completer
        self._start()
        line = await self._lines.receive()
        self._reading = False
        return line

    def drop(self) -> None:
        """Forget a line that came after its time."""
        with suppress(trio.WouldBlock):
            self._lines.receive_nowait()
            self._reading = False

    def remember(self, line: str) -> None:
        """Let the person bring the line back."""
        if has_keyboard():
            import readline

            readline.add_history(line)

    def _start(self) -> None:
        if self._reading:
            return
        self._reading = True
        if self._thread is None:
            token = trio.lowlevel.current_trio_token()
            self._thread = threading.Thread(target=self._read, args=(token,), daemon=True)
            self._thread.start()
        self._wanted.release()

    def _read(self, token: trio.lowlevel.TrioToken) -> None:
        read = self._edited if has_keyboard() else _Pipe().line
        with suppress(trio.RunFinishedError):
            while True:
                self._wanted.acquire()
                line = read()
                trio.from_thread.run_sync(self._send.send_nowait, line, trio_token=token)

    def _edited(self) -> str | None:
        import readline

        readline.set_auto_history(False)
        readline.set_completer_delims(" ,")
        readline.set_completer(self._complete)
        libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
        readline.parse_and_bind("set enable-bracketed-paste off")
        try:
            return input(self._prompt)
        except EOFError:
            return None
        except UnicodeDecodeError:
            return "\ufffd"

    def _complete(self, begun: str, number: int) -> str | None:
        """What `readline` asks for, one match after the other."""
        import readline

        if number == 0:
            self._matches = self._completer(readline.get_line_buffer()[: readline.get_endidx()])
        return f"{self._matches[number]} " if number < len(self._matches) else None


class _Pipe:
    """Lines of an input that is no terminal. (Not by `sys.stdin`: a thread that waits there holds a
    lock that the interpreter needs at its end.)"""

    def __init__(self) -> None:
        self._data = b""

    def line(self) -> str | None:
        """The next line; None at the end."""
        while b"\n" not in self._data and len(self._data) <= LINE_CAP:
            more = os.read(STDIN, 1 << 16)
            if not more and not self._data:
                return None
            self._data += more or b"\n"
        line, _, self._data = self._data.partition(b"\n")
        return line.decode(errors="replace")


# Debuggers: one that is attached to a bot from elsewhere, and Python's own at this terminal.

DEBUGGER_POLL = 0.1
"""Seconds between two looks for a debugger."""
PYTHONPATH = Path(__file__).with_name("pythonpath")
"""The folder with what `breakpoint()` calls."""


def at_terminal(program: BotProgram) -> BotProgram:
    """The same, where `breakpoint()` in Python talks to this terminal, if there is one. It must
    play without walls, which leave no terminal to open."""
    try:
        terminal = os.ttyname(STDIN)
    except OSError:
        return program
    variables = {
        "ARENA_TERMINAL": terminal,
        "PYTHONBREAKPOINT": "arena_breakpoint.stop",
        "PYTHONPATH": str(PYTHONPATH),
    }
    words = [f"{name}={value}" for name, value in variables.items()]
    return replace(program, argv=("/usr/bin/env", *words, *program.argv))


def waiting_for(name: str, seat: int) -> Callable[[int | None], Awaitable[None]]:
    """What waits for the author of the bot of that name and seat, once it runs."""

    async def wait(pid: int | None) -> None:
        who = f"player{seat + 1} {safe(name)}"
        say(f"arena: {who} runs as process {pid}, and has got no input yet", err=True)
        say("arena: attach a debugger to it, or press Enter, and the match begins", err=True)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_until_enter, nursery.cancel_scope)
            await _until_traced(Path(f"/proc/{pid}/status"))
            nursery.cancel_scope.cancel()

    return wait


async def _until_enter(done: trio.CancelScope) -> None:
    """Until there is a line on stdin; without end where there is none to come."""
    with suppress(OSError):  # what cannot be waited for (a file, /dev/null) can be read at once
        await trio.lowlevel.wait_readable(STDIN)
    with suppress(OSError):
        if os.read(STDIN, 1 << 12):
            done.cancel()


async def _until_traced(status: Path) -> None:
    """Until a debugger is attached to the process, or it has ended. Only Linux tells."""
    if not status.parent.parent.joinpath("self").exists():
        await trio.sleep_forever()
    while not is_traced_or_gone(status):  # noqa: ASYNC110  # the kernel sends no event
        await trio.sleep(DEBUGGER_POLL)


def is_traced_or_gone(status: Path) -> bool:
    """Whether the process of this file in /proc has a debugger, or has ended."""
    try:
        lines = status.read_text().splitlines()
    except OSError:
        return True
    fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    return fields.get("TracerPid", "0") != "0" or fields.get("State", "").startswith("Z")
