"""Starter kits: all of a game are the same bot, written in several languages."""

from __future__ import annotations

from pathlib import Path

import pytest

import arena
from arena.api.games import folder_name, kits, new_bot
from arena.api.play import PlayedMatch
from arena.bots.languages import LANGUAGES
from arena.core.registry import find_game
from arena.errors import UsageError
from tests.support.tools import needs_tool

GAMES = ("warlight", "toroid", "hextrategic", "tncc", "codecharacter")
TOOLS = {
    "cpp": ("g++", "g++"),
    "go": ("go", "golang-go"),
    "java": ("javac", "default-jdk-headless"),
    "javascript": ("node", "nodejs"),
    "python": ("python3", "python3"),
    "rust": ("rustc", "rustc"),
}
"""By kit: the program that it needs, and the Debian package that has it."""
SHORT = {"codecharacter": {"num_turns": 60}}
LONGEST = 200
"""Lines of a file: a kit is to be read."""


def match_of(game: str, language: str, folder: Path) -> PlayedMatch:
    """Play the kit in `language` against the one in Python, in new folders below `folder`."""
    bots = []
    for name, kit in (("first", language), ("second", "python")):  # their names are in the record
        new_bot(game, kit, folder / language / name)
        bots.append(folder / language / name)
    settings = {"timebank": 60_000, **SHORT.get(game, {})}
    return arena.play(game, bots, seed=3, settings=settings, sandbox="off")


@pytest.mark.parametrize("game", GAMES)
def test_a_kit_for_each_language(game: str) -> None:
    found = kits(find_game(game))
    assert found.keys() == TOOLS.keys()
    assert found.keys() <= {folder_name(one.name) for one in LANGUAGES}
    for kit in found.values():
        for file in kit.iterdir():
            if file.is_file():
                assert len(file.read_text("utf-8").splitlines()) <= LONGEST, file


@pytest.mark.dear_for("hextrategic", "warlight", "codecharacter")
@pytest.mark.parametrize("game", GAMES)
def test_it_plays_a_whole_match_without_a_fault(game: str, tmp_path: Path) -> None:
    report = match_of(game, "python", tmp_path).report
    assert all(not player.faults for player in report.players)
    assert report.rounds > 5


@pytest.mark.dear
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", sorted(TOOLS.keys() - {"python"}))
def test_it_plays_the_match_of_the_kit_in_python(game: str, language: str, tmp_path: Path) -> None:
    needs_tool(*TOOLS[language])
    report = match_of(game, language, tmp_path).report
    assert all(not player.faults for player in report.players)
    assert report.digest == match_of(game, "python", tmp_path / "of python").report.digest


def test_a_language_by_its_name_or_an_ending(tmp_path: Path) -> None:
    for i, name in enumerate(("C++", ".cpp", "cc")):
        main, *others = new_bot("warlight", name, tmp_path / str(i))
        assert main.name == "bot.cpp"
        assert {file.name for file in others} == {"warlight.hpp", "bot.toml", "README.md"}


def test_the_papers_name_the_folder(tmp_path: Path) -> None:
    main, *_ = new_bot("tncc", "java", tmp_path / 'a "quoted" name')
    assert main.name == "MyBot.java"
    toml = (main.parent / "bot.toml").read_text("utf-8")
    assert toml == 'name = "a \\"quoted\\" name"\nmain = "MyBot.java"\n'
    readme = (main.parent / "README.md").read_text("utf-8")
    assert "arena check tncc" in readme
    assert len(readme.splitlines()) <= 10


def test_what_there_is_no_kit_for(tmp_path: Path) -> None:
    offered = "cpp, go, java, javascript, python, rust"
    says = rf"no kit for tncc in 'ruby', only in {offered}: .* a copy of sample_bots/tncc"
    with pytest.raises(UsageError, match=says):
        new_bot("tncc", "ruby", tmp_path / "bot")
    with pytest.raises(UsageError, match="there is no game 'tnc'"):
        new_bot("tnc", "rust", tmp_path / "bot")
    assert not (tmp_path / "bot").exists()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        new_bot("tncc", "python", tmp_path)
    assert (tmp_path / "bot.py").read_text() == "mine"
    (tmp_path / "bot.py").unlink()
    assert new_bot("tncc", "python", tmp_path)[0].is_file()
