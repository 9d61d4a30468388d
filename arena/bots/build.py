"""A cache of built bots, each keyed by the content it was built from and built once.

An entry is a folder ``KEY/`` with ``files/`` (a copy of the sources, where the commands run) and
``out/`` (for the output of compilers), and ``log`` (their messages). It is staged in a temporary
folder beside its final place and moved there in one step: a visible entry is complete, and an
interrupted build leaves nothing that could be mistaken for a result. Before reuse an entry is
compared with its seal (`staging`), and rebuilt if it differs. Of several arenas that need the same
entry at once, one builds it and the others wait.

The key covers the names, contents and execute bits of the files, the commands, and the compilers
(by path, date and size, which starts no process). The files are hashed again after copying, so an
edit in between cannot put the new text under the old key.

The key does not cover whether a build ran behind walls: either way an entry is what this user's own
compilers made of these files. So all versions of a bot, and all leagues of this user, share the
cache: what a stranger's build command left can only reach a bot with the very same files.

The date of an entry's seal is its last use. Entries that nobody has used for long are removed, and
so are the oldest if all together are too large (`clear_cache`).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeAlias

from arena.bots.cache import cache_root, clear_cache, date_of, private_folder
from arena.bots.content import SIZE
from arena.bots.execute import execute
from arena.bots.program import BuildOptions
from arena.bots.staging import (
    SEAL,
    Files,
    Staged,
    StagingError,
    Steps,
    close,
    is_intact,
)
from arena.bots.tree import (
    OpenEntry,
    TreeError,
    copy_file,
    digest,
    opened,
    opened_by_name,
    opened_in,
)
from arena.errors import BotError
from arena.sandbox.environment import Variables, passed
from arena.sandbox.levels import Level, SandboxWish

LOG = "log"
"""The file of an entry with the output of the commands."""
_FORMAT = "4"
"""Part of every key; increase it when the format of entries changes, or how they are made."""

_ABANDONED_SECONDS = 24 * 3600

OpenFile: TypeAlias = Callable[[str], AbstractContextManager[OpenEntry]]


def build(what: str, files: Files, steps: Steps, options: BuildOptions = BuildOptions()) -> Path:  # noqa: B008  # frozen
    """The entry that the commands `steps` make from `files`; they run only if it is missing.

    `what` is for errors: "compile bot.cpp". Raises BotError, and what `execute` raises.
    """
    try:
        variables = passed(options.pass_env)
        bots = private_folder(cache_root() if options.cache is None else options.cache, "bots")
        with _opener(files, options.sandbox) as open_file:
            entry = bots / _key(files, steps, variables, open_file)
            if _reused(entry):
                return entry
            with _alone(bots / f"lock-{entry.name}"):
                if _reused(entry):  # another arena has built it meanwhile
                    return entry
                return _make(what, files, steps, variables, bots, options, open_file)
    except TreeError as error:
        raise BotError(f"cannot {what}: {error}") from None
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        advice = "check its permissions and free space"
        raise BotError(f"cannot {what}: {reason}: {advice}") from error


def _reused(entry: Path) -> bool:
    """Whether the entry can be used; from now on it counts as used."""
    if not is_intact(entry):
        return False
    with contextlib.suppress(OSError):
        os.utime(entry / SEAL)
    return True


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Wait until no other arena builds the same entry. The kernel ends the lock of a killed one. On
    a file system without locks the entry may be built twice, which does no harm."""
    file = None
    while file is None or not _is_at(lock, file):  # else its last holder has removed it meanwhile
        if file is not None:
            os.close(file)
        file = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(file)


def _is_at(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


@contextmanager
def _opener(files: Files, sandbox: SandboxWish) -> Iterator[OpenFile]:
    """The function that opens the files. Behind walls their author may be a stranger, who replaces
    them with links meanwhile."""
    if sandbox is Level.OFF:
        yield lambda name: opened_by_name(files[name])
        return
    name, path = next(iter(files.items()))
    with opened(Path(os.path.realpath(str(path).removesuffix(name)))) as folder:
        yield partial(opened_in, folder)


def _make(
    what: str,
    files: Files,
    steps: Steps,
    variables: Variables,
    bots: Path,
    options: BuildOptions,
    open_file: OpenFile,
) -> Path:
    with tempfile.TemporaryDirectory(prefix="new-", dir=bots, ignore_cleanup_errors=True) as place:
        _sweep(bots, now := os.stat(place).st_mtime)  # by the file system's own clock
        _clear(bots, now)
        staged = Staged(Path(place))
        staged.out.mkdir(parents=True)
        copies = _copy(files, staged.files, open_file)
        entry = bots / _key(copies, steps, variables, lambda name: opened_by_name(copies[name]))
        said = execute(what, steps, staged, options.sandbox, variables)
        (staged.entry / LOG).unlink(missing_ok=True)
        (staged.entry / LOG).write_text(said, "utf-8")
        try:
            close(staged.entry, entry.name)
        except StagingError as error:
            raise BotError(f"cannot {what}: it leaves {error}") from None
        _publish(staged, entry)
    return entry


def _publish(staged: Staged, entry: Path) -> None:
    try:
        staged.entry.rename(entry)
    except OSError:
        if is_intact(entry):
            return  # another arena was faster; its result is as good
        entry.rename(staged.place / "broken")  # removed together with this folder
        staged.entry.rename(entry)


def _copy(files: Files, target: Path, open_file: OpenFile) -> Files:
    copies = {name: target / name for name in files}
    room = SIZE
    for name, copy in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        with open_file(name) as file:
            room -= copy_file(file, copy, room)
            date = file.status.st_mtime_ns  # `make` relies on it
            os.utime(copy, ns=(date, date))
        # The file may come from a read-only copy, and another user reads it behind walls.
        copy.chmod(copy.stat().st_mode | stat.S_IWUSR | 0o444)
    return copies


def _key(files: Files, steps: Steps, variables: Variables, open_file: OpenFile) -> str:
    system = os.uname()
    parts: list[object] = [_FORMAT, system.sysname, system.machine, steps, variables]
    parts += [_identity(step[0]) for step in steps]
    for name in sorted(files):
        with open_file(name) as file:
            parts.append((name, digest(file), file.status.st_mode & 0o111 != 0))
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _identity(program: str) -> tuple[str, int, int] | None:
    """The identity of a compiler. A relative path is a file of the bot, hashed with the others."""
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


def _clear(bots: Path, now: float) -> None:
    """Remove entries that nobody has used for long, and the oldest of too many."""
    clear_cache(bots, ((date_of(seal), seal.parent) for seal in bots.glob(f"*/{SEAL}")), now)
