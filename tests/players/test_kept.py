"""What bots write beside themselves, kept on wish."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.staging import contents
from arena.core.limits import Limits
from arena.errors import DiskFull
from arena.match.play import play_match
from arena.match.report import PlayerReport
from arena.match.spec import MatchSpec
from arena.players import kept
from arena.players.entrant import programs
from arena.players.kept import keep, private_folder
from arena.players.terms import PlayerTerms, Terms
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.session import run_with
from arena.text import size_text
from tests.bots.builds import why_no_walls
from tests.bots.samples import write
from tests.sandbox.walls import ci_or_skip
from tests.support.deep import deep_folder
from tests.support.keepers import shared_keeper
from tests.support.live import HONEST, honest
from tests.support.tools import until_fair
from tests.tiny import TinySettings

MODES = [Level.OFF, Level.GUARD, Level.SANDBOX, SandboxMode.STRICT]


def play_kept(code: str, mode: Level | SandboxMode, place: Path) -> tuple[PlayerReport, Path]:
    """A match of a bot that begins with `code`; what is kept of it."""
    if why := why_no_walls(mode):
        ci_or_skip(why)
    write(place / "bot", {"bot.toml": 'main = "bot.py"', "bot.py": code + HONEST, "data": "here"})
    bot = find_bot(str(place / "bot"), sandbox=mode)
    spec = MatchSpec(
        "tiny",
        programs((bot, honest())),
        "1",
        TinySettings(),
        Terms(limits=Limits(disk=1 << 20), sandbox=mode),
        keep_files=place / "kept",
    )
    with shared_keeper(mode) as keeper:
        report = until_fair(lambda: run_with(keeper, lambda children: play_match(spec, children)))
    return report.players[0], place / "kept" / "player1"


def files_in(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if not path.is_dir() or path.is_symlink()
    }


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_what_a_bot_writes_is_kept_on_wish(
    mode: Level | SandboxMode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also beside a folder that only root can look into. (Another user would end the bot for that,
    at the first look at its files.)"""
    monkeypatch.setattr(kept, "TICK", 10**6)
    code = (
        "import os\nassert open('data').read() == 'here'\nopen('log', 'w').write('my log')\n"
        "os.makedirs('deep/er')\nopen('deep/er/log', 'w').write('more')\n"
        "os.symlink('/etc/shadow', 'loot')\nos.mkfifo('pipe')\nos.mkdir('shut', 0)\n"
    )
    player, folder = play_kept(code, mode, tmp_path)
    assert player.stopped is None, player.stderr
    assert files_in(folder)["log"] == "my log"
    assert set(files_in(folder)) - {"deep/er/log"} == {"log"}


@pytest.mark.parametrize("mode", [Level.OFF, SandboxMode.STRICT], ids=str)
def test_a_disk_is_not_filled(mode: Level | SandboxMode, tmp_path: Path) -> None:
    code = (
        "import time\nfor n in range(9): open(str(n), 'w').write('x' * (1 << 20))\ntime.sleep(20)\n"
    )
    player, folder = play_kept(code, mode, tmp_path)
    assert player.stopped == "output"
    assert "wrote more than 1 MiB of files" in player.first_faults["output"].detail
    assert sum(map(len, files_in(folder).values())) <= 1 << 20


# -- without a match -------------------------------------------------------------------------------


def test_of_a_folder_as_much_is_kept_as_a_bot_may_write(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "big").write_bytes(bytes(101))
    keep(tmp_path / "own", tmp_path / "kept", 100)
    assert files_in(tmp_path / "kept") == {}
    (tmp_path / "own" / "big").write_bytes(bytes(100))
    keep(tmp_path / "own", tmp_path / "kept", 100)
    assert list(files_in(tmp_path / "kept")) == ["big"]


def test_a_match_that_is_played_again_replaces_what_was_kept(tmp_path: Path) -> None:
    write(tmp_path, {"kept/old": "", "own/new": ""})
    keep(tmp_path / "own", tmp_path / "kept", 100)
    assert list(files_in(tmp_path / "kept")) == ["new"]


def test_so_many_files_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "KEPT_FILES", 3)
    write(tmp_path / "own", {str(number): "x" for number in range(9)})
    keep(tmp_path / "own", tmp_path / "kept", 100)
    assert len(files_in(tmp_path / "kept")) == 2  # and the folder itself


def test_empty_files_where_the_sandbox_shows_files_are_not_kept(tmp_path: Path) -> None:
    write(tmp_path, {"own/shown": "", "own/full": "x", "own/empty": ""})
    shown = [Path("/tmp/shown"), Path("/tmp/full")]
    keep(tmp_path / "own", tmp_path / "kept", 100, shown)
    assert files_in(tmp_path / "kept") == {"full": "x", "empty": ""}


def test_the_limits_of_a_folder_themselves_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "KEPT_FILES", 1)
    write(tmp_path, {str(number): "x" for number in range(10)})
    used = sum(status.st_blocks for _, status in contents(tmp_path)) * 512
    assert used > 0
    assert kept._problem_of(tmp_path, used) is None
    assert kept._problem_of(tmp_path, used - 1) == f"wrote more than {size_text(used - 1)} of files"
    (tmp_path / "empty").touch()
    assert kept._problem_of(tmp_path, used) == f"wrote more than {size_text(used)} of files"


def test_what_cannot_be_measured_is_named(tmp_path: Path) -> None:
    with deep_folder(tmp_path):
        found = kept._problem_of(tmp_path, 1 << 40)
    assert found is not None
    assert found.startswith("made files whose size cannot be determined: ")


@pytest.mark.dear
def test_a_deep_heap_is_kept_as_far_as_it_goes(tmp_path: Path) -> None:
    (tmp_path / "heap").mkdir()
    with deep_folder(tmp_path / "heap"):
        keep(tmp_path / "heap", tmp_path / "kept", 100)
    assert (tmp_path / "kept" / "folder-with-a-name" / "file").exists()


def test_a_private_folder_goes_with_its_place(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir(0o700)
    with private_folder(place, shared=True) as folder:
        assert folder.stat().st_mode & 0o777 == 0o777
        (folder / "file").touch()
    assert not place.exists()
    place.mkdir(0o700)
    with private_folder(place, shared=False) as folder:
        assert not folder.stat().st_mode & 0o022


def test_each_seat_has_a_folder_of_its_own() -> None:
    assert PlayerTerms(keep=Path("a")).of_seat(1).keep == Path("a/player2")
    assert PlayerTerms().of_seat(1).keep is None


def test_a_file_that_cannot_be_copied_is_left_out(tmp_path: Path) -> None:
    """Such as one whose name is too long at the place where it is kept."""
    (tmp_path / "own").mkdir()
    for name in ("a" * 250, "good"):
        (tmp_path / "own" / name).write_text("x")
    deep = tmp_path.joinpath(*["d" * 250] * 15)
    target = deep / ("e" * (4095 - len(str(deep)) - 30))
    keep(tmp_path / "own", target, 100)
    assert os.listdir(target) == ["good"]


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    write(tmp_path / "own", {"log": "x"})
    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(DiskFull, match=r"cannot keep files in .*kept: No space left on device"):
        keep(tmp_path / "own", tmp_path / "kept", 100)
