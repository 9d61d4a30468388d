"""Unpacking: ordinary archives in every format, and those of strangers."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from arena.bots.archives import signatures, streams
from arena.bots.archives.unpack import unpack
from arena.bots.intake import behind
from arena.errors import BotError, DiskFull
from arena.sandbox.levels import Level
from tests.bots.archives.evil import ARCHIVES, SOURCE, Evil, tar_entry, tarred, zip_entry, zipped
from tests.bots.archives.outcomes import outcome
from tests.bots.archives.rar import rar
from tests.support.tools import dear, needs_tool

FILES = [("bot/MyBot.py", SOURCE), ("bot/data/words.txt", b"words\n" * 50_000)]


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything below a folder: modes and contents."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


def assert_refused(path: Path, said: str) -> None:
    """By one sentence that names the archive, with the disk as before."""
    before = tree(path.parent)
    with pytest.raises(BotError) as caught:
        unpack(path, path.parent / "new", behind(Level.OFF, path.parent))
    sentence = str(caught.value)
    assert said in sentence
    assert sentence.startswith(f"{path.name}: ")
    assert "\n" not in sentence
    assert sentence.isprintable()
    assert len(sentence) < 300
    assert tree(path.parent) == before


def test_at_least_forty_archives_are_tried() -> None:
    assert len({evil.what for evil in ARCHIVES}) == len(ARCHIVES) >= 40
    assert {evil.case for evil in ARCHIVES} == {f"A0{i}" for i in range(1, 8)} | {"A13"}


@pytest.mark.parametrize("evil", ARCHIVES, ids=lambda evil: f"{evil.case}-{evil.what}")
def test_a_malicious_archive_leaves_nothing(evil: Evil, tmp_path: Path) -> None:
    path = tmp_path / evil.file
    path.write_bytes(evil.make())
    assert_refused(path, evil.said)


@pytest.mark.parametrize("kind", ["", "gz", "bz2", "xz"])
def test_an_ordinary_tar(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bot"
    path.write_bytes(tarred(*FILES, kind=f"w:{kind}"))
    assert_unpacked(path)


def test_an_ordinary_zip(tmp_path: Path) -> None:
    path = tmp_path / "bot"
    path.write_bytes(zipped(*FILES))
    assert_unpacked(path)


def assert_unpacked(path: Path) -> None:
    found = unpack(path, path.parent / "new", behind(Level.OFF, path.parent))
    assert found.folder == path.parent / "new" / "bot"
    assert (found.files, found.size) == (2, sum(len(data) for _, data in FILES))
    assert {name: data for name, (_, data) in tree(found.folder).items() if data} == {
        "MyBot.py": FILES[0][1],
        "data/words.txt": FILES[1][1],
    }


def test_a_zip_written_to_a_pipe_has_its_sizes_behind_the_data(tmp_path: Path) -> None:
    class Pipe(io.RawIOBase):
        """It can only be written, from the front."""

        def __init__(self, path: Path) -> None:
            self._file = path.open("wb")

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            return self._file.write(data)

        def close(self) -> None:
            self._file.close()

    path = tmp_path / "bot"
    with Pipe(path) as pipe, zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in FILES:
            archive.writestr(name, data)
    assert_unpacked(path)


@pytest.mark.parametrize("by", ["python", "program"])
def test_an_ordinary_zst(by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bot"
    zstd = needs_tool("zstd", "zstd")
    plain = tarred(*FILES)
    path.write_bytes(subprocess.run([zstd, "-qc"], input=plain, capture_output=True).stdout)
    if by == "python":
        assert streams.decoder_of_zstandard() is not None
    else:
        monkeypatch.setattr(streams, "decoder_of_zstandard", lambda: None)
    assert_unpacked(path)


@pytest.mark.parametrize("by", ["python", "program"])
def test_A04_a_bomb_in_zst(by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zstd = needs_tool("zstd", "zstd")
    plain = tar_entry("zeros", size=12 << 20).tobuf() + bytes((12 << 20) + 1024)
    path = tmp_path / "evil.tar.zst"
    path.write_bytes(subprocess.run([zstd, "-qc"], input=plain, capture_output=True).stdout)
    if by == "program":
        monkeypatch.setattr(streams, "decoder_of_zstandard", lambda: None)
    assert_refused(path, "times its own size")


def test_without_anything_for_zst(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "decoder_of_zstandard", lambda: None)
    monkeypatch.setattr(shutil, "which", lambda name, **_: None)
    (path := tmp_path / "bot.tar.zst").write_bytes(signatures.ZST[0] + bytes(100))
    assert_refused(
        path, "no program on this machine unpacks .zst: install zstd, or pack it as .tar.gz"
    )


# -- rar -------------------------------------------------------------------------------------------


def test_an_ordinary_rar(tmp_path: Path) -> None:
    needs_tool("unar", "unar")
    (path := tmp_path / "bot").write_bytes(rar(*FILES))
    assert_unpacked(path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../../evil.py", "leads out of the archive"),
        ("/evil.py", "has an absolute path"),
        ("bot/MyBot.py", "is there twice"),
        ("bot/mybot.py", "only in case"),
        ("a.zip", "is an archive itself"),
    ],
)
def test_A07_a_rar_is_judged_by_its_list_before_anything_unpacks_it(
    name: str, said: str, tmp_path: Path
) -> None:
    needs_tool("unar", "unar")
    (path := tmp_path / "evil.rar").write_bytes(rar(*FILES, (name, b"x")))
    assert_refused(path, said)


def test_A06_a_rar_that_lies(tmp_path: Path) -> None:
    needs_tool("unar", "unar")
    data = rar(*FILES, check_sum=1234)
    (path := tmp_path / "evil.rar").write_bytes(data)
    assert_refused(path, "pack it again")


def test_A07_an_encrypted_rar(tmp_path: Path) -> None:
    (path := tmp_path / "evil.rar").write_bytes(rar(*FILES, flags=4))
    assert_refused(path, "it is encrypted")


def test_the_comment_of_a_rar_starts_no_program_outside_of_walls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import rarfile

    needs_tool("unar", "unar")
    started = list[object]()
    monkeypatch.setattr(rarfile, "tool_setup", lambda: started.append("a program"))
    (path := tmp_path / "bot").write_bytes(rar(*FILES, comment=b"packed"))
    assert_unpacked(path)
    assert started == []


@pytest.mark.parametrize(
    ("volume", "said"),
    [
        (rar(*FILES, whole_flags=1), "it is one part of several"),
        (rar(*FILES, flags=1), "it is one part of several"),
        (rar(*FILES, flags=2), "it is one part of several"),
        (rar(*FILES, end_flags=1), "it is one part of several"),
        (rar(*FILES, flags=0x0800), "an old version of a file"),
        (rar(*FILES) + rar(("b.py", b"x")), "data follows its end"),
        (rar(*FILES)[:-7] + b"x" * 100, "pack it again"),
        (b"Rar!\x1a\7\1\0" + b"\x80" * 4096, "pack it again"),
    ],
    ids=["volume", "begins-before", "goes-on", "last-says-so", "versions", "two", "no-end", "vint"],
)
def test_a_rar_that_can_be_read_in_two_ways(volume: bytes, said: str, tmp_path: Path) -> None:
    (path := tmp_path / "evil.rar").write_bytes(volume)
    assert_refused(path, said)


def test_what_takes_an_unpacker_over_shows_no_other_file(tmp_path: Path) -> None:
    """It may leave a link, or a pipe that is never written."""
    (tmp_path / "out").mkdir()

    @contextmanager
    def taken_over(*_: object) -> Iterator[Path]:
        yield tmp_path / "out"

    left = tmp_path / "out" / "MyBot.py"
    (path := tmp_path / "bot.rar").write_bytes(rar(("MyBot.py", SOURCE)))
    for make in (partial(left.symlink_to, "/etc/passwd"), partial(os.mkfifo, left)):
        make()
        with pytest.raises(BotError, match="cannot be unpacked: pack it again"):
            unpack(path, tmp_path / "new", taken_over)
        left.unlink()


def test_A13_a_rar_that_is_cut_off(tmp_path: Path) -> None:
    needs_tool("unar", "unar")
    (path := tmp_path / "evil.rar").write_bytes(rar(*FILES)[:-1000])
    assert_refused(path, "pack it again")


def test_without_an_unpacker_a_rar_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, **_: None)
    (path := tmp_path / "bot.rar").write_bytes(rar(*FILES))
    assert_refused(path, "no program on this machine unpacks .rar: install unar")


# -- what becomes of it ----------------------------------------------------------------------------


def test_modes_are_our_own(tmp_path: Path) -> None:
    """Readable by all, written by none, executable where it was or looks like a program."""
    entries = [
        (zip_entry("tool", 0o100751), b"x"),
        (zip_entry("secret", 0o100600), b"x"),
        (zip_entry("script"), b"#!/bin/sh\n"),
        (zip_entry("text"), b"words"),
    ]
    (path := tmp_path / "bot.zip").write_bytes(zipped(*entries))
    found = unpack(path, tmp_path / "new", behind(Level.OFF, tmp_path))
    modes = {name: oct(mode & 0o7777) for name, (mode, _) in tree(found.folder).items()}
    assert modes == {"tool": "0o555", "secret": "0o444", "script": "0o555", "text": "0o444"}


def test_junk_is_left_out_and_a_single_folder_is_lifted(tmp_path: Path) -> None:
    names = ["bot/MyBot.py", "bot/.idea/workspace.xml", "__MACOSX/bot/._MyBot.py", "bot/.DS_Store",
             "bot/.git/config", "bot/bot/bot.txt", "bot/.vscode/a", "bot/.metadata/b"]  # fmt: skip
    (path := tmp_path / "bot.tar").write_bytes(tarred(*((name, b"x") for name in names)))
    found = unpack(path, tmp_path / "new", behind(Level.OFF, tmp_path))
    assert sorted(tree(found.folder)) == ["MyBot.py", "bot", "bot/bot.txt"]
    assert found.junk == [".idea", "__MACOSX", ".DS_Store", ".git", ".vscode", ".metadata"]


def test_two_things_at_the_top_stay_there(tmp_path: Path) -> None:
    (path := tmp_path / "bot.tar").write_bytes(tarred(("./a/b.py", b"x"), ("./c.py", b"x")))
    assert sorted(tree(unpack(path, tmp_path / "new", behind(Level.OFF, tmp_path)).folder)) == [
        "a",
        "a/b.py",
        "c.py",
    ]


def test_folders_may_be_listed_or_not(tmp_path: Path) -> None:
    folder = tar_entry("a", tarfile.DIRTYPE)
    (path := tmp_path / "bot.tar").write_bytes(
        tarred((folder, b""), ("a/b.py", b"x"), (folder, b""))
    )
    assert sorted(tree(unpack(path, tmp_path / "new", behind(Level.OFF, tmp_path)).folder)) == [
        "b.py"
    ]


def test_O03_a_full_disk_is_no_fault_of_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path := tmp_path / "bot.zip").write_bytes(zipped(*FILES))

    def full(number: int, mode: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fchmod", full)
    with pytest.raises(DiskFull):
        unpack(path, tmp_path / "new", behind(Level.OFF, tmp_path))
    assert not (tmp_path / "new").exists()


@pytest.mark.dear
def test_it_takes_little_memory(tmp_path: Path) -> None:
    """20 MiB in a process that may have 30 MiB more than it takes to begin."""
    (path := tmp_path / "big.tar.gz").write_bytes(
        tarred(*((f"{i}", os.urandom(1 << 20) + bytes(9 << 20)) for i in range(2)), kind="w:gz")
    )
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from arena.bots.archives.unpack import unpack\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "unpack(Path(sys.argv[1]), Path(sys.argv[2]), lambda *_: None)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    command = [sys.executable, "-c", code, str(path), str(tmp_path / "new")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 10_000  # kB


# -- what other programs pack ----------------------------------------------------------------------

ZIP, SEVEN, BSDTAR, TAR, GIT, JAR = (
    ("zip", "zip"),
    ("7zz", "7zip"),
    ("bsdtar", "libarchive-tools"),
    ("tar", "tar"),
    ("git", "git"),
    ("jar", "default-jdk-headless"),
)
COMMIT = "git init -q && git add . && git -c user.name=a -c user.email=b commit -qm x"
PACKED_BY = {
    "zip": (ZIP, "zip -qr OUT ."),
    "zip-stored": (ZIP, "zip -qr -0 OUT ."),
    "zip-64": (ZIP, "zip -qr -fz OUT ."),
    "zip-to-a-pipe": (ZIP, "zip -qr - . | cat > OUT"),
    "zip-of-files-alone": (ZIP, "zip -qrDX OUT ."),
    "zip-with-comment": (ZIP, "echo a comment | zip -qrz OUT ."),
    "zip-changed": (ZIP, "zip -qr OUT . && zip -q OUT MyBot.py && zip -qd OUT x"),
    "7zip": (SEVEN, "7zz a -tzip OUT . > /dev/null"),
    "7zip-tar": (SEVEN, "7zz a -ttar OUT . > /dev/null"),
    "bsdtar-zip": (BSDTAR, "bsdtar --format zip -cf OUT ."),
    "bsdtar-zip-64": (BSDTAR, "bsdtar --format zip --options zip:zip64 -cf OUT ."),
    "bsdtar-zip-to-a-pipe": (BSDTAR, "bsdtar --format zip -cf - . | cat > OUT"),
    "bsdtar-ustar": (BSDTAR, "bsdtar --format ustar -cf OUT ."),
    "bsdtar-pax": (BSDTAR, "bsdtar --format pax -cf OUT ."),
    "bsdtar-gnu": (BSDTAR, "bsdtar --format gnutar -cf OUT ."),
    "bsdtar-v7": (BSDTAR, "bsdtar --format v7 -cf OUT MyBot.py x d/words.txt"),
    "tar-v7": (TAR, "tar --format=v7 -cf OUT MyBot.py x d/words.txt"),
    "tar-oldgnu": (TAR, "tar --format=oldgnu -cf OUT ."),
    "tar-gnu": (TAR, "tar --format=gnu -cf OUT ."),
    "tar-ustar": (TAR, "tar --format=ustar -cf OUT ."),
    "tar-pax": (TAR, "tar --format=pax -cf OUT ."),
    "tar-of-large-blocks": (TAR, "tar -b 2048 -cf OUT ."),
    "tar-of-small-blocks": (TAR, "tar -b 1 -cf OUT ."),
    "tar-of-large-ids": (TAR, "tar --owner=a:3000000 --group=b:4000000 -cf OUT ."),
    "tar-of-old-files": (TAR, "tar --mtime=1960-01-01 -cf OUT ."),
    "tar-added-to": (TAR, "tar -cf OUT MyBot.py && tar -rf OUT d x"),
    "tar-gz": (TAR, "tar -czf OUT ."),
    "tar-bz2": (TAR, "tar -cjf OUT ."),
    "tar-xz": (TAR, "tar -cJf OUT ."),
    "git-zip": (GIT, f"{COMMIT} && git archive --format=zip -o OUT HEAD"),
    "git-tar-gz": (GIT, f"{COMMIT} && git archive --format=tar.gz -o OUT HEAD"),
    "jar": (JAR, "jar cf OUT ."),
    "python-zip": (TAR, f"{sys.executable} -m zipfile -c OUT MyBot.py d x"),
    "python-tar": (TAR, f"{sys.executable} -m tarfile -c OUT MyBot.py d x"),
}  # fmt: skip


CHEAP = ("zip", "zip-64", "7zip", "bsdtar-zip-to-a-pipe", "tar-v7", "tar-pax", "git-tar-gz")


@pytest.mark.parametrize("how", dear(PACKED_BY, but=lambda how: how in CHEAP))
def test_what_other_programs_pack_is_taken(how: str, tmp_path: Path) -> None:
    (tool, package), command = PACKED_BY[how]
    needs_tool(tool, package)
    (folder := tmp_path / "packed").mkdir()
    files = {"MyBot.py": SOURCE, "d/words.txt": b"words\n" * 5000, "x": b"x"}
    if not how.endswith("v7"):
        files |= {"d/" + "n" * 90 + "/" + "m" * 90 + ".txt": b"", "d/Grüße.txt": b"x"}
    for name, data in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    command = command.replace("OUT", str(tmp_path / "packed.x"))
    subprocess.run(["bash", "-ec", command], cwd=folder, check=True)
    if how == "zip-changed":
        del files["x"]
    found = outcome((tmp_path / "packed.x").read_bytes(), tmp_path / "taken")
    assert isinstance(found, dict), found
    assert {name: data for name, data in found.items() if name != "META-INF/MANIFEST.MF"} == files
