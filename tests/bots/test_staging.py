"""The staged folder: what a build behind walls may leave in it, and what becomes of it."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.staging import (
    DEPTH,
    Staged,
    StagingError,
    contents,
    hand_over,
    seal,
)
from arena.errors import BotError
from arena.sandbox.levels import Level, SandboxMode
from tests.bots.builds import (
    GOOD,
    built,
    hello,
    laid_out,
    needs_linux,
    python,
    refused,
)

pytestmark = [needs_linux, pytest.mark.usefixtures("own_place")]


@pytest.mark.parametrize(
    ("script", "left"),
    [
        ("ln -s /etc/shadow bot", "bot, a link that leads out of its folder"),
        ("ln -s /no/such/file bot", "bot, a link that leads out of its folder"),
        ("ln -s ../../../.. up", "up, a link that leads out of its folder"),
        (f"{GOOD}mkfifo pipe", "pipe, which is not an ordinary file"),
        (
            f"{GOOD}i=0; while [ $i -lt {DEPTH + 20} ]; do mkdir d; cd d; i=$((i+1)); done",
            "",
        ),
    ],
)
def test_A12_what_is_no_file(
    script: str, left: str, tmp_path: Path, walls: Level | SandboxMode
) -> None:
    error = refused(tmp_path, script, walls)
    if left:
        assert str(error) == f"cannot build bot: it leaves {left}"
    else:
        assert f"folders nested deeper than {DEPTH}" in str(error)


def test_A12_links_in_its_folder_and_modes_are_its_own(
    tmp_path: Path, walls: Level | SandboxMode
) -> None:
    script = f"{GOOD}chmod 4777 bot; mv bot real; ln -s real bot; ln -s /usr/bin/env env"
    bot = built(tmp_path, script, walls)
    assert hello(bot)
    status = os.stat(bot.argv[0])
    assert stat.S_IMODE(status.st_mode) == 0o755


@pytest.mark.dear
def test_a_deep_and_shut_heap_is_removed(tmp_path: Path, walls: Level | SandboxMode) -> None:
    """Deeper than recursion and the longest path of the kernel reach."""
    code = (
        "import os\nfor _ in range(2100): os.mkdir('d'); os.chdir('d')\n"
        "os.mkdir('shut'); os.chmod('shut', 0)"
    )
    assert "folders nested deeper" in str(
        refused(tmp_path, python(code).replace("\\n", "\n"), walls)
    )


def test_a_link_out_of_the_folder_is_not_copied(tmp_path: Path, walls: Level | SandboxMode) -> None:
    (tmp_path / "secret").write_text("the seed of the final")
    folder = laid_out(tmp_path / "bot", ["sh", "-c", GOOD])
    (folder / "loot").symlink_to(tmp_path / "secret")
    assert find_bot(str(folder))  # a link in one's own bot is allowed
    with pytest.raises(BotError) as caught:
        find_bot(str(folder), sandbox=walls)
    text = "cannot build bot: loot is a link out of its folder: copy the file in"
    assert str(caught.value) == text


# -- without a build -------------------------------------------------------------------------------


def test_the_folders_of_a_build(tmp_path: Path) -> None:
    staged = Staged(tmp_path / "cache" / "bots" / "new-1")
    assert staged.cache == tmp_path / "cache"
    assert (staged.files, staged.out) == (staged.entry / "files", staged.entry / "out")
    assert staged.home.parent == staged.entry.parent == staged.place


def names(folder: Path) -> list[str]:
    return sorted(path.name for path, _ in contents(folder))


def test_contents_follow_no_link(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "loot").touch()
    folder = tmp_path / "entry"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "link").symlink_to(tmp_path / "secret")
    assert names(folder) == ["entry", "inner", "link"]


def test_contents_come_after_their_folder(tmp_path: Path) -> None:
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    found = [path for path, _ in contents(tmp_path)]
    assert found == [tmp_path, tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c"]


def test_contents_may_vanish_meanwhile(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "inner").mkdir(parents=True)
    seen = []
    for path, _ in contents(tmp_path):
        seen.append(path.name)
        for name in ("a", "b"):
            if path.name in ("a", "b") and (tmp_path / name).exists():
                shutil.rmtree(tmp_path / name)
    assert set(seen) <= {tmp_path.name, "a", "b"}


def test_as_deep_as_allowed_and_deeper(tmp_path: Path) -> None:
    deepest = tmp_path.joinpath(*["d"] * DEPTH)
    deepest.mkdir(parents=True)
    assert len(names(tmp_path)) == DEPTH + 1
    (deepest / "d").mkdir()
    with pytest.raises(StagingError, match=f"folders nested deeper than {DEPTH}"):
        names(tmp_path)


def test_a_path_that_is_too_long(tmp_path: Path) -> None:
    """A folder that can be listed may hold what cannot be looked at by its path."""
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(18):
        os.mkdir("d" * 240, dir_fd=here)
        inner = os.open("d" * 240, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    with pytest.raises(StagingError, match=r"that cannot be read \(File name too long\)"):
        names(tmp_path)


def test_a_folder_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def shut(place: str) -> list[os.DirEntry[str]]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", shut)
    with pytest.raises(StagingError, match=r"a folder that cannot be read \(Permission denied\)"):
        names(tmp_path)


def test_handed_over_and_sealed_again(tmp_path: Path) -> None:
    (tmp_path / "tool").touch(mode=0o744)
    (tmp_path / "text").touch(mode=0o600)
    (tmp_path / "folder").mkdir(mode=0o700)

    def modes() -> list[int]:
        paths = (tmp_path, *(tmp_path / name for name in ("tool", "text", "folder")))
        return [stat.S_IMODE(path.stat().st_mode) for path in paths]

    hand_over(tmp_path)
    assert modes() == [0o777, 0o777, 0o666, 0o777]
    (tmp_path / "tool").chmod(0o6777)
    seal(tmp_path)
    assert modes() == [0o755, 0o755, 0o644, 0o755]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_what_is_sealed_belongs_to_the_caller(tmp_path: Path) -> None:
    (tmp_path / "bot").touch()
    os.chown(tmp_path / "bot", 12345, 12345)
    seal(tmp_path)
    status = (tmp_path / "bot").stat()
    assert (status.st_uid, status.st_gid) == (0, os.getegid())


@pytest.mark.parametrize(
    ("target", "allowed"),
    [
        ("file", True),
        ("/usr/bin/env", True),
        ("/bin/sh", True),
        (".", False),
        ("..", False),
        ("../entry-2/file", False),
        ("/etc/hostname", False),
        ("/usr/../etc/hostname", False),
    ],
)
def test_where_links_may_lead(target: str, allowed: bool, tmp_path: Path) -> None:
    for name in ("entry", "entry-2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    (tmp_path / "entry" / "link").symlink_to(target)
    if allowed:
        seal(tmp_path / "entry")
    else:
        with pytest.raises(StagingError, match="link, a link that leads out of its folder"):
            seal(tmp_path / "entry")
