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

from arena.bots.content import SIZE
from arena.bots.staging import Files
from arena.bots.tree import TreeError, digest, opened_by_name
from arena.errors import BotError

_FORMAT = b"arena bot 1"


def files_of(bot: Path) -> Files:
    """Every file of a bot, by its name in it, in the order of these names. A single file is a
    folder that holds nothing else."""
    if not bot.is_dir():
        return {bot.name: bot}
    found = {
        os.path.relpath(os.path.join(place, name), bot): Path(place, name)
        for place, _, names in os.walk(bot)
        for name in names
    }
    return dict(sorted(found.items()))


def content_address(bot: Path) -> str:
    """The address of what a file or folder holds: a SHA-256, as 64 hex digits. Raises BotError for
    what is no plain file and for more than a bot may have, OSError for what cannot be read."""
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
    """Whether what lies at ``ADDRESS/NAME`` is what its address says, and nothing else: a compiled
    module in a ``__pycache__`` is run by Python in the place of its source. What is no plain file,
    or too large for a bot, is not even opened."""
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
