"""Bots that are folders: what a bot.toml may say, and what is answered when it says it wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.folder import chosen
from arena.core.replies import Answer
from arena.errors import BotError
from arena.sandbox.levels import Level, SandboxMode
from tests.bots.builds import why_no_walls
from tests.bots.samples import CXX, PYTHON, converse, write
from tests.bots.talk import first_answer
from tests.sandbox.walls import ci_or_skip
from tests.support.tools import needs_tool


def test_main_in_an_interpreted_language_runs_in_place(folder: Path, here: Path) -> None:
    write(folder, {"bot.toml": 'name = "The Strong"\nmain = "code/bot.py"', "code/bot.py": PYTHON})
    for word in ("strong", "strong/", "strong/bot.toml"):
        bot = find_bot(word)
        assert bot.name == "The Strong"
        assert bot.argv == (sys.executable, str(folder / "code" / "bot.py"))
        assert (bot.cwd, bot.files, bot.command) == (None, folder, word)
    converse(bot, here)


def test_the_name_is_the_folders_unless_given(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, {"bot.toml": 'main = "bot.py"', "bot.py": PYTHON})
    monkeypatch.chdir(folder)
    assert find_bot(".").name == "strong"
    write(folder, {"bot.toml": 'name = "a\\u202eb"\nmain = "bot.py"'})
    assert find_bot(".").name == "a?b"
    write(folder, {"bot.toml": 'name = """\nStrong 👨\u200d💻\n"""\nmain = "bot.py"'})
    assert find_bot(".").name == "Strong 👨?💻"


@pytest.mark.parametrize("name", ["a\\nb", "a\\u001b[0m", "a\\u0085", "a\\u007f"])
def test_a_name_with_control_characters_is_refused(folder: Path, name: str) -> None:
    write(folder, {"bot.toml": f'name = "{name}x"\nmain = "bot.py"', "bot.py": PYTHON})
    with pytest.raises(BotError) as caught:
        find_bot(str(folder))
    assert str(caught.value) == (
        "strong/bot.toml: name must be a text of at most 64 characters, none of them a control "
        'character: name = "Strong"'
    )


def test_what_is_chosen_is_text_whatever_the_names_are(folder: Path) -> None:
    """A report is JSON, which has no way to say the bytes of such a name."""
    write(folder, {"src/bot\udcff.py": PYTHON})
    assert chosen(folder) == "Python: src/bot?.py (its only source)"


@pytest.mark.tool
def test_cpp_with_headers_in_folders(folder: Path, here: Path) -> None:
    needs_tool("g++", "g++")
    write(
        folder,
        {
            "bot.toml": 'main = "src/bot.cpp"',
            "src/bot.cpp": '#include "inc/word.h"\n' + CXX.replace('"answer %s"', 'WORD "%s"'),
            "inc/word.h": '#define WORD "answer "',
        },
    )
    converse(find_bot("strong"), here)


@pytest.mark.tool
def test_build_and_run(folder: Path, here: Path) -> None:
    needs_tool("make", "make")
    needs_tool("g++", "g++")
    makefile = "bin/bot: bot.cpp\n\tmkdir -p bin\n\tg++ -o $@ $<\n\techo . >> made\n"
    write(
        folder,
        {
            "bot.toml": 'build = "make"\nrun = "bin/bot"',
            "bot.cpp": CXX,
            "Makefile": makefile,
        },
    )
    bot = find_bot("strong")
    assert bot.files is not None
    assert bot.argv == (str(bot.files / "bin" / "bot"),)
    assert not (folder / "bin").exists()
    converse(bot, here)
    assert find_bot("strong") == bot
    assert (bot.files / "made").read_text() == ".\n"
    write(folder, {"data": "new"})
    assert find_bot("strong").files != bot.files


def test_build_by_a_script_of_the_folder_then_main(folder: Path, here: Path) -> None:
    write(
        folder,
        {
            "bot.toml": 'build = ["./generate", "a b"]\nmain = "bot.py"',
            "generate": "#!/bin/sh\necho \"WORD = '$1'\" > table.py\n",
            "bot.py": "import table\nassert table.WORD == 'a b'\n" + PYTHON,
        },
    )
    (folder / "generate").chmod(0o755)
    bot = find_bot("strong")
    assert bot.files not in (None, folder)
    converse(bot, here)
    (folder / "bot.py").unlink()


def test_run_makes_the_names_of_files_absolute(folder: Path, here: Path) -> None:
    write(
        folder,
        {
            "bot.toml": f"run = [{sys.executable!r}, 'code/bot.py', '--level', '3', 'code', '.']",
            "code/bot.py": PYTHON,
        },
    )
    bot = find_bot("strong")
    script = str(folder / "code" / "bot.py")
    assert bot.argv == (sys.executable, script, "--level", "3", "code", ".")
    assert bot.files == folder
    converse(bot, here)


def test_a_failed_build_shows_what_was_said(folder: Path) -> None:
    write(
        folder,
        {"bot.toml": "build = 'sh -c \"pwd >&2; exit 2\"'\nmain = 'bot.py'", "bot.py": PYTHON},
    )
    with pytest.raises(BotError) as caught:
        find_bot("strong")
    assert str(caught.value) == f"cannot build strong: {caught.value.output.strip()}"
    assert caught.value.output.endswith("/entry/files\n")


def test_a_folder_without_bot_toml_is_told_how_to_begin(folder: Path) -> None:
    with pytest.raises(BotError, match=r"^the folder strong is empty: put the bot into it \("):
        find_bot("strong")
    write(folder, {"README": ""})
    with pytest.raises(BotError) as caught:
        find_bot("strong")
    assert str(caught.value) == (
        "the folder strong has no bot.toml and no source in a known language: write a bot.toml "
        "there, such as\n"
        '    name = "strong"\n'
        '    main = "Bot.java"\n'
        '    # or, instead of main:  build = "make"  and  run = "./bot"'
    )
    write(folder, {"my.zig": ""})
    with pytest.raises(BotError, match=r'build = "zig build-exe -O ReleaseFast --name bot my.zig"'):
        find_bot("strong")


@pytest.mark.parametrize(
    ("toml", "error"),
    [
        (
            "",
            "strong/bot.toml has neither main nor run: write one,"
            ' main = "Bot.java" or run = "./bot"',
        ),
        (
            "main = 'bot.py'\nrun = './bot'",
            'strong/bot.toml has both main and run: write one, main = "Bot.java" or run = "./bot"',
        ),
        ("mian = 'bot.py'", "strong/bot.toml: there is no key 'mian': did you mean 'main'?"),
        (
            "[package]",
            "strong/bot.toml: there is no key 'package': choose one of: build, main, name, "
            "numbers_file, run, tune, uci",
        ),
        (
            "main = 3",
            'strong/bot.toml: main must be the name of a source file: main = "Bot.java"',
        ),
        (
            "run = ['a', 3]",
            'strong/bot.toml: run must be a command: run = "java -jar bot.jar" or'
            ' run = ["java", "-jar", "bot.jar"]',
        ),
        (
            "build = ' '\nmain = 'bot.py'",
            'strong/bot.toml: build must be a command: build = "make" or build = ["make", "bot"]',
        ),
        (
            'run = "a \\u0000"',
            'strong/bot.toml: run must be a command: run = "java -jar bot.jar" or'
            ' run = ["java", "-jar", "bot.jar"]',
        ),
        (
            f"name = '{'x' * 65}'\nmain = 'bot.py'",
            "strong/bot.toml: name must be a text of at most 64 characters, none of them a control"
            ' character: name = "Strong"',
        ),
        (
            "main = bot.py",
            "strong/bot.toml is not TOML: Invalid value (at line 1, column 8): correct it there",
        ),
        (
            "main = 'bto.py'",
            "strong/bot.toml: the folder has no file 'bto.py': did you mean 'bot.py'?",
        ),
        (
            "main = '../bot.py'",
            "strong/bot.toml: the folder has no file '../bot.py': did you mean 'bot.py'?",
        ),
        (
            "main = 'qqq'",
            "strong/bot.toml: the folder has no file 'qqq': name a source file in the folder",
        ),
        (
            "main = 'notes.txt'",
            "strong/bot.toml: 'notes.txt' is not in a known language: give it the ending of its"
            " language (notes.py, notes.js; arena guide author lists them), or write run = and a"
            " command",
        ),
        (
            "run = './bto.py'",
            "strong/bot.toml: run names './bto.py', neither a file there nor an installed program:"
            " did you mean 'bot.py'?",
        ),
        (
            "build = 'qqqqqqq'\nmain = 'bot.py'",
            "strong/bot.toml: build names 'qqqqqqq', neither a file there nor an installed"
            " program: install it, or correct the name",
        ),
        (
            "run = 'bot.py'",
            "strong/bot.toml: cannot start 'bot.py': it is not executable: run chmod +x bot.py, or"
            ' write main = "bot.py" instead of run',
        ),
        (
            'run = "\'bot.py"',
            'strong/bot.toml: cannot split run = "\'bot.py": no closing quotation',
        ),
    ],
)
def test_o17_a_wrong_bot_toml(toml: str, error: str, folder: Path) -> None:
    write(
        folder,
        {
            "bot.toml": toml,
            "bot.py": PYTHON,
            "notes.txt": "",
        },
    )
    with pytest.raises(BotError) as caught:
        find_bot("strong")
    assert str(caught.value) == error


@pytest.mark.parametrize("toml", [b"\xff", b"x = " + b"[" * 60_000, b"\x00"])
def test_a_bot_toml_that_is_garbage(toml: bytes, folder: Path) -> None:
    (folder / "bot.toml").write_bytes(toml)
    with pytest.raises(BotError, match=r"^strong/bot.toml is not TOML: .*: correct it there$"):
        find_bot("strong")


def test_a_file_of_the_folder_may_have_the_name_of_a_program(folder: Path) -> None:
    write(folder, {"bot.toml": "run = 'make --fast'", "make": "#!/bin/sh\necho mine $1\n"})
    (folder / "make").chmod(0o755)
    done = subprocess.run(find_bot("strong").argv, capture_output=True, check=True)
    assert done.stdout == b"mine --fast\n"


def test_a_build_that_wants_a_shell_is_told_how(here: Path) -> None:
    (here / "bot.toml").write_text('build = "g++ *.cpp -o bot"\nrun = "./bot"\n')
    with pytest.raises(BotError, match="needs a shell, and none is used: write build = "):
        find_bot(str(here))


def test_main_outside_the_folder_is_refused(folder: Path, here: Path) -> None:
    write(folder, {"bot.toml": "main = '../bot.py'"})
    (here / "bot.py").write_text(PYTHON)
    with pytest.raises(BotError, match=r"the folder has no file '\.\./bot\.py'"):
        find_bot("strong")


def test_a_blank_name_is_none(folder: Path) -> None:
    write(folder, {"bot.toml": "name = '  '\nmain = 'bot.py'", "bot.py": PYTHON})
    assert find_bot("strong").name == "strong"


def test_a_bot_toml_is_not_read_without_end(folder: Path) -> None:
    write(folder, {"bot.toml": f"# {'x' * 70_000}\nmain = 'bot.py'", "bot.py": PYTHON})
    with pytest.raises(BotError, match="has neither main nor run"):
        find_bot("strong")


# -- virtual environments --------------------------------------------------------------------------


def with_environment(folder: Path, toml: str, **files: str) -> Path:
    """A bot whose folder has a virtual environment with a package in it."""
    write(folder, {"bot.toml": toml, "bot.py": f"import package\n{PYTHON}", **files})
    place = folder / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    (package,) = place.glob("lib/python*/site-packages")
    (package / "package.py").touch()
    return place


@pytest.mark.parametrize(
    "toml",
    [
        'main = "bot.py"',
        'main = "bot.py"\nbuild = "true"',
        'run = "python3 bot.py"',
        'run = "python bot.py"\nbuild = "true"',
        'run = ".venv/bin/python bot.py"',
        'run = ".venv/bin/python bot.py"\nbuild = "true"',
    ],
)
def test_a_bot_with_a_virtual_environment_runs_with_it(toml: str, folder: Path, here: Path) -> None:
    if why := why_no_walls(SandboxMode.STRICT):
        ci_or_skip(why)
    place = with_environment(folder, toml)
    for mode in (Level.OFF, SandboxMode.STRICT):
        bot = find_bot("strong", sandbox=mode)
        assert Path(bot.argv[0]).parent == place / "bin"
        assert first_answer(bot, mode) == (Answer("answer go"), "")


def test_a_virtual_environment_that_does_not_work(folder: Path) -> None:
    write(folder, {"bot.toml": 'main = "bot.py"', "bot.py": PYTHON, ".venv/pyvenv.cfg": ""})
    with pytest.raises(BotError) as caught:
        find_bot("strong")
    assert str(caught.value) == (
        "the virtual environment strong/.venv has no working Python: recreate it with"
        " python3 -m venv --clear .venv"
    )


@pytest.mark.parametrize("mode", [Level.OFF, SandboxMode.STRICT], ids=str)
def test_a_quoted_command_with_a_virtual_environment(
    mode: Level | SandboxMode, folder: Path, here: Path
) -> None:
    if why := why_no_walls(mode):
        ci_or_skip(why)
    place = with_environment(folder, "")
    bot = find_bot(f"{place}/bin/python strong/bot.py", sandbox=mode)
    assert bot.parts == (folder / "bot.py",)
    assert first_answer(bot, mode) == (Answer("answer go"), "")
