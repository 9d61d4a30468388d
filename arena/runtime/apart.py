"""Processes untrusted input, each piece in a separate process, so that failures stay isolated.

Whatever a piece causes (an unexpected exception, a process killed for its memory, a file system
that never answers) ends only its process, and becomes a `Failure`. The other pieces go on, and the
results come in the order of the input.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from msgspec import Struct

from arena.errors import ArenaError
from arena.runtime.affinity import pin_to_core
from arena.runtime.worker import die_with
from arena.sandbox.interrupts import force_exit_on_second_interrupt, interrupt_on_termination
from arena.text import size_text

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

EXIT_GRACE = 2.0
"""Seconds for a process to end when it is asked to."""
MAX_MEMORY = 1 << 30
"""Bytes of memory that reading one thing may take, beyond what the arena itself uses."""
MAX_CPU = 120
"""CPU seconds for reading one thing."""
SIGNALS_WITHIN = 1.0
"""Seconds within which a Ctrl-C is heard that comes just before a wait, which it does not end."""
SECONDS = 600
"""Real seconds for reading one thing, which may be on a file system that does not answer."""

T = TypeVar("T")
R = TypeVar("R")
Tell: TypeAlias = Callable[[str], None]


class Failure(Struct, frozen=True):
    """Why one piece of work failed."""

    why: str
    trace: str = ""
    """Where the arena failed; empty if it did not."""


class _Told(Struct, frozen=True):
    text: str


class _Done(Struct, frozen=True):
    result: Any
    """What the work returned, a `Failure`, or an `ArenaError` to raise."""


def apart(
    work: Callable[[T, Tell], R],
    things: Sequence[T],
    *,
    jobs: int = 1,
    pin: bool = False,
    tell: Callable[[T, str], None] = lambda thing, text: None,
    ended: Callable[[T], None] = lambda thing: None,
) -> Generator[tuple[T, R | Failure | ArenaError]]:
    """Do the work on each of the things in a separate process, `jobs` at a time; with `pin` each of
    these, and what it starts, stays on a core of its own.

    Yields each thing with its result, in the order given: what `work` returned, the `ArenaError`
    that it raised, or a `Failure`. `tell` is called with the messages of the work, `ended` in the
    order in which the work ends. When the generator is closed all processes have ended. At Ctrl-C
    they end too, then the results that have come in are yielded before KeyboardInterrupt is raised.
    """
    running: dict[int, _Piece[T]] = {}
    results: dict[int, Any] = {}
    ahead = iter(enumerate(things))
    with force_exit_on_second_interrupt():
        try:
            for number, thing in enumerate(things):
                while number not in results:
                    while len(running) < jobs and (following := next(ahead, None)):
                        core = min({*range(jobs)} - {piece.core for piece in running.values()})
                        running[following[0]] = _Piece(work, following[1], core, pin=pin)
                    for other, result in _hear(running, tell):
                        results[other] = result
                        ended(things[other])
                yield thing, results.pop(number)
        except KeyboardInterrupt:
            _end([piece.process for piece in running.values()])
            for number in sorted(results):
                yield things[number], results[number]
            raise
        finally:
            _end([piece.process for piece in running.values()])


def _hear(
    running: dict[int, _Piece[T]], tell: Callable[[T, str], None]
) -> Iterator[tuple[int, Any]]:
    """Wait for the next messages, but not long. Yield the results; their pieces are removed from
    `running`."""
    ready = wait([piece.words for piece in running.values()], SIGNALS_WITHIN)
    for number, piece in list(running.items()):
        if piece.words in ready:
            said = piece.next()
            if isinstance(said, _Told):
                tell(piece.thing, said.text)
            else:
                del running[number]
                yield number, said.result


class _Piece(Generic[T]):
    """One piece of work in progress."""

    def __init__(self, work: Callable[[T, Tell], Any], thing: T, core: int, *, pin: bool) -> None:
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self.thing = thing
        self.core = core
        self.words, ours = context.Pipe(duplex=False)
        self.process: BaseProcess = context.Process(
            target=_begin, args=(os.getpid(), work, thing, ours, core if pin else None)
        )
        self.process.start()
        ours.close()

    def next(self) -> _Told | _Done:
        """The next message of the process, or why it died."""
        try:
            said: _Told | _Done = self.words.recv()
        except (EOFError, OSError):  # before a word, or in the middle of one
            self.process.join()
            said = _Done(Failure(_why(self.process.exitcode)))
        if isinstance(said, _Done):
            self.words.close()
            self.process.join(EXIT_GRACE)
            self.process.kill()
        return said


def _why(code: int | None) -> str:
    match -(code or 0):
        case signal.SIGXCPU:
            return f"it takes more than {MAX_CPU} s of CPU time"
        case signal.SIGALRM:
            return f"it takes more than {SECONDS // 60} minutes"
        case signal.SIGKILL:
            return "its process was killed (is the machine out of memory?)"
        case number:
            return f"its process ended with status {-number}"


def _end(processes: list[BaseProcess]) -> None:
    """Ask each process to end, as by Ctrl-C, and kill it if it does not. (Its keeper then ends what
    it started.)"""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(EXIT_GRACE)
        process.kill()
        process.join(EXIT_GRACE)


# -- in its process --------------------------------------------------------------------------------


def _begin(
    arena: int, work: Callable[[T, Tell], Any], thing: T, words: Connection, core: int | None
) -> None:
    if sys.platform == "linux":
        die_with(arena)
    if core is not None:
        pin_to_core(core)
    _end_by_terminate_alone()
    try:
        words.send(_Done(_done(work, thing, lambda text: words.send(_Told(text)))))
    except KeyboardInterrupt:
        os._exit(1)  # everything is cleaned up, and there is nothing to report


def _end_by_terminate_alone() -> None:
    """Leave Ctrl-C and a closed terminal to the arena, which then terminates this process; SIGTERM
    here has the effect of Ctrl-C there."""
    signal.set_wakeup_fd(-1)  # that of a parent which runs Trio
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    interrupt_on_termination()


def _done(work: Callable[[T, Tell], Any], thing: T, tell: Tell) -> Any:
    try:
        return work(thing, tell)
    except ArenaError as error:
        return error
    except MemoryError:
        return Failure(
            f"it takes more than {size_text(MAX_MEMORY)} of memory", traceback.format_exc()
        )
    except RecursionError:
        return Failure("it is nested too deep", traceback.format_exc())
    except Exception as error:
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return Failure(said, traceback.format_exc())


@contextmanager
def limited() -> Iterator[None]:
    """Limit memory, CPU time and real time for the span of a ``with`` that reads untrusted input.

    Too much memory raises MemoryError; too much time ends the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = int(used.ru_utime + used.ru_stime) + MAX_CPU
    with _limit(resource.RLIMIT_AS, _size() + MAX_MEMORY), _limit(resource.RLIMIT_CPU, cpu):
        before = signal.signal(signal.SIGALRM, signal.SIG_DFL)  # which ends the process
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


@contextmanager
def _limit(kind: int, most: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(kind)
    lower = [one for one in (soft, hard, most) if one != resource.RLIM_INFINITY]
    resource.setrlimit(kind, (min(lower), hard))
    try:
        yield
    finally:
        resource.setrlimit(kind, (soft, hard))


def _size() -> int:
    """Bytes of address space that this process has now."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 1 << 40  # no such file here: refuse only absurd amounts
