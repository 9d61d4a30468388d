"""Which word means what, and every sentence that answers a word that means nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.errors import BotError, UsageError
from tests.bots.programs import program, sentence


def test_importing_is_cheap() -> None:
    dear = "subprocess hashlib shlex shutil tempfile tomllib difflib msgspec trio"
    script = f"import sys, arena.bots.find; print([m for m in {dear.split()} if m in sys.modules])"
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_a_script_runs_where_it_lies(here: Path) -> None:
    program(here / "bot.py", b"#", 0o644)
    assert find_bot("bot.py") == BotProgram(
        name="bot",
        argv=(sys.executable, str(here / "bot.py")),
        cwd=None,
        files=None,
        command="bot.py",
        parts=(here / "bot.py",),
        source="bot.py",
    )
    (here / "BOT.PY").write_text("#")
    assert find_bot("./BOT.PY").argv == (sys.executable, str(here / "BOT.PY"))


def test_an_executable_without_an_ending_runs_itself(here: Path) -> None:
    path = program(here / "bot-1.2", b"#!/bin/sh\n")
    assert find_bot("bot-1.2") == BotProgram(
        "bot-1.2", (path,), None, None, "bot-1.2", (Path(path),)
    )
    assert find_bot(sys.executable).argv == (sys.executable,)


def test_an_executable_source_runs_by_its_first_line_if_that_works(here: Path) -> None:
    path = program(here / "bot.py", b"#!/bin/sh\n")
    assert find_bot("bot.py") == BotProgram(
        "bot", (path,), None, None, "bot.py", (Path(path),), source="bot.py"
    )
    for first in (b"#!/usr/bin/nothing\n", b"#!/bin/sh\r\n", b"import sys\n", b"#"):
        program(here / "bot.py", first)
        assert find_bot("bot.py").argv == (sys.executable, path)


def test_a_quoted_command(here: Path, tools: Path) -> None:
    word = "python3 ../my/bot --name 'a b'"
    argv = (str(tools / "python3"), "../my/bot", "--name", "a b")
    name = "python3 bot --name a b"
    assert find_bot(word) == BotProgram(name, argv, here, None, word)
    path = program(here / "run", b"#!/bin/sh\n")
    assert find_bot("./run fast").argv == (path, "fast")
    (here / "weights").touch()
    assert find_bot("python3 weights fast").parts == (here / "weights",)


def test_a_source_file_may_have_arguments(here: Path) -> None:
    program(here / "bot.py", b"#", 0o644)
    word = "bot.py --fast"
    argv = (sys.executable, str(here / "bot.py"), "--fast")
    assert find_bot(word) == BotProgram(
        word, argv, here, None, word, (here / "bot.py",), source="bot.py"
    )


def test_a_file_with_blanks_in_its_name_is_a_file(here: Path) -> None:
    program(here / "my bot.py", b"#", 0o644)
    assert find_bot("my bot.py").argv == (sys.executable, str(here / "my bot.py"))


def test_s15_names_are_printable(here: Path) -> None:
    name = "a\n\x1b[31m\udcff.py"
    (here / name).write_text("#")
    bot = find_bot(name)
    assert bot.name == "a??[31m?"
    assert bot.argv[1] == str(here / name)


@pytest.mark.parametrize(
    ("word", "error"),
    [
        ("strng.py", "there is no file or folder 'strng.py': did you mean 'strong.py'?"),
        ("STRONG.py", "there is no file or folder 'STRONG.py': did you mean 'strong.py'?"),
        ("bots/weka.py", "there is no file or folder 'bots/weka.py': did you mean 'bots/weak.py'?"),
        (
            "zzzzzz",
            "there is no file or folder 'zzzzzz': check the path, or quote a whole command such as"
            " 'python3 my_bot.py'",
        ),
        ("nowhere/bot.py", "there is no folder 'nowhere': check the path"),
        ("gone", "'gone' is a link to 'away', which does not exist: repair the link"),
        ("", "an empty word is not a bot: name a file, a folder or a quoted command"),
        (
            "python3",
            "there is no file 'python3' here: to run the installed program, write TOOLS/python3",
        ),
        (
            "notes.txt",
            "notes.txt is neither a program nor in a known language: give it the ending of"
            " its language (notes.py, notes.js; arena guide author lists them), add a #! line and"
            " chmod +x notes.txt, or quote a whole command",
        ),
        (
            "weights.json",
            "weights.json is no program: name the program, or the folder that has both",
        ),
        (
            "bot.py3",
            "bot.py3 is neither a program nor in a known language: did you mean bot.py?",
        ),
        ("/", "'/' is the root folder: name the folder of a bot"),
        ("pipe", "pipe is not a file: name a program, a source file or a folder"),
        ("python3 'bot.py", "cannot read the command \"python3 'bot.py\": no closing quotation"),
        ("  \t ", "there is no file or folder '  \\t ': check the path, or quote a whole command"
         " such as 'python3 my_bot.py'"),
        ("a\0b", "there is no file or folder 'a\\x00b': check the path, or quote a whole command"
         " such as 'python3 my_bot.py'"),
    ],
)  # fmt: skip
def test_wrong_usage(word: str, error: str, here: Path, tools: Path) -> None:
    (here / "bots").mkdir()
    for name in ("strong.py", "bots/weak.py", "notes.txt", "weights.json", "bot.py3"):
        (here / name).write_text("#")
    (here / "gone").symlink_to("away")
    os.mkfifo(here / "pipe")
    assert sentence(UsageError, word) == error.replace("TOOLS", str(tools))


@pytest.mark.parametrize(
    ("word", "error"),
    [
        ("pyhton3 bot.py", "there is no command 'pyhton3': did you mean 'python3'?"),
        ("my strng.py", "there is no command 'my': did you mean 'my strong.py'?"),
        ("./bto --fast", "there is no command './bto': did you mean './bot'?"),
        ("qqqqqq --fast", "there is no command 'qqqqqq': install it, or write its path"),
        ("'' x", "there is no command '': install it, or write its path"),
    ],
)
def test_a_command_that_is_not_there(word: str, error: str, here: Path, tools: Path) -> None:
    for name in ("my strong.py", "bot"):
        (here / name).write_text("#")
    assert sentence(BotError, word) == f"cannot start {word!r}: {error}"


@pytest.mark.parametrize(
    ("file", "error"),
    [
        (
            "bot.go",
            "cannot compile bot.go: go is not installed here: install golang-go (Debian, Ubuntu) or"
            " https://go.dev",
        ),
        (
            "bot.lua",
            "cannot start bot.lua: none of lua, lua5.4, lua5.3, luajit is installed here: install"
            " lua5.4 (Debian, Ubuntu) or https://www.lua.org",
        ),
    ],
)
def test_a_missing_tool_says_what_to_install(
    file: str, error: str, here: Path, tools: Path
) -> None:
    (here / file).write_text("#")
    assert sentence(BotError, file) == error


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_source_that_may_not_be_read(here: Path) -> None:
    path = program(here / "bot.py", b"", 0)
    error = f"cannot look up 'bot.py': {path}: Permission denied: check its permissions"
    assert sentence(BotError, "bot.py") == error


def test_an_executable_that_needs_its_interpreter_gets_it(here: Path) -> None:
    """A zip file with an execute bit, say: nothing is known against it, but it names no program."""
    path = program(here / "bot.py", b"PK\x03\x04\0")
    assert find_bot("bot.py").argv == (sys.executable, path)


def test_files_that_a_command_names_are_parts_of_the_bot(here: Path) -> None:
    program(here / "bot.py", b"#", 0o644)
    (here / "weights").touch()
    assert find_bot("bot.py weights no-file").parts == (here / "bot.py", here / "weights")


def test_an_empty_file_is_told_so_whatever_its_name(here: Path) -> None:
    for name in ("bot", "bot.txt", "bot.py"):
        (here / name).touch()
        error = f"{name} is empty: write the bot into it (arena new makes a first one)"
        kind = BotError if name == "bot.py" else UsageError
        assert sentence(kind, name) == error


def test_hidden_files_are_not_suggested(here: Path) -> None:
    (here / ".strong.py").write_text("#")
    assert "did you mean" not in sentence(UsageError, "strong.py")
