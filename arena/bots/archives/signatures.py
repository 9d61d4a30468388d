"""What is an archive, by its first bytes: the name of a file says nothing. Nothing here loads what
unpacks one."""

from __future__ import annotations

HEAD = 512
"""Bytes that tell the format: a ``.tar`` has its mark at 257."""
ZIP, EMPTY_ZIP, RAR, TAR = b"PK\3\4", b"PK\5\6", b"Rar!\x1a\7", b"ustar"
SPLIT_ZIP = (b"PK\7\x08PK", b"PK00PK")
"""How the first of several volumes of a zip begins."""
ZST = (b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18")
"""A ``.zst``, and one that begins with a note of `pzstd`."""
GZIP, BZIP2, XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"
NAMES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst",
         ".rar")  # fmt: skip
"""How the names of archives end, for texts."""


def is_archive(head: bytes) -> bool:
    """Whether a file that begins so is one of them. A ``.jar`` is, too: its name decides."""
    begins = (ZIP, EMPTY_ZIP, *SPLIT_ZIP, RAR, *ZST, GZIP, BZIP2, XZ)
    return head.startswith(begins) or head[257:262] == TAR or _is_old_tar(head)


def _is_old_tar(head: bytes) -> bool:
    """A tar of before POSIX has no mark, but the sum of its header."""
    digits = head[148:156].strip(b" \0")
    is_whole = len(head) == HEAD and head[0] and not head[257:265].strip(b"\0")
    return bool(is_whole) and digits.lstrip(b"0") == b"%o" % tar_sum(head)


def tar_sum(block: bytes) -> int:
    """What the sum of a tar's header should be: blanks stand for the sum itself."""
    return sum(block) - sum(block[148:156]) + 8 * ord(" ")
