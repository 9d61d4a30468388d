"""The bot.toml that is offered for what lies there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.suggestions import SUGGESTIONS, for_file, for_folder
from arena.errors import BotError, UsageError


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (["main.zig", "Board.zig"], {"build": "zig build-exe -O ReleaseFast --name bot main.zig",
                                     "run": "./bot"}),
        (["Bot.jl"], {"run": "julia Bot.jl"}),
        (["Cargo.toml", "a.rlib"], {"build": "cargo build --release --offline",
                                    "run": "./target/release/strong"}),
        (["Makefile", "x.asm"], {"build": "make", "run": "./bot"}),
        (["README"], {"main": "Bot.java"}),
    ],
)  # fmt: skip
def test_a_folder_is_offered_what_suits_its_files(
    tmp_path: Path, files: list[str], said: dict[str, str]
) -> None:
    folder = tmp_path / "strong"
    folder.mkdir()
    for name in files:
        (folder / name).touch()
    assert tomllib.loads(for_folder(folder)) == {"name": "strong", **said}
    with pytest.raises(BotError, match=r"write a bot\.toml there, such as"):
        find_bot(str(folder))


@pytest.mark.parametrize("ending", [".zig", ".swift", ".dart", ".jl"])
def test_a_file_of_another_language_is_offered_a_folder(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"My Bot{ending}"
    path.touch()
    with pytest.raises(UsageError) as caught:
        find_bot(str(path))
    sentence, _, toml = str(caught.value).partition("\n")
    assert sentence.startswith(
        f"My Bot{ending} needs a folder with a bot.toml: put it into a folder"
    )
    assert tomllib.loads(toml)["run"]


def test_every_recipe_is_a_bot_toml() -> None:
    for endings in SUGGESTIONS:
        offer = for_file(Path(f"/a/bot{endings[0]}"))
        assert offer is not None
        assert tomllib.loads(offer.partition("\n")[2])["name"] == "bot"


@pytest.mark.parametrize("name", ["b.zip", "b.7z"])
def test_what_is_no_archive_that_is_known_here(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(
        UsageError, match=r"^b\.\w+ is not an archive that this machine can unpack: pack"
    ):
        find_bot(str(tmp_path / name))
