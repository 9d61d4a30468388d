"""A league by other names of its file, and without its folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import LeagueError, UsageError
from arena.league.league import Folder, League
from arena.league.lock import judging
from tests.league.making import begin


@pytest.fixture
def links(tmp_path: Path) -> list[Path]:
    """A league, and names that lead to it: a link, a link to that link, a link with another name, a
    file in a linked folder."""
    (tmp_path / "real").mkdir()
    (tmp_path / "links").mkdir()
    file = tmp_path / "real" / "cup.league"
    begin(file).__exit__(None, None, None)
    (tmp_path / "links" / "cup.league").symlink_to("../real/cup.league")
    (tmp_path / "links" / "second.league").symlink_to("cup.league")
    (tmp_path / "other.league").symlink_to(file)
    (tmp_path / "folder").symlink_to("real")
    names = ("real/cup", "links/cup", "links/second", "other", "folder/cup")
    return [tmp_path / f"{name}.league" for name in names]


def test_each_name_leads_to_the_same_folder(links: list[Path], tmp_path: Path) -> None:
    for path in links:
        with League(path) as league:
            assert league.folder.path.samefile(tmp_path / "real" / "cup.league.d")
        assert Folder(path).path.samefile(tmp_path / "real" / "cup.league.d")
    assert [path.parent.name for path in tmp_path.rglob("*.league.d")] == ["real"]


def test_there_is_one_judge_whatever_the_name(links: list[Path]) -> None:
    code = (
        "import sys; from pathlib import Path; from arena.league.league import Folder; "
        "from arena.league.lock import has_judge; "
        "print([has_judge(Folder(Path(name)).path) for name in sys.argv[1:]])"
    )
    for path in links[:2]:
        with judging(path, Folder(path).path):  # whose own process does not see its lock
            said = subprocess.run(
                [sys.executable, "-c", code, *links], check=True, capture_output=True, text=True
            ).stdout
            assert said == f"{[True] * len(links)}\n"


def test_a_league_without_its_folder_says_so(links: list[Path], tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere.league"
    shutil.copy(links[0], moved)
    hard = tmp_path / "hard.league"
    hard.hardlink_to(links[0])
    for path in (moved, hard):
        with pytest.raises(LeagueError) as caught:
            League(path)
        assert str(caught.value) == (
            f"{path} is without its folder {path.name}.d, which has its bots and records: put it "
            "beside the file"
        )
        assert not path.with_name(f"{path.name}.d").exists()


def test_parts_of_the_folder_that_are_gone_are_made_again(links: list[Path]) -> None:
    shutil.rmtree(Folder(links[0]).path / "drafts")
    with League(links[1]) as league:
        assert (league.folder.path / "drafts").is_dir()


def test_a_link_to_nothing_is_no_league(tmp_path: Path) -> None:
    (tmp_path / "cup.league").symlink_to("gone")
    with pytest.raises(UsageError, match="there is no league"):
        League(tmp_path / "cup.league")
