"""The folder beside a league's file: copies of the bots, and the records of the matches.

What is put there is written under another name, and gets its own when it is whole and on the disk.
"""

from __future__ import annotations

import os
from pathlib import Path

from arena.bots.address import files_of
from arena.bots.intake import TakenIn, take_in
from arena.errors import DISK_FULL_ERRNOS, ArenaFault, DiskFull, UsageError
from arena.sandbox.levels import Level, SandboxMode

A_FOLDER = 1000
"""Records that lie in one folder."""


class Folder:
    """The folder of the league in the file `league`."""

    def __init__(self, league: Path) -> None:
        self.path = league.absolute().with_name(f"{league.name}.d")

    def make(self) -> None:
        """Make what is missing of it. Raises UsageError."""
        for name in ("bots", "records", "drafts"):
            try:
                (self.path / name).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(
                    f"cannot make the folder {self.path / name}: {error.strerror}: a league keeps "
                    "its bots and records there"
                ) from None

    def clear_drafts(self) -> None:
        """Remove what a judge left half-written that was killed. Raises ArenaFault."""
        try:
            for entry in (self.path / "drafts").iterdir():
                entry.unlink()
        except OSError as error:
            raise _fault(self.path / "drafts", error) from error

    # -- records ---------------------------------------------------------------------------

    def record(self, fixture: int, annulled: int = 0) -> Path:
        """Where the record of a match lies once it is over, after so many that were annulled."""
        name = f"{fixture}-{annulled + 1}" if annulled else f"{fixture}"
        return self.path / "records" / str(fixture // A_FOLDER) / f"{name}.jsonl.gz"

    def draft(self, fixture: int) -> Path:
        """Where it is written."""
        return self.path / "drafts" / f"{fixture}.jsonl.gz"

    def keep_record(self, fixture: int, record: Path) -> None:
        """Put a finished record into its place. Raises DiskFull or ArenaFault."""
        try:
            record.parent.mkdir(parents=True, exist_ok=True)
            sync(self.draft(fixture))
            self.draft(fixture).rename(record)
            sync(record.parent)
        except OSError as error:
            raise _fault(record, error) from error

    # -- bots ------------------------------------------------------------------------------

    def bot(self, content: str, name: str) -> Path:
        """Where the copy of a bot lies."""
        return self.path / "bots" / content / name

    def keep_bot(self, given: Path, sandbox: Level | SandboxMode) -> TakenIn:
        """Take a bot in, and see that its copy is on the disk. Raises UsageError, BotError for what
        is refused, DiskFull or ArenaFault."""
        try:
            taken = take_in(given, self.path / "bots", sandbox)
            for path in (*taken.folder.rglob("*"), *taken.folder.parents[:3], taken.folder):
                sync(path)
        except OSError as error:
            raise _fault(self.path, error) from error
        return taken


def fingerprint(bot: Path) -> int:
    """What changes when a file of a bot is changed on the disk; quicker than its address. Raises
    OSError."""
    return hash(tuple(_seen(path) for path in (bot, *files_of(bot).values())))


def _seen(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    return path, status.st_mode, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


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
