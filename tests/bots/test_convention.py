"""Which of several sources is the bot."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.convention import Main, main_of
from arena.bots.find import find_bot
from arena.errors import BotError
from tests.support.tools import every

MAIN = "public static void main(String[] a) {} "
JAVA_MAIN = "class Main { " + MAIN + "}\n"
GUARD = "if __name__ == '__main__':\n    pass\n"
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


@every("files, main",
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
        # A name counts only where a main function is.
        ({"bot/Bot.java": "interface Bot {}", "bot/BotStarter.java": JAVA_MAIN},
          "bot/BotStarter.java"),
        ({"Bot.java": "// static void main(\n", "Start.java": JAVA_MAIN}, "Start.java"),
        ({"Bot.cs": "class Bot {}", "Program.cs": "class P { static void Main() {} }"},
          "Program.cs"),
        ({"bot.c": "int f() {}\n", "start.c": C_MAIN}, "start.c"),
        ({"bot.go": "package main\n", "start.go": "package main\nfunc main() {}\n"}, "start.go"),
        ({"bot.py": "class Bot: pass\n", "run.py": "import bot\n"}, "run.py"),
        ({"bot.js": "", "go.js": "const bot = require('./bot')"}, "go.js"),
        ({"bot.rb": "", "go.rb": "require_relative 'bot'"}, "go.rb"),
        ({"bot/BotStarter.java": JAVA_MAIN, "draw/Draw.java": JAVA_MAIN}, "bot/BotStarter.java"),
        ({"bot.c": "", "old.c": "main()\n{ }\n"}, "old.c"),
        ({"bot.c": "", "old.c": "int\nmain(argc, argv)\n"}, "old.c"),
        # Where several have one: the one that no other uses.
        ({"A.java": "class A { B b; " + MAIN + "}", "B.java": "class B { " + MAIN + "}"}, "A.java"),
        ({"a.py": GUARD, "b.py": "from a import x\n" + GUARD}, "b.py"),
        # What describes, builds or starts a bot is none.
        ({"play.py": "", "setup.py": "", "conftest.py": "", "test_play.py": ""}, "play.py"),
        ({"lib/play.ex": "", "mix.exs": "", "config/config.exs": ""}, "lib/play.ex"),
        ({"Player.java": JAVA_MAIN, "run.sh": "java Player"}, "Player.java"),
        ({"play.js": "", "webpack.config.js": "", "Gruntfile.js": ""}, "play.js"),
        # Usual places of a package.
        ({"pkg/__main__.py": "", "pkg/brain.py": ""}, "pkg/__main__.py"),
        ({"lib/only.rb": ""}, "lib/only.rb"),
        # A project has files at its top, usual source folders, or sources that use each other.
        ({"bot/main.py": "", "viewer/bot.py": "", "Makefile": "", "README.md": ""}, "bot/main.py"),
        ({"main.py": "", "viewer/bot.py": "", "README.md": ""}, "main.py"),
        ({"src/main.py": "", "viewer/bot.py": ""}, "src/main.py"),
        ({"bot/main.py": "", "app/bot.py": ""}, "bot/main.py"),
        ({"me/main.py": "from game import play", "game/play.py": "", "train/bot.py": ""},
          "me/main.py"),
        ({"me/main.py": "", "me/brain.py": "", "train/bot.py": "import me.brain"}, "me/main.py"),
        ({"me/main.py": "", "me/deep/bot.py": "", "train/learn.py": ""}, "me/main.py"),
        ({"me/main.py": "", "tests/main.py": "", "examples/bot.py": ""}, "me/main.py"),
        ({"me/main.cpp": C_MAIN, "common/bot.cpp": "int f() {}"}, "me/main.cpp"),
        ({"Cargo.toml": '[package]\nname = "me"\n', "src/main.rs": "fn main() {}",
          "trainer/main.py": ""}, "src/main.rs"),
        ({"me/Cargo.toml": '[package]\nname = "me"\n', "me/src/main.rs": "fn main() {}",
          "viewer/plot.py": ""}, "me/src/main.rs"),
        ({"mine/bot.toml": "", "mine/main.py": "", "README.md": ""}, "mine/main.py"),
    ],
)  # fmt: skip
def test_the_main_file(tmp_path: Path, files: dict[str, str], main: str | None) -> None:
    found = main_of(laid(tmp_path, files))
    assert (found and found.name) == main


@pytest.mark.parametrize("ending", MARK)
def test_the_mark_of_the_original_competition(ending: str, tmp_path: Path) -> None:
    """It comes before names."""
    files = {f"main.{ending}": "", f"start.{ending}": MARK[ending], f"x.{ending}": ""}
    found = Main(f"start.{ending}", "marked as __main__", alone=False)
    assert main_of(laid(tmp_path, files)) == found


def test_the_mark_means_nothing_outside_of_comments_and_in_python(tmp_path: Path) -> None:
    files = {"a.js": "const x = '__main__';", "main.js": "", "b.py": "# __main__\n"}
    assert main_of(laid(tmp_path, files)) == Main("main.js", "found by its name", alone=False)


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "", "b.py": ""},
        {"MyBot.java": JAVA_MAIN, "MyBot.py": ""},
        {"a.js": "// __main__", "b.js": "// __main__"},
        {"a.c": C_MAIN, "b.c": C_MAIN},
        {"one.py": "", "two.rb": ""},
        {"a.py": GUARD, "b.py": GUARD},
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
        "strong has several sources that could be its main file: write a bot.toml there with one "
        f'of these lines\n    main = "{first}"\n    main = "{second}"'
    )


@pytest.mark.parametrize(
    "files",
    [
        {"a/main.py": "", "b/main.py": ""},
        {"a/Here.java": JAVA_MAIN, "b/There.java": JAVA_MAIN},
        {"a/src/main.rs": "fn main() {}", "b/src/main.rs": "fn main() {}"},
        {"a/bot.py": "", "b/main.py": ""},
        {"a/MyBot.java": JAVA_MAIN, "b/main.py": ""},
        {"a/main.py": "", "b/src/main.rs": "fn main() {}"},
        {"a/main.py": "", "b/src/main.rs": "fn main() {}", "b/Cargo.toml": "[package]\n"},
        {"a/main.py": "", "b/dist/go.js": "", "b/package.json": '{"main": "dist/go.js"}'},
        {"a/bot.cpp": C_MAIN, "b/main.cpp": C_MAIN},
        {"a/bot.py": "import words", "b/main.py": "import words", "a/words.py": "",
          "b/words.py": "", "README.md": "", "LICENSE": ""},
    ],
)  # fmt: skip
def test_a_folder_of_bots_without_bot_toml_is_no_bot(tmp_path: Path, files: dict[str, str]) -> None:
    """None is preferred for the name of its file, or for a project file of its own."""
    first, second, *_ = files
    folder = laid(tmp_path / "strong", files)
    with pytest.raises(BotError) as caught:
        find_bot(str(folder))
    assert str(caught.value) == (
        "strong has several sources that could be its main file: name one of its folders (a, b), or"
        " write a bot.toml there with one of these lines\n"
        f'    main = "{first}"\n    main = "{second}"'
    )


def test_a_bot_with_bot_toml_is_not_passed_over_for_another(tmp_path: Path) -> None:
    folder = laid(tmp_path / "strong", {"a/main.py": "", "b/bot.toml": "", "b/x.py": ""})
    with pytest.raises(BotError, match=r"^strong is not a bot: it holds 2 bots, each .* \(a, b\)"):
        find_bot(str(folder))


def test_a_choice_among_several_sources_is_told(tmp_path: Path) -> None:
    laid(tmp_path / "strong", {"src/main.py": "import board", "src/board.py": ""})
    assert find_bot(str(tmp_path / "strong")).choice == ""
    laid(tmp_path / "strong", {"src/plot.py": ""})
    assert find_bot(str(tmp_path / "strong")).choice == "src/main.py (found by its name)"
    laid(tmp_path / "strong", {"bot.toml": 'main = "src/main.py"'})
    assert find_bot(str(tmp_path / "strong")).choice == ""


def test_a_folder_without_bot_toml_plays(tmp_path: Path) -> None:
    laid(tmp_path / "strong", {"main.py": "#", "board.py": ""})
    assert find_bot(str(tmp_path / "strong")).argv[-1] == str(tmp_path / "strong" / "main.py")


def test_a_folder_of_bots_is_no_bot(tmp_path: Path) -> None:
    """Whatever lies beside them."""
    bots = {f"bot{number}/bot.toml": 'main = "a.py"\n' for number in range(9)}
    laid(tmp_path, {"bot.py": "#", **bots, "bot0/a.py": "", "bot1/a.py": ""})
    with pytest.raises(BotError) as caught:
        find_bot(str(tmp_path))
    assert str(caught.value).endswith(
        "is not a bot: it holds 9 bots, each in a folder of its own (bot0, bot1, bot2, bot3, "
        "bot4, bot5, bot6, bot7 and 1 more): name one of these folders, or write a bot.toml there"
    )
    (tmp_path / "bot.toml").write_text('main = "bot.py"\n')
    assert find_bot(str(tmp_path)).source == "bot.py"
