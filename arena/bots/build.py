"""Build once: a cache of built bots, each named by the content it was built from.

An entry is a folder ``KEY/`` with ``files/`` (a copy of the sources, where the commands run) and
``out/`` (for what compilers write). It is made in a temporary folder beside its final place and
moved there in one step: an entry that can be seen is complete, two arenas may build the same bot
at once, and an interrupted build leaves nothing that could be taken for a result.

The key covers the names, contents and execute bits of the files, the commands, and the compilers
(by place, date and size, which costs no process). The files are hashed again after copying, so
an edit in between cannot put the new text under the old name.

Whether a build ran behind walls is no part of the key: an entry is what this user's own compilers
made of these files, either way, and nobody but its build has ever written to it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from arena.bots.draft import Files, refuse_links_out
from arena.bots.workshop import Steps, Workshop
from arena.errors import BotError

BUILD_SECONDS = 120
"""The longest that one bot may take to build."""

OUTPUT_CAP = 32 * 1024
"""Bytes kept of what a compiler prints. Its first errors explain the others."""

_FORMAT = "1"
"""Part of every key: to be raised when entries change their form."""

_ABANDONED_SECONDS = 24 * 3600


def build(what: str, files: Files, steps: Steps, shop: Workshop = Workshop()) -> Path:  # noqa: B008
    """The entry that the commands `steps` make from `files`; they run only when it is missing.

    `what` is for errors: "compile bot.cpp". Raises BotError.
    """
    try:
        if shop.run is not None:
            refuse_links_out(what, files)
        bots = _private(cache_root() if shop.cache is None else shop.cache, "bots")
        entry = bots / _key(files, steps)
        return entry if entry.is_dir() else _make(what, files, steps, bots, shop)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        advice = "check permissions and free space there"
        raise BotError(f"cannot {what}: {reason}: {advice}") from error


def _make(what: str, files: Files, steps: Steps, bots: Path, shop: Workshop) -> Path:
    run = shop.run or run_all_as_caller
    with tempfile.TemporaryDirectory(prefix="new-", dir=bots, ignore_cleanup_errors=True) as place:
        _sweep(bots, os.stat(place).st_mtime)  # by the clock of the file system itself
        draft = Path(place, "entry")
        (draft / "out").mkdir(parents=True)
        entry = bots / _key(_copy(files, draft / "files"), steps)
        run(what, steps, draft)
        _publish(draft, entry)
    return entry


def run_all_as_caller(what: str, steps: Steps, draft: Path) -> None:
    """As the caller, with all rights: for one's own bots."""
    deadline = time.monotonic() + BUILD_SECONDS
    for step in steps:
        _run(what, step, draft / "files", _environment(draft.parents[2]), deadline)


def _publish(draft: Path, entry: Path) -> None:
    try:
        draft.rename(entry)
    except OSError:
        if not entry.is_dir():  # otherwise another arena was faster: its result is as good
            raise


def _copy(files: Files, target: Path) -> Files:
    copies = {name: target / name for name in files}
    for name, copy in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(files[name], copy)  # with its date, which `make` goes by
    return copies


def _key(files: Files, steps: Steps) -> str:
    host = os.uname()
    parts: list[object] = [_FORMAT, host.sysname, host.machine, steps]
    parts += [_identity(step[0]) for step in steps]
    for name, path in sorted(files.items()):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        parts.append((name, content, path.stat().st_mode & 0o111 != 0))
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _identity(program: str) -> tuple[str, int, int] | None:
    """Which compiler this is. A relative path is a file of the bot, hashed with the others."""
    if not os.path.isabs(program):
        return None
    place = os.path.realpath(program)
    status = os.stat(place)
    return place, status.st_mtime_ns, status.st_size


def _sweep(bots: Path, now: float) -> None:
    """Remove the temporary folders of builds that were killed."""
    for left in bots.glob("new-*"):
        with contextlib.suppress(OSError):
            if left.stat().st_mtime < now - _ABANDONED_SECONDS:
                shutil.rmtree(left, ignore_errors=True)


def _environment(cache: Path) -> dict[str, str]:
    """The user's, with a place for the compilers' own caches (Go's) when there is no home."""
    environment = dict(os.environ)
    if _home() is None:
        environment.setdefault("XDG_CACHE_HOME", str(cache))
    return environment


def _run(
    what: str, step: tuple[str, ...], folder: Path, environment: dict[str, str], deadline: float
) -> None:
    """One command. Its whole process group is gone when this returns or raises."""
    name = os.path.basename(step[0])
    kept, process = bytearray(), None
    try:
        with _no_interrupt():
            process = _start(step, folder, environment)
        _listen(process, kept, deadline)
        status = process.wait(max(deadline - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        late = f"{name} was stopped after {BUILD_SECONDS} s: build it yourself and name the result"
        raise BotError(f"cannot {what}: {late}", text_of(kept)) from None
    finally:
        if process is not None:
            _end(process)
    if status != 0:
        raise failed(what, name, status, kept)


def failed(what: str, name: str, status: int | str | None, kept: bytearray) -> BotError:
    """The error for a command that ended with `status` after printing what was `kept`."""
    says = "says:" if kept else f"failed without a word (status {status}): run it by hand"
    return BotError(f"cannot {what}: {name} {says}", text_of(kept))


def _start(
    step: tuple[str, ...], folder: Path, environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        step,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
        start_new_session=True,
    )


@contextlib.contextmanager
def _no_interrupt() -> Iterator[None]:
    """Put Ctrl-C off: in the middle of a start it would leave a process that nobody owns."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if came:
        handler(*came[0])


def _listen(process: subprocess.Popen[bytes], kept: bytearray, deadline: float) -> None:
    """Read to the end of the output, or to the end of a process that left others holding it."""
    assert process.stdout is not None
    output = process.stdout.fileno()
    poller = select.poll()
    poller.register(output, select.POLLIN)
    while (left := deadline - time.monotonic()) > 0:
        if poller.poll(min(left, 0.2) * 1000):
            data = os.read(output, 65536)
            if not data:
                return
            kept += data[: OUTPUT_CAP + 1 - len(kept)]  # one more shows that it went on
        elif process.poll() is not None:
            return
    raise subprocess.TimeoutExpired(process.args, BUILD_SECONDS)


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with process:  # closes its output and waits for its end
        pass


def text_of(kept: bytearray) -> str:
    """What was kept of an output, for people."""
    text = kept[:OUTPUT_CAP].decode("utf-8", "replace")
    return text if len(kept) <= OUTPUT_CAP else f"{text}\n… (the rest is cut)\n"


def cache_root() -> Path:
    """Where built bots are kept: the first that can be written of $ARENA_CACHE,
    $XDG_CACHE_HOME/arena, ~/.cache/arena, and a folder of the user's own for temporary files.

    Raises BotError when $ARENA_CACHE is set and cannot be written.
    """
    if chosen := os.environ.get("ARENA_CACHE"):
        return _private(Path(os.path.abspath(chosen)))
    shared, home = os.environ.get("XDG_CACHE_HOME", ""), _home()
    places = [Path(shared)] if os.path.isabs(shared) else []
    places += [home / ".cache"] if home else []
    for place in places:
        with contextlib.suppress(OSError):
            return _private(place, "arena")
    return _temporary_root()


def _home() -> Path | None:
    """The user's home, if there is one that can be written."""
    home = os.environ.get("HOME", "")
    return Path(home) if os.path.isabs(home) and os.access(home, os.W_OK | os.X_OK) else None


def _temporary_root() -> Path:
    # The name can be guessed and its parent is everybody's, so it may be somebody else's trap.
    place = Path(tempfile.gettempdir(), f"arena-{os.getuid()}")
    with contextlib.suppress(FileExistsError):
        place.mkdir(mode=0o700)
    status = place.lstat()
    if place.is_symlink() or not place.is_dir() or status.st_uid != os.getuid():
        raise BotError(f"{place} belongs to somebody else: set ARENA_CACHE to a folder of yours")
    place.chmod(0o700)
    return place


def _private(*parts: str | Path) -> Path:
    """The folder, made for the user alone where it is missing, and proved to be writable."""
    folder = Path(*parts)
    for missing in reversed([place for place in (folder, *folder.parents) if not place.exists()]):
        with contextlib.suppress(FileExistsError):
            missing.mkdir(mode=0o700)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, os.strerror(13), str(folder))
    return folder
