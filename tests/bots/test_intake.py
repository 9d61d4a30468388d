"""Strangers' bots, taken in by content."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from arena.bots.address import is_intact
from arena.bots.find import find_bot
from arena.bots.intake import take_in
from arena.errors import BotError, UsageError
from tests.bots.archives.evil import tar_entry, tarred, zipped
from tests.bots.swapping import SECRET, given_to_author, secret, swapped

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can read what others may not")

FILES = [("MyBot.sh", b"#!/bin/sh\necho hello\n"), ("data/words.txt", b"words\n")]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def written(folder: Path) -> Path:
    for name, data in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_A13_the_same_files_are_one_bot_whatever_packed_them(tmp_path: Path, root: Path) -> None:
    folder = written(tmp_path / "a")
    (folder / "MyBot.sh").chmod(0o755)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").touch()
    around = [(f"bot/{name}", data) for name, data in reversed(FILES)]
    (tmp_path / "b.zip").write_bytes(zipped(*around, ("__MACOSX/x", b"")))
    entries = [(tar_entry(name, mode=0o755 * name.endswith("sh")), data) for name, data in FILES]
    (tmp_path / "c.tar.xz").write_bytes(tarred(*entries, kind="w:xz"))
    taken = [take_in(tmp_path / name, root) for name in ("a", "b.zip", "c.tar.xz", "c.tar.xz")]
    assert {one.address for one in taken} == {taken[0].folder.parent.name}
    assert [one.name for one in taken] == ["a", "b", "c", "c"]
    assert [path.name for path in root.iterdir()] == [taken[0].address]
    assert taken[1].left_out == ["__MACOSX"]


def test_names_that_are_no_text_are_left_out_as_text(tmp_path: Path, root: Path) -> None:
    """Reports are JSON, which has no way to say the bytes of such a name."""
    folder = written(tmp_path / "a")
    for name in (b"._\xff", b"env\xff/pyvenv.cfg"):
        path = folder / os.fsdecode(name)
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert take_in(folder, root).left_out == ["._?", "env?"]


def test_a_single_file(tmp_path: Path, root: Path) -> None:
    (tmp_path / "bot.py").write_text("x")
    taken = take_in(tmp_path / "bot.py", root)
    assert (taken.name, taken.files, taken.size, taken.packed) == ("bot", 1, 1, 0)
    assert (taken.folder / "bot.py").read_text() == "x"


def test_what_is_kept_is_read_only_and_does_not_follow_the_source(
    tmp_path: Path, root: Path
) -> None:
    folder = written(tmp_path / "a")
    taken = take_in(folder, root)
    (folder / "MyBot.sh").write_text("other")
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in taken.folder.rglob("*")}
    assert modes == {"MyBot.sh": "0o444", "data": "0o555", "words.txt": "0o444"}
    assert oct(taken.folder.stat().st_mode & 0o777) == "0o555"
    assert is_intact(taken.folder)


def test_A11_what_was_changed_in_its_place_is_replaced(tmp_path: Path, root: Path) -> None:
    folder = written(tmp_path / "a")
    taken = take_in(folder, root)
    file = taken.folder / "MyBot.sh"
    file.chmod(0o644)
    file.write_text("evil")
    assert not is_intact(taken.folder)
    assert take_in(folder, root) == taken
    assert file.read_bytes() == FILES[0][1]
    assert [path.name for path in root.iterdir()] == [taken.address]


def test_A02_a_folder_with_a_link_out_of_it(tmp_path: Path, root: Path) -> None:
    folder = written(tmp_path / "a")
    (folder / "link").symlink_to("/etc/hostname")
    with pytest.raises(BotError, match="link"):
        take_in(folder, root)
    assert list(root.iterdir()) == []


def test_A13_a_refused_archive_is_never_seen(tmp_path: Path, root: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(*FILES)[:-30])
    with pytest.raises(BotError):
        take_in(tmp_path / "a.zip", root)
    assert list(root.iterdir()) == []


def test_nothing_of_that_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file or folder"):
        take_in(tmp_path / "a.zip")


def test_an_archive_is_a_bot(tmp_path: Path) -> None:
    """Named by its file; and its files can be replaced while it plays."""
    (path := tmp_path / "strong.tar.gz").write_bytes(tarred(*FILES, kind="w:gz"))
    bot = find_bot(str(path))
    assert (bot.name, bot.command) == ("strong", str(path))
    path.unlink()
    assert subprocess.run(bot.argv, capture_output=True, check=True).stdout == b"hello\n"


def test_an_archive_whose_bot_must_be_built(tmp_path: Path) -> None:
    """Behind no walls the build works in a copy that it can write."""
    toml = b'run = "./bot"\nbuild = ["sh", "-c", "echo >> MyBot.sh; cp MyBot.sh bot; chmod +x bot"]'
    (path := tmp_path / "b.zip").write_bytes(zipped(*FILES, ("bot.toml", toml)))
    bot = find_bot(str(path))
    assert subprocess.run(bot.argv, capture_output=True, check=True).stdout == b"hello\n"


def test_errors_of_an_archive_name_it(tmp_path: Path) -> None:
    (path := tmp_path / "b.zip").write_bytes(zipped(("a.py", b""), ("c.py", b"")))
    with pytest.raises(BotError, match=r"^b has several sources that could be its main file"):
        find_bot(str(path))


def test_a_jar_is_no_archive_of_a_bot(tmp_path: Path) -> None:
    if shutil.which("java") is None:
        pytest.skip("java is not installed: apt-get install default-jre-headless")
    (path := tmp_path / "bot.jar").write_bytes(zipped(("META-INF/MANIFEST.MF", b"")))
    assert os.path.basename(find_bot(str(path)).argv[0]) == "java"


@pytest.mark.parametrize("name", ["fake.zip", "notes.txt"])
def test_a_file_that_is_no_bot_is_refused_with_what_to_do(
    name: str, tmp_path: Path, root: Path
) -> None:
    (tmp_path / name).write_text("not a bot")
    with pytest.raises(
        BotError, match=r"^(fake|notes)\.(zip is not an archive that|txt is neither a)"
    ):
        take_in(tmp_path / name, root)
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(BotError, match=r"pipe\.py is not a file: name a program"):
        take_in(tmp_path / "pipe.py", root)
    assert list(root.iterdir()) == []


def test_a_program_is_a_bot_also_when_it_is_taken_in(tmp_path: Path, root: Path) -> None:
    """A script that says its interpreter, and a source that says another one than its ending."""
    for name in ("mybot", "other.js"):
        (tmp_path / name).write_text("#!/bin/sh\necho hello\n")
        (tmp_path / name).chmod(0o755)
        bot = find_bot(str(take_in(tmp_path / name, root).folder))
        assert bot.name == Path(name).stem
        assert subprocess.run(bot.argv, capture_output=True, check=True).stdout == b"hello\n"


# -- what its author changes meanwhile -------------------------------------------------------------


def leaks(given: Path, root: Path, tries: int = 300) -> int:
    """In how many of the tries the copy holds what its author may not read."""
    found = 0
    for number in range(tries):
        place = root / str(number)
        with contextlib.suppress(BotError, UsageError):
            take_in(given, place)
        texts = [path.read_text() for path in place.rglob("*") if path.is_file()]
        found += SECRET in texts
    return found


@pytest.mark.dear
@needs_root
def test_a_file_that_becomes_a_link_meanwhile_shows_nothing(tmp_path: Path, root: Path) -> None:
    folder = written(tmp_path / "a")
    (folder / "loot.txt").write_text("mine")
    given_to_author(folder)
    with swapped(folder / "loot.txt", secret(tmp_path)):
        assert leaks(folder, root) == 0


@pytest.mark.dear
@needs_root
def test_a_folder_that_becomes_a_link_meanwhile_shows_nothing(tmp_path: Path, root: Path) -> None:
    folder = written(tmp_path / "a")
    given_to_author(folder)
    (private := tmp_path / "private").mkdir(mode=0o700)
    (private / "words.txt").write_text(SECRET)
    with swapped(folder / "data", private):
        assert leaks(folder, root) == 0


@pytest.mark.dear
@needs_root
def test_a_single_file_that_becomes_a_link_meanwhile_shows_nothing(
    tmp_path: Path, root: Path
) -> None:
    folder = written(tmp_path / "a")
    given_to_author(folder)
    with swapped(folder / "MyBot.sh", secret(tmp_path)):
        assert leaks(folder / "MyBot.sh", root) == 0


@pytest.mark.dear
@needs_root
def test_an_archive_that_becomes_a_link_meanwhile_shows_nothing(tmp_path: Path, root: Path) -> None:
    (folder := tmp_path / "a").mkdir()
    (folder / "bot.zip").write_bytes(zipped(*FILES))
    given_to_author(folder)
    (tmp_path / "own.zip").write_bytes(zipped(("own.txt", SECRET.encode())))
    (tmp_path / "own.zip").chmod(0o600)
    with swapped(folder / "bot.zip", tmp_path / "own.zip"):
        assert leaks(folder / "bot.zip", root) == 0
