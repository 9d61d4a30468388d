"""What a bot is, as one number: the address of its content.

Whatever keeps, sends or compares bots names them by it: what is taken in (`intake`), the copies of
a league, the parcels of a cluster. It covers the names, contents and execute bits of files; not
dates, owners, order, empty folders, or a folder around all of it. So the same files are one bot,
whatever packed them.

A kept bot lies at ``ADDRESS/NAME``: its name is its folder's, and no part of its content.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from arena.bots.staging import Files

_FORMAT = b"arena bot 1"
_LEFT_BY_PYTHON = "__pycache__"
"""Python writes it when a bot runs that nothing keeps from writing."""


def files_of(bot: Path) -> Files:
    """Every file of a bot, by its name in it, in the order of these names. A single file is a
    folder that holds nothing else."""
    if not bot.is_dir():
        return {bot.name: bot}
    found = {
        os.path.relpath(os.path.join(place, name), bot): Path(place, name)
        for place, _, names in os.walk(bot)
        if _LEFT_BY_PYTHON not in Path(place).parts[len(bot.parts) :]
        for name in names
    }
    return dict(sorted(found.items()))


def content_address(bot: Path) -> str:
    """The address of what a file or folder holds: a SHA-256, as 64 hex digits. Raises OSError."""
    total = hashlib.sha256(_FORMAT)
    for name, path in files_of(bot).items():
        status = path.lstat()
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        is_program = status.st_mode & 0o111 != 0
        total.update(repr((os.fsencode(name), is_program, content)).encode())
    return total.hexdigest()


def is_intact(kept: Path) -> bool:
    """Whether what lies at ``ADDRESS/NAME`` is what its address says."""
    if not kept.is_dir() or kept.is_symlink():
        return False
    modes = [path.lstat().st_mode for path in kept.rglob("*")]
    is_plain = all(stat.S_ISREG(mode) or stat.S_ISDIR(mode) for mode in modes)
    return is_plain and content_address(kept) == kept.parent.name


def publish(draft: Path, kept: Path, scratch: Path) -> None:
    """Move a folder to its place ``ADDRESS/NAME`` in one step, read-only, unless it is there. What
    was changed there is moved away, into the folder `scratch`. Raises OSError."""
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
            raise  # else another arena was faster
    kept.chmod(0o555)


def _open(folder: Path) -> None:
    """A folder can be moved by its owner only if that can write in it."""
    if folder.is_dir() and not folder.is_symlink():
        folder.chmod(0o755)


def _close(folder: Path) -> None:
    for place, _, names in os.walk(folder, topdown=False):
        for name in names:
            path = Path(place, name)
            path.chmod(0o555 if path.lstat().st_mode & 0o111 else 0o444)
        os.chmod(place, 0o555)
