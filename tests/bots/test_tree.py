"""Files of strangers: what is opened below a folder, and what is not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from arena.bots import tree
from arena.bots.content import SIZE
from arena.bots.tree import Author, TreeError, copy_folder, digest, opened, opened_by_name
from arena.errors import BotError
from tests.bots.swapping import AUTHOR, SECRET, given_to_author, secret

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (path := tmp_path / "bot").mkdir()
    (path / "lib").mkdir()
    (path / "main.py").write_text("main")
    (path / "lib" / "words.txt").write_text("words")
    return path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path / "copy"


def copied(folder: Path, copy: Path) -> dict[str, str]:
    """What comes into a copy."""
    with opened(folder) as place:
        copy_folder(place, copy)
    files = sorted(path for path in copy.rglob("*") if path.is_file())
    return {str(path.relative_to(copy)): path.read_text() for path in files}


def refused(folder: Path, copy: Path) -> str:
    with pytest.raises((TreeError, BotError)) as caught:
        copied(folder, copy)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("link.py", "main.py"),
        ("link.py", "lib/../main.py"),
        ("lib/link", "../main.py"),
        ("lib/link", "words.txt"),
        ("link.py", "lib/second"),
    ],
)
def test_a_link_to_a_file_of_the_folder_becomes_that_file(
    name: str, target: str, folder: Path, copy: Path
) -> None:
    (folder / "lib" / "second").symlink_to("./../main.py")
    (folder / name).symlink_to(target)
    assert copied(folder, copy)[name] == (folder / name).read_text()
    assert not (copy / name).is_symlink()


@pytest.mark.parametrize(
    "target", ["/etc/hostname", "../secret", "lib/../../secret", "../bot/main.py", "../.."]
)
def test_a_link_out_of_the_folder_is_refused(target: str, folder: Path, copy: Path) -> None:
    secret(folder.parent)
    (folder / "loot").symlink_to(target)
    assert refused(folder, copy) == "loot is a link out of its folder: copy the file in"


def test_a_link_to_a_folder_beside_whose_name_begins_alike(folder: Path, copy: Path) -> None:
    (folder.parent / "bot-2").mkdir()
    (folder.parent / "bot-2" / "secret").touch()
    (folder / "loot").symlink_to("../bot-2/secret")
    assert "loot is a link out of its folder" in refused(folder, copy)


def test_links_that_lead_to_no_file(folder: Path, copy: Path) -> None:
    (folder / "gone").symlink_to("nothing")
    assert list(copied(folder, copy)) == ["lib/words.txt", "main.py"]
    (folder / "lib" / "self").symlink_to("self")
    assert "lib/self is a link that leads to itself" in refused(folder, copy.with_name("2"))
    (folder / "lib" / "self").unlink()
    for number, target in enumerate((".", "..", "../lib", "../..")):
        (folder / "lib" / "all").unlink(missing_ok=True)
        (folder / "lib" / "all").symlink_to(target)
        assert "lib/all is a link" in refused(folder, copy.with_name(f"3{number}"))


def test_a_link_that_is_named_itself(folder: Path, copy: Path) -> None:
    (link := folder.parent / "link").symlink_to("bot")
    assert refused(link, copy) == "link is a link: name what it leads to (bot)"
    assert copied(link / ".." / "bot", copy)


def test_a_link_on_the_way_is_followed(folder: Path, copy: Path) -> None:
    (folder.parent / "all").symlink_to(folder.parent)
    assert copied(folder.parent / "all" / "bot", copy)


def test_what_is_no_file_is_never_opened(folder: Path, copy: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "null").symlink_to("pipe")
    assert "null is not a file" in refused(folder, copy)
    (folder / "null").unlink()
    assert list(copied(folder, copy.with_name("2"))) == ["lib/words.txt", "main.py"]
    with (
        pytest.raises(TreeError, match=r"pipe is not an?( ordinary)? file"),
        opened(folder / "pipe"),
    ):
        pass
    with (
        pytest.raises(TreeError, match=r"pipe is not an?( ordinary)? file"),
        opened_by_name(folder / "pipe"),
    ):
        pass


def test_what_is_left_out_is_named(folder: Path, copy: Path) -> None:
    for name in (".git", "lib/__pycache__", ".venv"):
        (folder / name).mkdir()
        (folder / name / "pyvenv.cfg").touch()
    (folder / "._main.py").touch()
    with opened(folder) as place:
        assert copy_folder(place, copy) == ["._main.py", ".git", ".venv", "__pycache__"]
    assert sorted(path.name for path in copy.rglob("*")) == ["lib", "main.py", "words.txt"]


def test_a_file_of_a_tebibyte_is_not_read(folder: Path, copy: Path) -> None:
    os.truncate(folder / "main.py", 1 << 40)
    assert "more than 512 MiB" in refused(folder, copy)
    with opened(folder / "main.py") as file, pytest.raises(BotError, match="more than 512 MiB"):
        digest(file)


def test_all_files_together_are_limited(
    folder: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree, "SIZE", 9)
    assert copied(folder, copy)
    (folder / "more").write_text("1")
    assert "more than" in refused(folder, copy.with_name("2"))
    monkeypatch.setattr(tree, "SIZE", SIZE)
    monkeypatch.setattr(tree, "FILES", 3)
    assert "more than" in refused(folder, copy.with_name("3"))


def test_folders_in_folders_without_end(
    folder: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.joinpath(*["d"] * 5).mkdir(parents=True)
    monkeypatch.setattr(tree, "DEPTH", 4)
    assert "nested deeper than 4" in refused(folder, copy)


def test_a_path_that_is_longer_than_a_system_takes(folder: Path, copy: Path) -> None:
    here = os.open(folder, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("d" * 200, dir_fd=here)
        here, above = os.open("d" * 200, os.O_RDONLY, dir_fd=here), here
        os.close(above)
    os.close(here)
    assert "has paths of more than 1000 bytes: use shorter names" in refused(folder, copy)
    subprocess.run(["rm", "-rf", folder], check=True)


def test_a_file_that_is_gone_when_it_is_copied(
    folder: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor removes its temporary file while the folder is listed."""
    monkeypatch.setattr(tree, "_names", lambda folder: ["gone", *os.listdir(folder)])
    assert list(copied(folder, copy)) == ["lib/words.txt", "main.py"]


# -- what its author could not read ----------------------------------------------------------------


@needs_root
def test_a_private_file_of_another_user_in_the_authors_folder(folder: Path, copy: Path) -> None:
    given_to_author(folder)
    secret(folder)
    assert refused(folder, copy) == (
        f"secret belongs to root, and user {AUTHOR}, in whose folder it lies, cannot read it: take "
        f"it out, or give it to user {AUTHOR} (chown)"
    )
    assert "secret belongs to root" in refused(folder / "secret", copy)
    (folder / "secret").chmod(0o644)
    assert copied(folder, copy.with_name("2"))["secret"] == SECRET


@needs_root
def test_a_private_folder_of_another_user_in_the_authors_folder(folder: Path, copy: Path) -> None:
    given_to_author(folder)
    (folder / "moved").mkdir(mode=0o700)
    (folder / "moved" / "open").write_text("readable, but for the folder")
    assert "moved belongs to root" in refused(folder, copy)
    assert "moved belongs to root" in refused(folder / "moved", copy)
    assert "moved belongs to root" in refused(folder / "moved" / "open", copy)
    (folder / "moved").chmod(0o755)
    assert "moved/open" in copied(folder, copy.with_name("2"))


@needs_root
def test_the_folder_of_an_author_below_that_of_another_user(folder: Path, copy: Path) -> None:
    """A place to which bots are uploaded belongs to the server, each bot to its author."""
    given_to_author(folder)
    for path in (folder, folder / "main.py"):
        path.chmod(0o700)
    os.chown(folder.parent, AUTHOR + 1, AUTHOR + 1)
    assert copied(folder, copy)


@needs_root
def test_a_link_of_an_author_on_the_way_to_what_that_author_cannot_read(
    folder: Path, copy: Path
) -> None:
    folder.chmod(0o700)
    given_to_author(folder)
    (folder.parent / "way").symlink_to("bot")
    assert copied(folder.parent / "way" / "lib", copy)
    os.lchown(folder.parent / "way", AUTHOR + 1, AUTHOR + 1)
    assert f"bot belongs to user {AUTHOR}, and" in refused(
        folder.parent / "way" / "lib", copy.with_name("2")
    )


@needs_root
def test_in_the_callers_own_folder_all_is_the_callers(folder: Path, copy: Path) -> None:
    secret(folder)
    os.chown(folder / "main.py", AUTHOR, AUTHOR)
    (folder / "main.py").chmod(0o600)
    assert "secret" in copied(folder, copy)
    given_to_author(folder / "lib")
    secret(folder / "lib")
    assert "secret belongs to root" in refused(folder, copy.with_name("2"))


@pytest.mark.parametrize(
    ("mode", "uid", "gid", "may"),
    [
        (0o600, 7, 0, True),
        (0o000, 7, 0, True),
        (0o640, 0, 8, True),
        (0o640, 0, 9, False),
        (0o604, 0, 9, True),
        (0o604, 0, 8, False),
        (0o600, 0, 8, False),
    ],
)
def test_what_an_author_may_read(mode: int, uid: int, gid: int, may: bool) -> None:
    status = os.stat_result((mode, 1, 1, 1, uid, gid, 0, 0, 0, 0))
    assert Author(7, frozenset({8})).may(4, status) is may
