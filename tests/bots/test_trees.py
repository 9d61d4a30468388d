"""Trees of bots as authors have them, from their folder to an answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots.convention import main_of
from arena.bots.find import find_bot
from arena.bots.folder import chosen, innermost, source_of
from arena.bots.languages import LANGUAGES, language_of
from arena.core.replies import Answer
from arena.errors import BotError
from arena.sandbox.levels import SandboxMode
from tests.bots.builds import why_no_walls
from tests.bots.samples import converse
from tests.bots.talk import first_answer
from tests.bots.test_languages import NOT_IN_CI, needs_language
from tests.bots.trees import JAVA_TREES, REFUSED, SEVERAL, TREES, Refused, Tree
from tests.support.tools import dear, every


def laid(folder: Path, files: dict[str, str]) -> Path:
    """The files of a tree, in a folder of the name strong."""
    for name, text in files.items():
        path = folder / "strong" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
    return folder / "strong"


def needs(name: str) -> None:
    """Skip where the tools of a language are missing, or slow."""
    needs_language(next(one for one in LANGUAGES if one.name == name))
    if name in NOT_IN_CI and os.environ.get("CI") == "true":
        pytest.skip("not in CI: its tools are large or slow")


def named(tree: Tree | Refused) -> str:
    return f"{tree.language}-{tree.name}"


@every("tree", TREES, ids=named)
def test_the_main_file_is_found_and_how_is_said(tree: Tree, tmp_path: Path) -> None:
    folder = laid(tmp_path, tree.files)
    said = chosen(folder)
    language, _, rest = said.partition(": ")
    main, _, how = rest.partition(" (")
    assert (language, main) == (tree.language, tree.main)
    if "bot.toml" not in tree.files:
        found = main_of(innermost(folder))
        assert found is not None
        assert how == f"{found.how})"
        assert tree.how in ("", found.how)


@pytest.mark.tool
@pytest.mark.parametrize(
    "tree", dear(TREES, but=lambda tree: tree.language in ("Python", "Lua")), ids=named
)
def test_a_tree_plays(tree: Tree, tmp_path: Path) -> None:
    """The first of each language is built behind walls, if there are any, and started there and
    without them."""
    needs(tree.language)
    folder = laid(tmp_path, tree.files)
    is_first = tree is next(one for one in TREES if one.language == tree.language)
    if is_first and not why_no_walls(SandboxMode.STRICT):
        bot = find_bot(str(folder), sandbox=SandboxMode.STRICT)
        assert first_answer(bot, SandboxMode.STRICT)[0] == Answer("answer go")
    bot = find_bot(str(folder))
    assert bot.name == "strong"
    run = tmp_path / "run"
    run.mkdir()
    converse(bot, run)


@pytest.mark.parametrize(
    ("name", "along"),
    [
        ("Java-starter", ["src/bot/Bot.java", "src/bot/BotParser.java", "src/map/Words.java"]),
        ("Java-flat", ["Bot.java", "BotParser.java", "map/Words.java"]),
        ("Kotlin-kotlin-gradle", ["src/main/kotlin/game/Words.kt"]),
        ("Scala-scala-sbt", ["src/main/scala/game/Words.scala"]),
        ("C#-starter", ["Bot/Bot.cs", "Map/Speech.cs", "Move/Move.cs"]),
        ("C#-solution", ["Common/Speech.cs"]),
        ("C++-make-beside", ["common/words.cpp"]),
        ("Erlang-rebar", ["src/words.erl"]),
        ("Elixir-mix", ["lib/bot/words.ex"]),
        ("OCaml-dune", ["src/base_words.ml", "src/words.ml"]),
    ],
)
def test_what_is_compiled_with_the_main_file(name: str, along: list[str], tmp_path: Path) -> None:
    """Also where its compiler is not installed."""
    tree = next(one for one in TREES if named(one) == name)
    assert source_of(laid(tmp_path, tree.files), tree.main).along == along


def test_a_main_that_is_named_without_its_folder(tmp_path: Path) -> None:
    files = JAVA_TREES[0].files
    folder = laid(tmp_path, {**files, "bot.toml": 'main = "BotStarter.java"\n'})
    assert source_of(folder, "BotStarter.java").main == "src/bot/BotStarter.java"
    with pytest.raises(BotError, match=r"the folder has no file 'BotStart\.java': did you mean"):
        source_of(folder, "BotStart.java")
    laid(tmp_path, {"old/BotStarter.java": ""})
    with pytest.raises(BotError, match=r"the folder has no file 'BotStarter\.java'"):
        source_of(folder, "BotStarter.java")


@pytest.mark.tool
@pytest.mark.parametrize(
    "tree", dear(REFUSED, but=lambda tree: tree.name in ("no-main", "doctype")), ids=named
)
def test_a_tree_that_cannot_play_is_told_why(tree: Refused, tmp_path: Path) -> None:
    needs(tree.language)
    with pytest.raises(BotError) as caught:
        find_bot(str(laid(tmp_path, tree.files)))
    for said in tree.said:
        assert said in str(caught.value)


@pytest.mark.tool
@pytest.mark.parametrize(
    "kind", dear(SEVERAL, but=lambda kind: kind in ("python", "odd names")), ids=str
)
def test_each_line_that_an_error_offers_works(kind: str, tmp_path: Path) -> None:
    folder = laid(tmp_path, SEVERAL[kind])
    with pytest.raises(BotError) as caught:
        find_bot(str(folder))
    first, *lines = str(caught.value).splitlines()
    assert first.startswith("strong has several sources that could be its main file: ")
    assert first.endswith("write a bot.toml there with one of these lines")
    sources = [name for name in SEVERAL[kind] if language_of(Path(name))]
    assert len(lines) == len([name for name in sources if "Words" not in name and "Sp" not in name])
    run = tmp_path / "run"
    run.mkdir()
    for line in lines:
        (folder / "bot.toml").write_text(line.strip() + "\n", "utf-8")
        converse(find_bot(str(folder)), run)


def test_a_program_in_a_folder_in_a_folder(tmp_path: Path) -> None:
    folder = laid(tmp_path, {"packed/inner/bot": "#!/bin/sh\ncat\n"})
    (folder / "packed/inner/bot").chmod(0o755)
    bot = find_bot(str(folder))
    assert (bot.name, bot.argv) == ("strong", (str(folder / "packed/inner/bot"),))
    assert chosen(folder) == "a program: bot"
