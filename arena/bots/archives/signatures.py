"""Recognition of archives by their first bytes, whatever their names. Imports no unpacker."""

from __future__ import annotations

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


def is_archive(head: bytes) -> bool:
    """Whether a file that begins with `head` is an archive. (True for a ``.jar``, too.)"""
    begins = (ZIP, EMPTY_ZIP, *SPLIT_ZIP, RAR, *ZST, GZIP, BZIP2, XZ)
    return head.startswith(begins) or head[257:262] == TAR or _is_old_tar(head)


def _is_old_tar(head: bytes) -> bool:
    """Whether `head` is a pre-POSIX tar, which has no magic but a valid header checksum."""
    digits = head[148:156].strip(b" \0")
    is_whole = len(head) == HEAD and head[0] and not head[257:265].strip(b"\0")
    return bool(is_whole) and digits.lstrip(b"0") == b"%o" % tar_sum(head)


def tar_sum(block: bytes) -> int:
    """The expected checksum of a tar header, which counts the checksum field as blanks."""
    return sum(block) - sum(block[148:156]) + 8 * ord(" ")
