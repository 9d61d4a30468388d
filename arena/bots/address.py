"""Content addresses: one hash that identifies a bot.

Everything that keeps, sends or compares bots uses it: the intake (`intake`), the copies of a
league, the parcels of a cluster. It covers the names, contents and execute bits of files, but not
dates, owners, order, empty folders, or an enclosing folder. So the same files are the same bot,
however they were packed.

A kept bot lies at ``ADDRESS/NAME``: its name is that of its folder, not part of its content.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from arena.bots.content import SIZE
from arena.bots.staging import Files
from arena.bots.tree import TreeError, digest, opened_by_name
from arena.errors import BotError

_FORMAT = b"arena bot 1"


def files_of(bot: Path) -> Files:
    """Every file of a bot by relative name, sorted by name. A single file counts as a folder that
    holds nothing else."""
    if not bot.is_dir():
        return {bot.name: bot}
    found = {
        os.path.relpath(os.path.join(place, name), bot): Path(place, name)
        for place, _, names in os.walk(bot)
        for name in names
    }
    return dict(sorted(found.items()))


def content_address(bot: Path) -> str:
    """The content address of a file or folder: a SHA-256, as 64 hex digits. Raises BotError for
    special files and exceeded limits of bots, OSError for unreadable files."""
    total = hashlib.sha256(_FORMAT)
    for name, path in files_of(bot).items():
        try:
            with opened_by_name(path) as file:
                is_program = file.status.st_mode & 0o111 != 0
                total.update(repr((os.fsencode(name), is_program, digest(file))).encode())
        except TreeError as error:
            raise BotError(str(error)) from None
    return total.hexdigest()


def is_intact(kept: Path) -> bool:
    """Whether ``ADDRESS/NAME`` holds exactly the content of its address and nothing else: Python
    would run a compiled module in a ``__pycache__`` instead of its source. Special files, and files
    too large for a bot, are not even opened."""
    if not kept.is_dir() or kept.is_symlink():
        return False
    found = [path.lstat() for path in kept.rglob("*")]
    if not all(stat.S_ISREG(one.st_mode) or stat.S_ISDIR(one.st_mode) for one in found):
        return False
    if sum(one.st_size for one in found if stat.S_ISREG(one.st_mode)) > SIZE:
        return False
    try:
        return content_address(kept) == kept.parent.name
    except BotError:  # changed meanwhile
        return False


def publish(draft: Path, kept: Path, scratch: Path) -> None:
    """Move a folder to ``ADDRESS/NAME`` in one step, read-only, unless it is already there. A
    modified copy there is moved away, into the folder `scratch`. Raises OSError."""
    _close(draft)
    if is_intact(kept):
        return
    kept.parent.mkdir(exist_ok=True)
    if os.path.lexists(kept):
        _open(kept)
        kept.rename(scratch / "broken")
    _open(draft)
    try:
        draft.rename(kept)
    except OSError:
        if not is_intact(kept):
            raise  # otherwise another arena was faster
    kept.chmod(0o555)


def _open(folder: Path) -> None:
    """Make a folder writable: its owner cannot move it otherwise."""
    if folder.is_dir() and not folder.is_symlink():
        folder.chmod(0o755)


def _close(folder: Path) -> None:
    for place, _, names in os.walk(folder, topdown=False):
        for name in names:
            path = Path(place, name)
            path.chmod(0o555 if path.lstat().st_mode & 0o111 else 0o444)
        os.chmod(place, 0o555)
