"""Taking a stranger's bot in: an archive, a folder or a single source file becomes a read-only
folder at the address of its content (`address`), under the name of what was given.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.address import content_address, files_of, publish
from arena.bots.archives.unpack import unpack
from arena.bots.cache import cache_root, private_folder
from arena.bots.executables import looks_executable
from arena.bots.foreign import behind
from arena.bots.languages import language_of
from arena.bots.offers import for_file, unknown
from arena.bots.packed import is_archive_file
from arena.bots.tree import TreeError, copy_file, copy_folder, opened
from arena.errors import BotError, UsageError
from arena.sandbox.keeper import tempdirs
from arena.sandbox.keeper.owner import alive
from arena.sandbox.levels import Level, SandboxMode
from arena.text import printable

NAME = 60
"""Characters of the longest name of a bot that is taken in."""


class TakenIn(Struct, frozen=True):
    """A bot that was taken in."""

    folder: Path
    """Its files, read-only, at their place by content: ``ADDRESS/NAME``."""
    address: str
    """The address of its content: 64 hex digits."""
    files: int
    size: int
    """Bytes of all files."""
    packed: int = 0
    """Bytes of the archive; 0 for what was none."""
    unpacked: int = 0
    """Bytes that came out of it, with what was left out."""
    entries: int = 0
    """Its entries, likewise."""
    left_out: list[str] = []
    """What file managers, editors and version control had put in, which was left out."""

    @property
    def name(self) -> str:
        """What it is called unless its ``bot.toml`` says otherwise: the name of what was given."""
        return self.folder.name


def take_in(
    given: Path, root: Path | None = None, sandbox: Level | SandboxMode = Level.OFF
) -> TakenIn:
    """Take a bot in, and keep it in the folder `root` (default: one of the cache). What is there
    already is compared, not trusted. A refused bot leaves nothing behind.

    `sandbox` says behind which walls foreign unpackers run. Raises UsageError when there is nothing
    of that name, BotError for what is refused, DiskFull, and OSError for what cannot be written.
    """
    place = private_folder(cache_root(), "taken-in") if root is None else root
    place.mkdir(parents=True, exist_ok=True)
    tempdirs.sweep(str(place), alive)  # what a killed arena left half taken in
    with tempfile.TemporaryDirectory(
        prefix=tempdirs.prefix(), dir=place, ignore_cleanup_errors=True
    ) as new:
        copy, left_out = _copied(given, Path(new, "given"))
        name = _name(copy)
        taken = _gathered(copy, left_out, Path(new), sandbox)
        kept = place / taken.address / name
        publish(taken.folder, kept, Path(new))
        return replace(taken, folder=kept)


def _gathered(copy: Path, left_out: list[str], new: Path, sandbox: Level | SandboxMode) -> TakenIn:
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
        target,
        content_address(target),
        len(sizes),
        sum(sizes),
        packed,
        unpacked,
        entries,
        left_out,
    )


def _copied(given: Path, place: Path) -> tuple[Path, list[str]]:
    """A copy of what was given, which its author cannot change any more, and the names that it
    leaves out. All that follows reads the copy."""
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
    """Put a program or a source into a folder that holds nothing else."""
    if language_of(file) is None and not looks_executable(file):
        raise BotError(for_file(file) or unknown(file))
    target.mkdir()
    file.rename(target / file.name)


def _name(given: Path) -> str:
    """``strong`` of ``strong.tar.gz``: the name of a folder."""
    name = given.name if given.is_dir() else given.stem
    shown = printable(name.removesuffix(".tar") or given.name)[:NAME]
    return shown if shown.strip(". ") else "bot"
