"""Which of several sources is the bot."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.convention import main_of
from arena.bots.find import find_bot
from arena.errors import BotError

C_MAIN = "int main() {}\n"
MARK = {
    "js": "// __main__\n",
    "php": "<?php\n/* the\n * __main__ file */\n",
    "pl": "#!/usr/bin/perl\n# __main__\n",
    "pas": "{ __main__ }\n",
    "pp": "(* __main__ *)\n",
}


def laid(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("files", "main"),
    [
        ({"strategy.py": "", "README.md": ""}, "strategy.py"),
        ({"MyBot.py": "", "main.py": "", "bot.py": "", "other.java": ""}, "MyBot.py"),
        ({"my_bot.rb": "", "a.rb": ""}, "my_bot.rb"),
        ({"main.py": "", "bot.py": ""}, "main.py"),
        ({"Main.hs": "", "Board.hs": ""}, "Main.hs"),
        ({"src/main.rs": "", "build.rs": ""}, "src/main.rs"),
        ({"bot.js": "", "lib/bot.js": "", "node_modules/x/main.js": ""}, "bot.js"),
        ({"a.c": C_MAIN, "b.c": "int f() {}\n", "b.h": ""}, "a.c"),
        ({"a/Start.java": "class S { public static void main(String[] a) {} }",
          "a/Other.java": "class O {}"}, "a/Start.java"),
        ({"A.cs": "class A { static int Main(string[] a) {} }", "B.cs": ""}, "A.cs"),
        ({"test/test_x.py": "", "x.py": ""}, "x.py"),
        ({"x.txt": ""}, None),
    ],
)  # fmt: skip
def test_the_main_file(tmp_path: Path, files: dict[str, str], main: str | None) -> None:
    assert main_of(laid(tmp_path, files)) == main


@pytest.mark.parametrize("ending", MARK)
def test_the_mark_of_the_original_competition(ending: str, tmp_path: Path) -> None:
    """It comes before names."""
    files = {f"main.{ending}": "", f"start.{ending}": MARK[ending], f"x.{ending}": ""}
    assert main_of(laid(tmp_path, files)) == f"start.{ending}"


def test_the_mark_means_nothing_outside_of_comments_and_in_python(tmp_path: Path) -> None:
    files = {"a.js": "const x = '__main__';", "main.js": "", "b.py": "# __main__\n"}
    assert main_of(laid(tmp_path, files)) == "main.js"


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "", "b.py": ""},
        {"MyBot.java": "", "MyBot.py": ""},
        {"a.js": "// __main__", "b.js": "// __main__"},
        {"a.c": C_MAIN, "b.c": C_MAIN},
        {"a/main.py": "", "b/main.py": ""},
        {"one.py": "", "two.sh": ""},
    ],
)
def test_two_candidates_are_named_with_the_line_that_decides(
    tmp_path: Path, files: dict[str, str]
) -> None:
    first, second = files
    folder = laid(tmp_path / "strong", files)
    with pytest.raises(BotError) as caught:
        find_bot(str(folder))
    assert str(caught.value) == (
        f"strong has several sources that could be its main file ({first}, {second}): write a"
        f' bot.toml there that says which, as in: main = "{first}"'
    )


def test_a_folder_without_bot_toml_plays(tmp_path: Path) -> None:
    laid(tmp_path / "strong", {"main.py": "", "board.py": ""})
    assert find_bot(str(tmp_path / "strong")).argv[-1] == str(tmp_path / "strong" / "main.py")


def test_a_folder_of_bots_is_no_bot(tmp_path: Path) -> None:
    """Whatever lies beside them."""
    bots = {f"bot{number}/bot.toml": 'main = "a.py"\n' for number in range(9)}
    laid(tmp_path, {"bot.py": "", **bots, "bot0/a.py": "", "bot1/a.py": ""})
    with pytest.raises(BotError) as caught:
        find_bot(str(tmp_path))
    assert str(caught.value).endswith(
        "is no bot: it holds 9 of them, each in a folder with a bot.toml (bot0, bot1, bot2, bot3, "
        "bot4, bot5, bot6, bot7 and 1 more): name one of these folders, or write a bot.toml there"
    )
    (tmp_path / "bot.toml").write_text('main = "bot.py"\n')
    assert find_bot(str(tmp_path)).source == "bot.py"
