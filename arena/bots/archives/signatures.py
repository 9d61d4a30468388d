"""What is an archive, by its first bytes: the name of a file says nothing. Nothing here loads what
unpacks one."""

from __future__ import annotations

HEAD = 512
"""Bytes that tell the format: a ``.tar`` has its mark at 257."""
ZIP, EMPTY_ZIP, RAR, ZST, TAR = b"PK\3\4", b"PK\5\6", b"Rar!\x1a\7", b"\x28\xb5\x2f\xfd", b"ustar"
GZIP, BZIP2, XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"
NAMES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst",
         ".rar")  # fmt: skip
"""How the names of archives end, for texts."""


def is_archive(head: bytes) -> bool:
    """Whether a file that begins so is one of them. A ``.jar`` is, too: its name decides."""
    begins = (ZIP, EMPTY_ZIP, RAR, ZST, GZIP, BZIP2, XZ)
    return head.startswith(begins) or head[257:262] == TAR
