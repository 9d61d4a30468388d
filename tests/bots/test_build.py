"""The cache: what is built once, what again, and what remains when a build goes wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from arena.bots import build
from arena.bots import cache as cache_module
from arena.bots.cache import UNUSED_DAYS
from arena.bots.find import find_bot
from arena.bots.intake import take_in
from arena.bots.program import BuildOptions
from arena.errors import BotError
from arena.sandbox.levels import Level, SandboxMode
from tests.bots.builds import (
    COPY,
    GOOD,
    ROOT,
    SCRIPT,
    FakeCompiler,
    built,
    entries,
    laid_out,
    said,
)
from tests.bots.swapping import given_to_author, secret


def test_the_second_time_nothing_is_compiled(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    calls = fake_gcc(COPY)
    first, second = find_bot("bot.c"), find_bot(str(source))
    assert first.argv == second.argv
    assert calls.read_text() == "-std=gnu17 -O2 -pthread -I. -o ../out/bot bot.c -lm\n"
    assert said(*first.argv) == "hello\n"
    assert len(entries(cache)) == 1


def test_what_is_built_is_found_without_trio(source: Path, fake_gcc: FakeCompiler) -> None:
    """Importing it takes a tenth of a second."""
    fake_gcc(COPY)
    find_bot("bot.c")
    script = (
        "import sys; from arena.bots.find import find_bot; find_bot('bot.c', sandbox='strict');"
        "print('arena.bots.build' in sys.modules, 'trio' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "True False\n"


def test_o16_an_edit_is_compiled_and_changes_nothing_built_before(
    source: Path, fake_gcc: FakeCompiler
) -> None:
    calls = fake_gcc(COPY)
    before = find_bot("bot.c")
    source.write_text(SCRIPT.replace("hello", "better"))
    after = find_bot("bot.c")
    assert [said(*before.argv), said(*after.argv)] == ["hello\n", "better\n"]
    source.write_text(SCRIPT)
    assert find_bot("bot.c").argv == before.argv
    assert len(calls.read_text().splitlines()) == 2


def test_another_compiler_compiles_again(source: Path, fake_gcc: FakeCompiler) -> None:
    fake_gcc(COPY)
    before = find_bot("bot.c")
    fake_gcc(f"# newer\n{COPY}")
    assert find_bot("bot.c").argv != before.argv


def test_a_cache_may_be_given(source: Path, tmp_path: Path, fake_gcc: FakeCompiler) -> None:
    fake_gcc(COPY)
    bot = find_bot("bot.c", cache=tmp_path / "other" / "place")
    assert bot.argv[0].startswith(str(tmp_path / "other" / "place"))


def test_of_two_arenas_that_need_the_same_build_one_waits_for_the_other(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    calls = fake_gcc(f"sleep 0.3; {COPY}")
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(find_bot, ["bot.c", "bot.c"])
    assert first.argv == second.argv
    assert said(*first.argv) == "hello\n"
    assert len(calls.read_text().splitlines()) == 1
    assert len(entries(cache)) == 1


def test_without_locks_two_arenas_may_build_the_same_bot_at_once(
    source: Path, cache: Path, fake_gcc: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(file: int, how: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", flock)
    # Each compiler waits until the other has started as well.
    calls = fake_gcc(
        f'while [ $(wc -l < "$(dirname "$0")/../calls") -lt 2 ]; do sleep 0.01; done; {COPY}'
    )
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(find_bot, ["bot.c", "bot.c"])
    assert first.argv == second.argv
    assert said(*first.argv) == "hello\n"
    assert len(calls.read_text().splitlines()) == 2
    assert len(entries(cache)) == 1


def test_whoever_waits_for_a_build_that_fails_builds_itself(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    calls = fake_gcc(f'sleep 0.3; [ $(wc -l < "$(dirname "$0")/../calls") = 2 ] && {COPY}')

    def outcome(bot: str) -> str:
        try:
            return said(*find_bot(bot).argv)
        except BotError:
            return "failed"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(outcome, ["bot.c", "bot.c"])) == ["failed", "hello\n"]
    assert len(calls.read_text().splitlines()) == 2
    assert len(entries(cache)) == 1


def test_a_new_version_and_an_old_one_share_what_is_the_same(
    folder: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    """A version is another folder: a name or a place are no part of what is built."""
    calls = fake_gcc(COPY)
    for version in ("v1", "v2", "v3"):
        place = folder / version / "bot"
        place.mkdir(parents=True)
        (place / "bot.c").write_text(SCRIPT if version != "v2" else SCRIPT + "# v2")
        find_bot(str(place))
    assert len(calls.read_text().splitlines()) == len(entries(cache)) == 2


# -- what is removed -------------------------------------------------------------------------------


def used(cache: Path, *days: float) -> list[str]:
    """Entries that were last used so many days ago. Returns their names."""
    names = [f"{number}" for number in range(len(days))]
    for name, ago in zip(names, days, strict=True):
        (cache / "bots" / name).mkdir(parents=True)
        (cache / "bots" / name / "seal").write_text("x" * 5000)
        os.utime(cache / "bots" / name / "seal", (time.time() - ago * 86400,) * 2)
    return names


def test_what_nobody_has_used_for_long_is_removed(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    fake_gcc(COPY)
    old, young = used(cache, UNUSED_DAYS + 1, UNUSED_DAYS - 1)
    find_bot("bot.c")
    assert young in entries(cache)
    assert old not in entries(cache)
    assert len(entries(cache)) == 2


def test_of_too_much_the_oldest_is_removed_but_nothing_of_these_days(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = used(cache, 5, 4, 3, 1.5, 0)
    size = cache_module._size(cache / "bots" / "0")
    monkeypatch.setattr(cache_module, "CACHE_SIZE", 4 * size)
    build._clear(cache / "bots", time.time())
    assert entries(cache) == names[1:]
    monkeypatch.setattr(cache_module, "CACHE_SIZE", 0)
    build._clear(cache / "bots", time.time())
    assert entries(cache) == names[1:]  # it has just been cleared
    (cache / "bots-cleared").unlink()
    build._clear(cache / "bots", time.time())
    assert entries(cache) == names[3:]


def test_a_bot_that_is_found_counts_as_used(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    calls = fake_gcc(COPY)
    find_bot("bot.c")
    (name,) = entries(cache)
    os.utime(cache / "bots" / name / "seal", (0, 0))
    find_bot("bot.c")
    build._clear(cache / "bots", time.time() + 86400)
    assert entries(cache) == [name]
    assert len(calls.read_text().splitlines()) == 1


def test_a_file_edited_while_it_is_copied_gets_its_own_entry(
    source: Path, fake_gcc: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gcc(COPY)
    sweep = build._sweep

    def edit(bots: Path, now: float) -> None:
        sweep(bots, now)
        source.write_text(SCRIPT.replace("hello", "edited"))

    monkeypatch.setattr(build, "_sweep", edit)
    edited = find_bot("bot.c")
    monkeypatch.setattr(build, "_sweep", sweep)
    source.write_text(SCRIPT)
    original = find_bot("bot.c")
    assert [said(*edited.argv), said(*original.argv)] == ["edited\n", "hello\n"]


def test_a_compiler_that_writes_nothing(source: Path, cache: Path, fake_gcc: FakeCompiler) -> None:
    fake_gcc("exit 0")
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    (entry,) = entries(cache)
    text = f"its compiler wrote no program: remove {cache}/bots/{entry} and try again"
    assert str(caught.value) == f"cannot start bot.c: {text}"


def test_o20_a_cache_mounted_noexec(
    source: Path, cache: Path, fake_gcc: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gcc("cp bot.c ../out/bot")
    monkeypatch.setattr("arena.bots.source.mounted_noexec", lambda path: True)
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    text = f"the cache {cache} is mounted noexec: set ARENA_CACHE to a folder elsewhere"
    assert str(caught.value) == f"cannot start bot.c: {text}"


def test_leftovers_of_killed_builds_are_swept_but_young_ones_are_not(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    fake_gcc(COPY)
    for name, days in (("new-old", 3), ("new-young", 0), ("precious", 3)):
        folder = cache / "bots" / name
        folder.mkdir(parents=True)
        then = time.time() - days * 24 * 3600
        os.utime(folder, (then, then))
    find_bot("bot.c")
    names = entries(cache)
    assert names[1:] == ["new-young", "precious"]
    assert len(names[0]) == 64


def test_a_full_or_forbidden_disk_is_said(source: Path, cache: Path) -> None:
    cache.mkdir()
    (cache / "bots").write_text("in the way")
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    assert str(caught.value).startswith(f"cannot compile bot.c: {cache}/bots")
    assert str(caught.value).endswith("check its permissions and free space")


def test_what_was_built_is_not_built_again(tmp_path: Path, walls: Level | SandboxMode) -> None:
    first = built(tmp_path, GOOD)
    assert built(tmp_path, GOOD, walls).argv == first.argv
    # and the other way round
    again = built(tmp_path, GOOD + "# again", walls)
    assert built(tmp_path, GOOD + "# again").argv == again.argv


# -- what is built again ---------------------------------------------------------------------------


def made(folder: Path, cache: Path, command: str = "true") -> Path:
    """The entry that a shell command makes of a folder."""
    files = {path.name: path for path in folder.iterdir()}
    return build.build("test", files, [("/bin/sh", "-c", command)], BuildOptions(cache))


def test_other_commands_build_again(here: Path, cache: Path) -> None:
    (here / "file").touch()
    first = made(here, cache, "echo 1 > ../out/number")
    second = made(here, cache, "echo 2 > ../out/number")
    assert [(entry / "out" / "number").read_text() for entry in (first, second)] == ["1\n", "2\n"]


@pytest.mark.parametrize("change", ["name", "content", "mode", "another"])
def test_other_files_build_again(change: str, here: Path, cache: Path) -> None:
    (here / "file").write_text("one")
    before = made(here, cache)
    match change:
        case "name":
            (here / "file").rename(here / "elif")
        case "content":
            (here / "file").write_text("two")
        case "mode":
            (here / "file").chmod(0o755)
        case "another":
            (here / "more").touch()
    after = made(here, cache)
    assert after != before
    assert sorted(os.listdir(after / "files")) == sorted(os.listdir(here))


def test_dates_and_places_do_not_build_again(here: Path, tmp_path: Path, cache: Path) -> None:
    (here / "file").write_text("one")
    (here / "file").chmod(0o644)
    before = made(here, cache)
    os.utime(here / "file", (1, 1))
    (here / "file").chmod(0o600)
    shutil.copytree(here, tmp_path / "there")
    assert made(here, cache) == made(tmp_path / "there", cache) == before


def test_copies_keep_their_dates(here: Path, cache: Path) -> None:
    """`make` goes by them."""
    (here / "file").touch()
    os.utime(here / "file", (1_000_000_000, 1_000_000_000))
    assert (made(here, cache) / "files" / "file").stat().st_mtime == 1_000_000_000


def test_a_compiler_of_another_date_builds_again(source: Path, fake_gcc: FakeCompiler) -> None:
    fake_gcc(COPY)
    compiler = shutil.which("gcc")
    assert compiler is not None
    os.utime(compiler, (1, 1))
    before = find_bot("bot.c")
    assert find_bot("bot.c") == before
    os.utime(compiler, (2, 2))
    assert find_bot("bot.c") != before


def test_a_link_to_another_compiler_builds_again(
    source: Path, tmp_path: Path, fake_gcc: FakeCompiler
) -> None:
    fake_gcc(COPY)
    link = Path(shutil.which("gcc") or "")
    found = []
    for name in ("gcc-12", "gcc-13"):
        compiler = tmp_path / name
        shutil.copy(link, compiler)
        os.utime(compiler, (1, 1))
        link.unlink()
        link.symlink_to(compiler)
        found.append(find_bot("bot.c"))
    assert found[0] != found[1]


def test_a_copy_can_be_read_by_the_user_as_which_it_runs(
    here: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    """Also what only its author can read, or, where the author is root, nobody else."""
    fake_gcc(COPY)
    folder = here / "strong"
    folder.mkdir()
    (folder / "bot.c").write_text("#!/bin/sh\n")
    (folder / "data.txt").touch(0o600)
    found = find_bot(str(folder))
    assert found.files is not None
    assert (found.files / "data.txt").stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(os.getuid() != 0, reason="only root can read what others may not")
def test_a_file_that_becomes_a_link_meanwhile_is_in_no_build(
    here: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its author exchanges it when it was looked at, before it is copied."""
    folder = laid_out(here / "bot", ["cp", "loot", "bot"], loot="mine")
    hidden = secret(here)
    given_to_author(folder)
    key = build._key

    def exchanged(*given: Any) -> str:
        found = key(*given)
        (folder / "loot").unlink()
        (folder / "loot").symlink_to(hidden)
        return found

    monkeypatch.setattr(build, "_key", exchanged)
    with pytest.raises(BotError, match="cannot build bot: loot is a link out of its folder"):
        find_bot(str(folder), sandbox=Level.GUARD)
    assert not list(cache.rglob("loot"))


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_was_handed_in_is_built_for_a_league_and_for_the_author_alike(
    kind: str, here: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    """Files of editors and version control are no part of either."""
    calls = fake_gcc(COPY)
    (bot := here / "bot").mkdir()
    (bot / "bot.c").write_text(SCRIPT)
    if kind == "folder":
        (bot / "words.h").touch()
    for name in (".gitignore", ".vscode/settings.json", ".git/HEAD"):
        (bot / name).parent.mkdir(exist_ok=True)
        (bot / name).touch()
    kept = take_in(bot, cache / "kept")
    assert find_bot(str(kept.folder)).argv == find_bot(str(bot)).argv
    assert len(calls.read_text().splitlines()) == 1
