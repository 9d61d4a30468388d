"""Archives that hold what no bot needs, all of our own making."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from arena.bots.archives.rules import DEPTH, ENTRIES, NAME, PATH

Make = Callable[[], bytes]
SOURCE = b"print('bot')\n"


class Evil(NamedTuple):
    """One archive, and words of the sentence with which it is refused."""

    case: str
    what: str
    make: Make
    said: str
    file: str = "evil.zip"


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = 8) -> bytes:
    """A zip of these entries. A name may be any."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are there twice
        for name, data in entries:
            info = name if isinstance(name, zipfile.ZipInfo) else zip_entry(name)
            info.compress_type = method
            archive.writestr(info, data)
    return out.getvalue()


def zip_entry(name: str, mode: int = 0) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("x", (2026, 1, 1, 0, 0, 0))
    info.filename = name
    info.orig_filename = name
    info.external_attr = mode << 16 or 0x20  # zipfile would make 0600 of 0
    info.create_system = 3 if mode else 0
    return info


def tarred(*entries: tuple[str | tarfile.TarInfo, bytes], kind: str = "w") -> bytes:
    """A tar of these entries."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=kind, format=tarfile.PAX_FORMAT) as archive:  # type: ignore[call-overload]
        for name, data in entries:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(data) or info.size
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def tar_entry(name: str, kind: bytes = tarfile.REGTYPE, **more: object) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    for key, value in more.items():
        setattr(info, key, value)
    return info


def named_both(case: str, what: str, name: str, said: str) -> list[Evil]:
    """The same wrong name in both families."""
    return [
        Evil(case, f"{what}-zip", lambda: zipped(("bot.py", SOURCE), (name, b"x")), said),
        Evil(
            case,
            f"{what}-tar",
            lambda: tarred(("bot.py", SOURCE), (name, b"x"), kind="w:gz"),
            said,
            "evil.tar.gz",
        ),
    ]


def tar_of(kind: bytes, **more: object) -> bytes:
    return tarred(("bot.py", SOURCE), (tar_entry("odd", kind, **more), b""))


def zip_of(mode: int, name: str = "odd", data: bytes = b"/etc/passwd") -> bytes:
    return zipped(("bot.py", SOURCE), (zip_entry(name, mode), data))


def link_and_file_through_it() -> bytes:
    return tarred(
        (tar_entry("out", tarfile.SYMTYPE, linkname="/tmp"), b""), ("out/evil.py", SOURCE)
    )


def patched(data: bytes, old: bytes, new: bytes, *, last: bool = False) -> bytes:
    """The same with one place changed: the first, or the last."""
    at = data.rfind(old) if last else data.find(old)
    assert at >= 0
    return data[:at] + new + data[at + len(old) :]


def wrong_size_in_list() -> bytes:
    """A list that says 5 bytes where 13 are."""
    data = zipped(("bot.py", SOURCE))
    size = struct.pack("<L", len(SOURCE))
    at = data.index(b"PK\1\2") + 24
    assert data[at : at + 4] == size
    return data[:at] + struct.pack("<L", 5) + data[at + 4 :]


def wrong_size_twice() -> bytes:
    """Both descriptions agree on a size that is too small."""
    data = wrong_size_in_list()
    return data[:22] + struct.pack("<L", 5) + data[26:]


def wrong_sum_twice() -> bytes:
    crc = struct.pack("<L", zlib.crc32(SOURCE))
    return zipped(("bot.py", SOURCE)).replace(crc, b"abcd")


def two_names() -> bytes:
    return patched(zipped(("bot.py", SOURCE)), b"bot.py", b"cot.py")


def encrypted_zip() -> bytes:
    data = bytearray(zipped(("bot.py", SOURCE)))
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    return bytes(data)


def overlapping() -> bytes:
    """Two entries of the list that share one entry's data: how a bomb of a few kB holds
    petabytes."""
    data = zipped(("bot.py", SOURCE))
    start = data.index(b"PK\1\2")
    end = data.index(b"PK\5\6")
    entry = data[start:end]
    again = entry.replace(b"bot.py", b"cot.py")
    tail = struct.pack("<4s4HLLH", b"PK\5\6", 0, 0, 2, 2, 2 * len(entry), start, 0)
    return data[:start] + entry + again + tail


def hidden_between() -> bytes:
    """An entry that the list leaves out: other programs may find it."""
    data = zipped(("bot.py", SOURCE), ("hidden.py", SOURCE * 9))
    start = data.index(b"PK\1\2")
    second = data.index(b"PK\1\2", start + 4)
    entry = data[start:second]
    return (
        data[:start] + entry + struct.pack("<4s4HLLH", b"PK\5\6", 0, 0, 1, 1, len(entry), start, 0)
    )


def two_lists() -> bytes:
    first, second = zipped(("a.py", SOURCE)), zipped(("b.py", SOURCE))
    return first + second


def zip_after_tar() -> bytes:
    return tarred(("bot.py", SOURCE)) + zipped(("other.py", SOURCE))


def multi_disk() -> bytes:
    data = bytearray(zipped(("bot.py", SOURCE)))
    data[data.index(b"PK\5\6") + 4] = 1
    return bytes(data)


def big_directory() -> bytes:
    data = bytearray(zipped(("bot.py", SOURCE)))
    at = data.index(b"PK\5\6")
    data[at + 8 : at + 12] = b"\xff\xff\xff\xff"
    return bytes(data)


def many_files() -> bytes:
    return gzip.compress(tar_entry("d/", tarfile.DIRTYPE).tobuf() * (ENTRIES + 1), 1)


def many_in_zip() -> bytes:
    return zipped(*((f"{i}", b"") for i in range(ENTRIES + 1)), method=0)


def bomb(pack: Callable[[bytes], bytes]) -> bytes:
    """A file of 12 MiB of zeros, packed to almost nothing."""
    header = tar_entry("zeros", size=12 << 20).tobuf()
    return pack(header + bytes((12 << 20) + 1024))


def packed_twice_over() -> bytes:
    """Streams one after the other, each small."""
    return tarred(("bot.py", SOURCE), kind="w:gz") + gzip.compress(b"more")


def damaged_second_header() -> bytes:
    data = bytearray(tarred(("bot.py", SOURCE), ("other.py", SOURCE)))
    data[1024:1030] = b"qqqqqq"  # its check sum no longer fits: to some programs that is the end
    return bytes(data)


def lying_tar_size() -> bytes:
    return tar_entry("bot.py", size=1 << 20).tobuf() + SOURCE + bytes(1024)


def long_name_header() -> bytes:
    """A header that says that a name of 3 MiB follows."""
    return tar_entry("././@LongLink", b"L", size=3 << 20).tobuf() + b"a" * (3 << 20)


FORMATS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": partial(bz2.compress, compresslevel=1),
    "xz": partial(lzma.compress, preset=0),
}
OF_WINDOWS = "is named like a device of Windows"
ARCHIVES = [
    *named_both("A01", "up", "../../evil.py", "leads out of the archive by '..'"),
    *named_both("A01", "up-inside", "a/../../evil.py", "leads out of the archive by '..'"),
    *named_both("A01", "absolute", "/tmp/evil.py", "has an absolute path"),
    *named_both("A01", "drive", "C:/evil.py", "has an absolute path"),
    *named_both("A01", "backslashes", "..\\evil.py", "has a backslash in its name"),
    Evil("A02", "link", lambda: tar_of(tarfile.SYMTYPE, linkname="/etc/passwd"), "is a link"),
    Evil("A02", "hard-link", lambda: tar_of(tarfile.LNKTYPE, linkname="bot.py"), "is a link"),
    Evil("A02", "file-through-link", link_and_file_through_it, "the entry 'out' is a link"),
    Evil("A02", "zip-link", lambda: zip_of(stat.S_IFLNK | 0o777), "is a link"),
    Evil("A03", "character-device", lambda: tar_of(tarfile.CHRTYPE), "is a device"),
    Evil("A03", "block-device", lambda: tar_of(tarfile.BLKTYPE), "is a device"),
    Evil("A03", "pipe", lambda: tar_of(tarfile.FIFOTYPE), "is a pipe"),
    Evil("A03", "sparse", lambda: tar_of(tarfile.GNUTYPE_SPARSE), "is a sparse file"),
    Evil("A03", "unknown-type", lambda: tar_of(b"Z"), "is neither a file nor a folder"),
    Evil("A03", "set-user-id", lambda: tar_of(tarfile.REGTYPE, mode=0o4755), "is set-user-id"),
    Evil("A03", "zip-set-user-id", lambda: zip_of(stat.S_IFREG | 0o4755), "is set-user-id"),
    Evil("A03", "zip-device", lambda: zip_of(stat.S_IFCHR), "is a device"),
    Evil("A03", "zip-pipe", lambda: zip_of(stat.S_IFIFO), "is a pipe"),
    Evil("A03", "zip-socket", lambda: zip_of(stat.S_IFSOCK), "is a socket"),
    *(
        Evil("A04", f"bomb-{name}", partial(bomb, pack), "times its own size", f"evil.tar.{name}")
        for name, pack in FORMATS.items()
    ),
    Evil("A04", "bomb-zip", lambda: zipped(("zeros", bytes(12 << 20))), "times its own size"),
    Evil("A04", "large-file", lambda: zipped(("big", bytes(65 << 20))), "larger than 64 MiB"),
    Evil("A04", "overlap", overlapping, "shares its data with another entry"),
    Evil("A04", "many-files", many_files, "more than 10000 files"),
    Evil("A04", "many-in-zip", many_in_zip, "more than 10000 files"),
    Evil("A04", "count-beyond-all", big_directory, "more than 10000 files"),
    Evil("A05", "nested", lambda: zipped(("a.tar.gz", b"x")), "is an archive itself"),
    *named_both("A05", "deep", "d/" * (DEPTH + 180) + "bot.py", "folders deep"),
    *named_both("A05", "long-name", "n" * (NAME + 1), f"longer than {NAME} bytes"),
    *named_both("A05", "long-path", ("m" * 99 + "/") * 11 + "bot.py", f"longer than {PATH} bytes"),
    *named_both("A05", "twice", "bot.py", "is there twice"),
    *named_both("A05", "case", "BOT.py", "only in case or accents"),
    *named_both("A05", "device-name", "con.py", OF_WINDOWS),
    *named_both("A05", "trailing-dot", "bot.", "ends in a dot or a blank"),
    *named_both("A05", "file-and-folder", "bot.py/x.py", "both a file and a folder"),
    *named_both("A05", "escapes", "a\x1b[2J.py", "a name that is not plain text"),
    *named_both("A05", "turned-round", "a\u202eyp.exe", "a name that is not plain text"),
    Evil(
        "A05",
        "accents",
        lambda: zipped(("\u00fc.py", SOURCE), ("u\u0308.py", SOURCE)),
        "only in case or accents",
    ),
    Evil("A05", "no-name", lambda: zipped(("bot.py", SOURCE), ("", b"x")), "has no name"),
    Evil("A05", "empty", lambda: zipped(), "it is empty"),
    Evil("A05", "folders-only", lambda: zipped(("a/", b"")), "it holds no files"),
    Evil("A05", "junk-only", lambda: zipped(("__MACOSX/._bot.py", b"x")), "it holds no files"),
    Evil("A05", "up-in-junk", lambda: zipped((".git/../../x", b"x")), "leads out of the archive"),
    Evil("A06", "size-in-list", wrong_size_in_list, "has two descriptions"),
    Evil("A06", "size-twice", wrong_size_twice, "is longer than its entry says"),
    Evil("A06", "check-sum", wrong_sum_twice, "does not match its check sum"),
    Evil("A06", "two-names", two_names, "has two descriptions"),
    Evil("A06", "hidden-entry", hidden_between, "there is data between its entries"),
    Evil("A06", "two-lists", two_lists, "its list of entries is not at the stated place"),
    Evil("A06", "zip-after-tar", zip_after_tar, "belong to different kinds", "evil.tar"),
    Evil(
        "A06",
        "program-before-zip",
        lambda: b"PK\3\4" + zipped(("a", b"x")),
        "not at the stated place",
    ),
    Evil("A06", "tar-size", lying_tar_size, "is cut off", "evil.tar"),
    Evil("A06", "tar-header", damaged_second_header, "cut off or damaged", "evil.tar"),
    Evil("A06", "tar-name-of-3-MiB", long_name_header, "too long", "evil.tar"),
    Evil("A06", "gz-and-more", packed_twice_over, "data follows its end", "evil.tar.gz"),
    Evil("A06", "more-after-zip", lambda: zipped(("a", b"x")) + b"more", "data follows its end"),
    Evil("A07", "encrypted", encrypted_zip, "is encrypted"),
    Evil("A07", "parts", multi_disk, "one part of several"),
    Evil("A07", "rare-method", lambda: zipped(("a", b"x"), method=14), "by a rare method"),
    Evil("A13", "cut-zip", lambda: zipped(("bot.py", SOURCE))[:-9], "it is cut off"),
    Evil("A13", "cut-tar", lambda: tarred(("bot.py", SOURCE))[:600], "cut off", "evil.tar"),
    Evil("A13", "cut-gz", lambda: tarred(("b.py", SOURCE), kind="w:gz")[:-9], "cut off"),
    Evil("A13", "cut-xz", lambda: tarred(("b.py", SOURCE), kind="w:xz")[:-20], "cut off"),
    Evil("A13", "noise", lambda: b"\x1f\x8b" + bytes(range(256)) * 9, "cannot be unpacked"),
    Evil("A06", "wrong-type", lambda: b"MZ" + SOURCE * 99, "it is not an archive"),
    Evil("A06", "gz-without-tar", lambda: gzip.compress(SOURCE * 99), "cut off or damaged"),
]
