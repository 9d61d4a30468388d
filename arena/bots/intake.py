"""Taking a stranger's bot in: an archive, a folder or a single source file becomes a read-only
folder that is named by its content.

Two uploads with the same files are one bot, whatever packed them: the address covers names,
contents and execute bits, not dates, order, owners, junk or a folder around all of it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.archives.rules import JUNK
from arena.bots.archives.unpack import unpack
from arena.bots.cache import cache_root, private_folder
from arena.bots.content import everything, measured
from arena.bots.foreign import behind
from arena.bots.packed import is_archive_file
from arena.bots.staging import refuse_links_out
from arena.errors import BotError, UsageError
from arena.sandbox.levels import Level, SandboxMode
from arena.text import printable

_FORMAT = b"arena bot 1"


class TakenIn(Struct, frozen=True):
    """A bot that was taken in."""

    folder: Path
    """Its files, read-only, at their place by content."""
    address: str
    """The address of its content: 64 hex digits."""
    name: str
    """What it is called unless its ``bot.toml`` says otherwise: the name of what was given."""
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


def content_address(folder: Path) -> str:
    """The address of what a folder holds: SHA-256 over names, contents and execute bits."""
    total = hashlib.sha256(_FORMAT)
    for name, path in sorted(_files(folder).items()):
        status = path.lstat()
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        is_program = status.st_mode & 0o111 != 0
        total.update(repr((os.fsencode(name), is_program, content)).encode())
    return total.hexdigest()


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
    place = private_folder(cache_root(), "taken-in") if root is None else private_folder(root)
    with tempfile.TemporaryDirectory(prefix="new-", dir=place, ignore_cleanup_errors=True) as new:
        taken = _gathered(given, Path(new), sandbox)
        entry = place / taken.address
        _publish(taken.folder, entry, Path(new))
        return replace(taken, folder=entry)


def _gathered(given: Path, new: Path, sandbox: Level | SandboxMode) -> TakenIn:
    target, left_out = new / "files", list[str]()
    if given.is_file() and is_archive_file(given):
        found = unpack(given, target, behind(sandbox, new))
        target, left_out = found.folder, found.junk
        packed, unpacked, entries = found.packed, found.size, found.entries
    else:
        packed, unpacked, entries = 0, 0, 0
        _copy(given, target)
    sizes = [path.stat().st_size for path in _files(target).values()]
    return TakenIn(
        target,
        content_address(target),
        _name(given),
        len(sizes),
        sum(sizes),
        packed,
        unpacked,
        entries,
        left_out,
    )


def _name(given: Path) -> str:
    """``strong`` of ``strong.tar.gz``."""
    name = given.name if given.is_dir() else given.stem
    return printable(name.removesuffix(".tar") or given.name)


def _copy(given: Path, target: Path) -> None:
    """Copy a folder or a single file, as an archive of it would be unpacked."""
    if given.is_dir():
        files = {name: path for name, path in everything(given).items() if not _is_junk(name)}
        measured(given.name, files)
    else:
        files = {given.name: given}
    if not files:
        raise BotError(f"{printable(given.name)} holds no files: name the bot's folder")
    refuse_links_out("take it in", files)
    for name, path in files.items():
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        copy.chmod(0o555 if path.stat().st_mode & 0o111 else 0o444)


def _is_junk(name: str) -> bool:
    return not JUNK.isdisjoint(Path(name).parts)


def _files(folder: Path) -> dict[str, Path]:
    """Every file below a folder, by its name in it."""
    return {
        os.path.relpath(os.path.join(place, name), folder): Path(place, name)
        for place, _, names in os.walk(folder)
        for name in names
    }


def _publish(folder: Path, entry: Path, new: Path) -> None:
    """Move it to its place in one step, unless it is there."""
    _close(folder)
    if is_intact(entry):
        return
    if entry.exists():
        entry.rename(new / "broken")
    folder.chmod(0o755)  # a folder can be moved by its owner only if that can write in it
    try:
        folder.rename(entry)
    except OSError:
        if not is_intact(entry):
            raise  # else another arena was faster
    entry.chmod(0o555)


def is_intact(entry: Path) -> bool:
    """Whether what lies at the place of an address is what the address says."""
    if not entry.is_dir() or entry.is_symlink():
        return False
    links = any(stat.S_ISLNK(path.lstat().st_mode) for path in entry.rglob("*"))
    return not links and content_address(entry) == entry.name


def _close(folder: Path) -> None:
    for place, _, _ in os.walk(folder, topdown=False):
        os.chmod(place, 0o555)
