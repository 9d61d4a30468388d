"""Taking a stranger's bot in: an archive, a folder or a single source file becomes a read-only
folder at the address of its content (`address`), under the name of what was given.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.address import content_address, files_of, publish
from arena.bots.archives.formats import HEAD, is_archive
from arena.bots.archives.rules import JUNK
from arena.bots.archives.unpack import unpack
from arena.bots.cache import cache_root, private_folder
from arena.bots.content import everything, measured
from arena.bots.executables import head, looks_executable
from arena.bots.foreign import behind
from arena.bots.languages import language_of
from arena.bots.offers import for_file, unknown
from arena.bots.staging import refuse_links_out
from arena.errors import BotError, UsageError
from arena.sandbox.keeper import tempdirs
from arena.sandbox.keeper.owner import alive
from arena.sandbox.levels import Level, SandboxMode
from arena.text import printable

NAME = 60
"""Characters of the longest name of a bot that is taken in."""
_PROGRAMS = (".war", ".whl", ".pyz")
"""Endings of programs that are archives by their first bytes, besides those of known languages
(``.jar``)."""


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


def is_archive_file(path: Path) -> bool:
    """Whether a file is an archive that holds a bot (a ``.jar`` is a bot itself)."""
    is_program = language_of(path) is not None or path.suffix.lower() in _PROGRAMS
    return not is_program and is_archive(head(path, HEAD))


def take_in(
    given: Path, root: Path | None = None, sandbox: Level | SandboxMode = Level.OFF
) -> TakenIn:
    """Take a bot in, and keep it in the folder `root` (default: one of the cache). What is there
    already is compared, not trusted. A refused bot leaves nothing behind.

    `sandbox` says behind which walls foreign unpackers run. Raises UsageError when there is nothing
    of that name, BotError for what is refused, DiskFull, and OSError for what cannot be read.
    """
    if not given.exists():
        raise UsageError(f"there is no file or folder {printable(str(given))!r}: check the path")
    if not given.is_file() and not given.is_dir():
        raise BotError(f"{printable(given.name)} is no file: name a program, a source or a folder")
    place = private_folder(cache_root(), "taken-in") if root is None else root
    place.mkdir(parents=True, exist_ok=True)
    tempdirs.sweep(str(place), alive)  # what a killed arena left half taken in
    with tempfile.TemporaryDirectory(
        prefix=tempdirs.prefix(), dir=place, ignore_cleanup_errors=True
    ) as new:
        taken = _gathered(given, Path(new), sandbox)
        kept = place / taken.address / _name(given)
        publish(taken.folder, kept, Path(new))
        return replace(taken, folder=kept)


def _gathered(given: Path, new: Path, sandbox: Level | SandboxMode) -> TakenIn:
    target, left_out = new / "files", list[str]()
    if given.is_file() and is_archive_file(given):
        found = unpack(given, target, behind(sandbox, new))
        target, left_out = found.folder, found.junk
        packed, unpacked, entries = found.packed, found.size, found.entries
    else:
        packed, unpacked, entries = 0, 0, 0
        _copy(given, target)
    sizes = [path.stat().st_size for path in files_of(target).values()]
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


def _name(given: Path) -> str:
    """``strong`` of ``strong.tar.gz``: the name of a folder."""
    name = given.name if given.is_dir() else given.stem
    shown = printable(name.removesuffix(".tar") or given.name)[:NAME]
    return shown if shown.strip(". ") else "bot"


def _copy(given: Path, target: Path) -> None:
    """Copy a folder or a single file, as an archive of it would be unpacked."""
    if given.is_dir():
        files = {name: path for name, path in everything(given).items() if not _is_junk(name)}
        measured(given.name, files)
    elif language_of(given) is None and not looks_executable(given):
        raise BotError(for_file(given) or unknown(given))
    else:
        files = {given.name: given}
    if not files:
        raise BotError(f"{printable(given.name)} holds no files: name the bot's folder")
    refuse_links_out("take it in", files)
    for name, path in files.items():
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        copy.chmod(path.stat().st_mode & 0o777)


def _is_junk(name: str) -> bool:
    return not JUNK.isdisjoint(Path(name).parts)
