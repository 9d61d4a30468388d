"""The folder beside a league's file: copies of the bots, and the records of the matches.

What is put there is written under another name, and gets its own when it is whole and on the disk.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arena.bots.staging import StagingError, contents
from arena.errors import DISK_FULL_ERRNOS, ArenaFault, BotError, DiskFull
from arena.sandbox.keeper import tempdirs
from arena.sandbox.keeper.owner import alive
from arena.text import printable

A_FOLDER = 1000
"""Records that lie in one folder."""


class Folder:
    """The folder of the league in the file `league`."""

    def __init__(self, league: Path) -> None:
        self.path = league.absolute().with_name(f"{league.name}.d")

    def make(self) -> None:
        """Make what is missing of it, and remove what a submission left that was killed."""
        for name in ("bots", "records", "drafts"):
            (self.path / name).mkdir(parents=True, exist_ok=True)
        tempdirs.sweep(str(self.path / "bots"), alive)

    def clear_drafts(self) -> None:
        """Remove what a judge left half-written that was killed."""
        for entry in (self.path / "drafts").iterdir():
            entry.unlink()

    # -- records ---------------------------------------------------------------------------

    def record(self, fixture: int) -> Path:
        """Where the record of a match lies once it is over."""
        return self.path / "records" / str(fixture // A_FOLDER) / f"{fixture}.jsonl.gz"

    def draft(self, fixture: int) -> Path:
        """Where it is written."""
        return self.path / "drafts" / f"{fixture}.jsonl.gz"

    def keep_record(self, fixture: int) -> None:
        """Put a finished record into its place. Raises DiskFull or ArenaFault."""
        record = self.record(fixture)
        try:
            record.parent.mkdir(parents=True, exist_ok=True)
            sync(self.draft(fixture))
            self.draft(fixture).rename(record)
            sync(record.parent)
        except OSError as error:
            raise _fault(record, error) from error

    # -- bots ------------------------------------------------------------------------------

    def bot(self, content: str, entry: str) -> Path:
        """Where the copy of a bot lies."""
        return self.path / "bots" / content / entry

    def keep_bot(self, source: Path) -> tuple[str, str]:
        """Copy a bot, a file or a folder, so that it can only be read. Its content, as a SHA-256,
        and its name.

        Raises BotError for what cannot be copied, DiskFull or ArenaFault.
        """
        draft = Path(tempfile.mkdtemp(prefix=tempdirs.prefix(), dir=self.path / "bots"))
        try:
            copy = draft / source.name
            _copy(source, copy)
            content = content_of(copy)
            _place(draft, self.path / "bots" / content, source.name)
        except OSError as error:
            raise _fault(source, error) from error
        finally:
            for rest in (draft, draft.with_name(f"{draft.name}-old")):
                tempdirs.remove(str(rest))
        return content, source.name


def _copy(source: Path, copy: Path) -> None:
    """Copy a bot; what cannot be copied as it is, is refused."""
    for path, status in _entries(source):
        place = copy / path.relative_to(source)
        if stat.S_ISDIR(status.st_mode):
            place.mkdir()
        elif stat.S_ISREG(status.st_mode):
            shutil.copyfile(path, place)
            place.chmod(0o555 if status.st_mode & 0o111 else 0o444)
            sync(place)
        else:
            kind = "a link" if path.is_symlink() else "no file"
            raise BotError(f"{printable(path.name)} is {kind}: a league takes plain files")
    _shut_folders(copy)


def _shut_folders(copy: Path) -> None:
    for path, status in _entries(copy):
        if stat.S_ISDIR(status.st_mode):
            path.chmod(0o555)
            sync(path)


def _place(draft: Path, place: Path, entry: str) -> None:
    """Give a whole copy its name, unless one is there that is right."""
    if place.exists():
        if content_of(place / entry) == place.name:
            return
        place.rename(draft.with_name(f"{draft.name}-old"))
    draft.rename(place)
    sync(place.parent)


def content_of(bot: Path) -> str:
    """The SHA-256 over all that a bot consists of: names, contents, and what may be executed.

    Raises OSError, and BotError for what is nested too deep.
    """
    total = hashlib.sha256(os.fsencode(bot.name))
    for name, path, mode in sorted(
        (os.fsencode(path.relative_to(bot)), path, status.st_mode) for path, status in _entries(bot)
    ):
        total.update(repr((name, stat.S_IFMT(mode), mode & 0o111 != 0)).encode())
        total.update(_content(path, mode))
    return total.hexdigest()


def _content(path: Path, mode: int) -> bytes:
    if not stat.S_ISREG(mode):
        return b""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def fingerprint(bot: Path) -> int:
    """What changes when anything of a bot is changed on the disk; quicker than its content."""
    return hash(
        tuple(
            (path, status.st_mode, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
            for path, status in _entries(bot)
        )
    )


def _entries(bot: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """A bot, and all that lies in it. (Python writes ``__pycache__`` when a bot runs.)"""
    try:
        for path, status in contents(bot):
            if "__pycache__" not in path.parts:
                yield path, status
    except StagingError as error:
        raise BotError(f"cannot read {printable(bot.name)}: {error}") from None


def sync(path: Path) -> None:
    """See that a file, or the names in a folder, are on the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fault(path: Path, error: OSError) -> ArenaFault:
    if error.errno in DISK_FULL_ERRNOS:
        return DiskFull(f"no room on the disk for {path}: make some, and run it again")
    return ArenaFault(f"cannot keep {path}: {error}: nothing more is done")
