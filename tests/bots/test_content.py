"""The files of a bot: which are taken, and what is too much, said before anything is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots import content
from arena.bots.content import beside, everything, is_environment, measured
from arena.bots.find import find_bot
from arena.errors import BotError
from arena.sandbox.levels import Level, SandboxMode
from tests.bots.programs import sentence
from tests.bots.samples import PYTHON, write
from tests.support.deep import deep_folder

MODES: list[Level | SandboxMode] = [Level.OFF, SandboxMode.STRICT]


def sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


def refused(word: str, mode: Level | SandboxMode) -> str:
    """The error with which a bot is refused; nothing of it was read or copied."""

    def read(*_: object) -> bytes:
        raise AssertionError("it was read")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.bots.build._copy", read)
        patch.setattr("arena.bots.build._key", read)
        with pytest.raises(BotError) as caught:
            find_bot(word, sandbox=mode)
    return str(caught.value)


TOO_MUCH = (
    "{} has more than 512 MiB or 50000 files, too much for a build: leave out what the bot does not"
    " need"
)


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("name", ["bot.c", "Bot.java", "bot.wasm"])
def test_a_sparse_source_of_6_GB_is_not_read(
    name: str, mode: Level | SandboxMode, here: Path
) -> None:
    sparse(here / name, 6 << 30)
    assert refused(name, mode) == TOO_MUCH.format(name)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_sparse_file_of_3_GB_in_a_folder_is_not_copied(
    mode: Level | SandboxMode, folder: Path
) -> None:
    write(folder, {"bot.toml": 'main = "bot.c"', "bot.c": "int main() {}"})
    sparse(folder / "data", 3 << 30)
    assert refused("strong", mode) == TOO_MUCH.format("strong")


def test_files_are_counted_while_they_are_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "FILES", 10)
    write(folder, {f"d/{number}": "" for number in range(9)})
    assert len(everything(folder)) == 9  # and the folder
    write(folder, {"d/9": ""})
    with pytest.raises(BotError, match="too much for a build"):
        everything(folder)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_more_sources_than_a_command_can_have(mode: Level | SandboxMode, folder: Path) -> None:
    names = {f"{'x' * 100}{number}.c": "" for number in range(700)}
    write(folder, {"bot.toml": 'main = "bot.c"', "bot.c": "int main() {}", **names})
    assert refused("strong", mode) == (
        "cannot compile bot.c: 701 sources are too many for one command: write a build command for"
        " them (make, say) into bot.toml"
    )


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_thousand_links_to_files_are_enough(mode: Level | SandboxMode, folder: Path) -> None:
    write(folder, {"bot.toml": 'main = "bot.py"', "bot.py": PYTHON})
    for number in range(content.AT_TOP - 2):
        (folder / f"file{number}").touch()
    assert find_bot("strong", sandbox=mode)
    (folder / "one more").touch()
    assert sentence(BotError, "strong") == (
        "strong has more than 1000 files and folders at its top: move them into a folder of it"
    )


def test_a_build_that_leaves_thousands_of_files_at_the_top(folder: Path) -> None:
    command = "seq 1100 | xargs touch"
    write(folder, {"bot.toml": f"main = 'bot.py'\nbuild = ['sh', '-c', '{command}']"})
    (folder / "bot.py").write_text(PYTHON)
    assert "files has more than 1000 files and folders at its top" in sentence(BotError, "strong")


def test_folders_in_folders_without_end(folder: Path) -> None:
    write(folder, {"bot.toml": 'main = "bot.c"', "bot.c": "int main() {}"})
    with deep_folder(folder):
        assert "has folders nested deeper than 100" in sentence(BotError, "strong")


@pytest.mark.tool
def test_names_that_are_no_text(here: Path) -> None:
    """The word goes into records and reports, which are UTF-8."""
    name = os.fsdecode(b"b\xffd.py")
    (here / name).write_text(PYTHON)
    bot = find_bot(name)
    assert bot.command == "b\\xffd.py"
    assert bot.name.encode() == b"b?d"
    assert bot.argv[1] == str(here / name)


# -- which -----------------------------------------------------------------------------------------


def test_what_is_beside_a_source(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"bot.c": "words.h other.h gone.h", "words.h": "#include <more.h>", "more.h": "bot"}
    write(here, texts | {"unrelated.h": "", "words.txt": "", "shut.h": "", "two-parts.h": ""})
    (here / "bot.c").write_text(texts["bot.c"] + " shut.h two-parts.h")
    (here / "other.h").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "shut.h")
    assert sorted(beside(here / "bot.c", (".h",))) == [
        "bot.c",
        "more.h",
        "two-parts.h",
        "words.h",
    ]


def test_only_the_beginning_of_a_source_is_looked_at(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "SCANNED", 10)
    write(here, {"bot.c": "near " + " " * 10 + "far", "near.h": "", "far.h": ""})
    assert sorted(beside(here / "bot.c", (".h",))) == ["bot.c", "near.h"]


def test_sources_together_are_looked_at_to_a_limit(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "SCANNED_TOGETHER", 1)
    write(here, {"bot.c": "a", "a.h": "b", "b.h": ""})
    assert sorted(beside(here / "bot.c", (".h",))) == ["a.h", "bot.c"]


def test_a_virtual_environment_is_no_content(folder: Path) -> None:
    write(folder, {"bot.py": "", ".venv/pyvenv.cfg": "", ".venv/bin/tool": ""})
    (folder / ".venv" / "lib64").symlink_to("lib")
    assert is_environment(folder / ".venv")
    assert not is_environment(folder)
    assert list(everything(folder)) == ["bot.py"]


def test_files_to_the_limit(here: Path) -> None:
    sparse(here / "file", content.SIZE)
    files = {"file": here / "file"}
    assert measured("bot", files) is files
    sparse(here / "file", content.SIZE + 1)
    with pytest.raises(BotError, match="bot has more than 512 MiB"):
        measured("bot", files)
