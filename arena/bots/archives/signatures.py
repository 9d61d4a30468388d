"""Recognition of archives by their first bytes, whatever their names. Imports no unpacker."""

from __future__ import annotations

from pathlib import Path

from arena.bots.executables import head
from arena.bots.languages import language_of

HEAD = 512
"""Leading bytes that identify the format: the magic of a ``.tar`` is at 257."""
ZIP, EMPTY_ZIP, RAR, TAR = b"PK\3\4", b"PK\5\6", b"Rar!\x1a\7", b"ustar"
SPLIT_ZIP = (b"PK\7\x08PK", b"PK00PK")
"""First bytes of the first volume of a split zip."""
ZST = (b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18")
"""First bytes of a ``.zst``, and of one that begins with a skippable frame of `pzstd`."""
GZIP, BZIP2, XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"
NAMES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst",
         ".rar")  # fmt: skip
"""Endings of archive names, for messages."""
PROGRAMS = (".war", ".whl", ".pyz")
"""Endings of programs that look like archives by their first bytes, besides those of known
languages (``.jar``)."""


def is_archive_file(path: Path) -> bool:
    """Whether a file is an archive that contains a bot. (A ``.jar`` is itself a bot.)"""
    is_program = language_of(path) is not None or path.suffix.lower() in PROGRAMS
    return not is_program and is_archive(head(path, HEAD))


def is_archive(start: bytes) -> bool:
    """Whether a file that begins with `start` is an archive. (True for a ``.jar``, too.)"""
    begins = (ZIP, EMPTY_ZIP, *SPLIT_ZIP, RAR, *ZST, GZIP, BZIP2, XZ)
    return start.startswith(begins) or start[257:262] == TAR or _is_old_tar(start)


def _is_old_tar(start: bytes) -> bool:
    """Whether `start` is a pre-POSIX tar, which has no magic but a valid header checksum."""
    digits = start[148:156].strip(b" \0")
    is_whole = len(start) == HEAD and start[0] and not start[257:265].strip(b"\0")
    return bool(is_whole) and digits.lstrip(b"0") == b"%o" % tar_sum(start)


def tar_sum(block: bytes) -> int:
    """The expected checksum of a tar header, which counts the checksum field as blanks."""
    return sum(block) - sum(block[148:156]) + 8 * ord(" ")
