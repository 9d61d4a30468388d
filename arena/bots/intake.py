"""Intake of a stranger's bot: turns an archive, folder or source file into a read-only folder.

The folder lies at the address of its content (`address`), under the name of what was given.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.address import content_address, files_of, publish
from arena.bots.archive_file import is_archive_file
from arena.bots.archives.rules import CHUNK, INPUT, DamagedError, RunUnpacker
from arena.bots.archives.unpack import unpack
from arena.bots.cache import cache_root, private_folder
from arena.bots.executables import looks_executable
from arena.bots.execute import execute
from arena.bots.languages import language_of
from arena.bots.staging import Staged, discard
from arena.bots.suggestions import for_file, unknown
from arena.bots.tree import TreeError, copy_file, copy_folder, opened
from arena.errors import BotError, UsageError
from arena.sandbox.keeper import tempdirs
from arena.sandbox.keeper.tempdirs import alive
from arena.sandbox.levels import Level, SandboxMode, SandboxWish
from arena.text import printable

# External unpackers run behind walls: a malicious archive may take one over.
#
# They run like build commands (`arena.bots.execute`), within the same limits, in a folder of their
# own beside the cache; if no walls are available, they do not run at all.

BEST = (SandboxMode.STRICT, Level.GUARD)
"""The walls to try when none are asked for. (Never `SandboxMode.AUTO`, which may mean no walls.)"""


def behind(sandbox: SandboxWish, place: Path) -> RunUnpacker:
    """A runner of external unpackers behind such walls, and always behind some. `place` is a
    private folder for their output until it is taken. The runner raises UsageError if it has no
    walls."""
    return partial(_unpacked_by, place=place, sandbox=sandbox)


@contextmanager
def _unpacked_by(
    file: BinaryIO, command: tuple[str, ...], place: Path, sandbox: SandboxWish
) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="new-", dir=place))
    try:
        staged = Staged(folder, has_user=True)
        for part in (staged.out, staged.files):
            part.mkdir(parents=True)
        with (staged.files / INPUT).open("wb") as copy:
            file.seek(0)
            shutil.copyfileobj(file, copy, CHUNK)
        _execute(command, staged, sandbox)
        yield staged.out
    finally:
        discard(folder)


def _execute(command: tuple[str, ...], staged: Staged, sandbox: SandboxWish) -> None:
    asked_for = sandbox not in (Level.OFF, SandboxMode.AUTO)
    try:
        _first_possible(command, staged, [sandbox] if asked_for else BEST)
    except BotError as error:
        said = printable(" ".join(error.output.split())[-150:]) or str(error)
        raise DamagedError(f"it cannot be unpacked ({said}): pack it again") from None


def _first_possible(command: tuple[str, ...], staged: Staged, walls: Sequence[SandboxWish]) -> None:
    """Run the command behind the first of these walls that is available."""
    *more, last = walls
    for one in more:
        with suppress(UsageError):
            execute("unpack it", (command,), staged, one)
            return
    execute("unpack it", (command,), staged, last)


MAX_NAME = 60
"""Maximum characters in the name of a bot that is taken in."""


class TakenIn(Struct, frozen=True):
    """A bot that was taken in."""

    folder: Path
    """Its read-only files, addressed by content: ``ADDRESS/MAX_NAME``."""
    address: str
    """The address of its content: 64 hex digits."""
    files: int
    size: int
    """Bytes of all files."""
    packed: int = 0
    """Bytes of the archive; 0 for a folder or a single file."""
    unpacked: int = 0
    """Bytes unpacked from the archive, including what was left out."""
    entries: int = 0
    """Entries of the archive, including those left out."""
    left_out: list[str] = []
    """Names left out: files of file managers, editors and version control."""

    @property
    def name(self) -> str:
        """Default name, unless ``bot.toml`` sets one: the name of what was given."""
        return self.folder.name


def take_in(given: Path, root: Path | None = None, sandbox: SandboxWish = Level.OFF) -> TakenIn:
    """Take a bot in, and keep it in the folder `root` (default: one in the cache). A copy that is
    already there is compared, not trusted. A refused bot leaves nothing behind.

    `sandbox` selects the walls around external unpackers. Raises UsageError if `given` does not
    exist, BotError for a refused bot, DiskFull, and OSError for files that cannot be written.
    """
    place = private_folder(cache_root(), "taken-in") if root is None else root
    place.mkdir(parents=True, exist_ok=True)
    tempdirs.sweep(str(place), alive)  # unfinished intakes of a killed arena
    with tempfile.TemporaryDirectory(
        prefix=tempdirs.prefix(), dir=place, ignore_cleanup_errors=True
    ) as new:
        copy, left_out = _copied(given, Path(new, "given"))
        name = _name(copy)
        taken = _gathered(copy, left_out, Path(new), sandbox)
        kept = place / taken.address / name
        publish(taken.folder, kept, Path(new))
        return replace(taken, folder=kept)


def _gathered(copy: Path, left_out: list[str], new: Path, sandbox: SandboxWish) -> TakenIn:
    target, packed, unpacked, entries = copy, 0, 0, 0
    if copy.is_file():
        target = new / "files"
        if is_archive_file(copy):
            found = unpack(copy, target, behind(sandbox, new))
            target, left_out = found.folder, found.junk
            packed, unpacked, entries = found.packed, found.size, found.entries
        else:
            _alone(copy, target)
    sizes = [path.stat().st_size for path in files_of(target).values()]
    if not sizes:
        raise BotError(f"{printable(copy.name)} holds no files: name the bot's folder")
    return TakenIn(
        folder=target,
        address=content_address(target),
        files=len(sizes),
        size=sum(sizes),
        packed=packed,
        unpacked=unpacked,
        entries=entries,
        left_out=left_out,
    )


def _copied(given: Path, place: Path) -> tuple[Path, list[str]]:
    """Make a copy that the author can no longer change; all later steps read the copy. Returns it
    and the names left out."""
    place.mkdir()
    copy = place / (os.path.basename(os.path.abspath(given)) or "root")
    try:
        with opened(given) as source:
            if source.is_folder:
                return copy, [printable(name) for name in copy_folder(source, copy)]
            copy_file(source, copy)
            return copy, []
    except FileNotFoundError:
        shown = printable(str(given))
        raise UsageError(f"there is no file or folder {shown!r}: check the path") from None
    except TreeError as error:
        raise BotError(f"cannot take it in: {error}") from None


def _alone(file: Path, target: Path) -> None:
    """Put a program or a source into a folder of its own."""
    if language_of(file) is None and not looks_executable(file):
        raise BotError(for_file(file) or unknown(file))
    target.mkdir()
    file.rename(target / file.name)


def _name(given: Path) -> str:
    """The folder name for a bot: ``strong`` for ``strong.tar.gz``."""
    name = given.name if given.is_dir() else given.stem
    shown = printable(name.removesuffix(".tar") or given.name)[:MAX_NAME]
    return shown if shown.strip(". ") else "bot"
