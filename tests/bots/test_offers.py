"""The bot.toml that is offered for what lies there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.offers import LANGUAGES, for_file, for_folder
from arena.errors import BotError, UsageError


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (["main.hs", "Board.hs"], {"build": "ghc -O2 -o bot main.hs", "run": "./bot"}),
        (["Bot.kt"], {"build": "kotlinc Bot.kt -include-runtime -d bot.jar",
                      "run": "java -jar bot.jar"}),
        (["board.py", "bot.py"], {"main": "bot.py"}),
        (["Cargo.toml", "a.rs"], {"build": "cargo build --release --offline",
                                  "run": "./target/release/strong"}),
        (["Makefile", "x.c"], {"build": "make", "run": "./bot"}),
        (["README"], {"main": "Bot.java"}),
    ],
)  # fmt: skip
def test_H3_a_folder_is_offered_what_suits_its_files(
    tmp_path: Path, files: list[str], said: dict[str, str]
) -> None:
    folder = tmp_path / "strong"
    folder.mkdir()
    for name in files:
        (folder / name).touch()
    assert tomllib.loads(for_folder(folder)) == {"name": "strong", **said}
    with pytest.raises(BotError, match=r"has no bot\.toml: write one there, such as"):
        find_bot(str(folder))


@pytest.mark.parametrize("ending", [".cs", ".hs", ".kt", ".ts"])
def test_H3_a_file_of_another_language_is_offered_a_folder(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"My Bot{ending}"
    path.touch()
    with pytest.raises(UsageError) as caught:
        find_bot(str(path))
    sentence, _, toml = str(caught.value).partition("\n")
    assert sentence.startswith(f"My Bot{ending} needs a folder with a bot.toml: put it into one")
    assert tomllib.loads(toml)["run"]


def test_H3_every_recipe_is_a_bot_toml() -> None:
    for endings in LANGUAGES:
        offer = for_file(Path(f"/a/bot{endings[0]}"))
        assert offer is not None
        assert tomllib.loads(offer.partition("\n")[2])["name"] == "bot"


def test_H3_an_archive_is_to_be_unpacked(tmp_path: Path) -> None:
    (tmp_path / "b.zip").touch()
    with pytest.raises(UsageError, match=r"^b\.zip is an archive: unpack it, and name the folder$"):
        find_bot(str(tmp_path / "b.zip"))
