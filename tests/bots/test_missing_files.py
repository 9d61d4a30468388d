"""What lies beside a single file, and what its author hears of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.suggestions import left_outside, not_taken
from arena.errors import BotError
from arena.sandbox.levels import Level, SandboxMode
from tests.bots.builds import needs_linux, why_no_walls
from tests.bots.samples import C, write
from tests.sandbox.walls import ci_or_skip
from tests.support.tools import needs_tool

ALONE = (
    "{0} lies beside {1}, but a single file travels alone: put all of these files into a folder of"
    " their own, with a bot.toml that says {2}\n"
)

RIVAL = "the rival's way to win"


@pytest.mark.dear_for("Bot.java*")
@needs_linux
@pytest.mark.tool
@pytest.mark.parametrize(
    ("file", "tool", "text", "rival"),
    [
        ("bot.c", "gcc", '#include "rival.c"\n', f'#error "{RIVAL}"\n'),
        ("bot.cpp", "g++", '#include "rival.hpp"\nint main() {}\n', f'#error "{RIVAL}"\n'),
        ("bot.c", "gcc", 'asm(".incbin \\"rival.c\\"");int main(void) { return 0; }\n', RIVAL),
        ("bot.rs", "rustc", 'fn main() { print!("{}", include_str!("rival.rs")); }\n', RIVAL),
        ("bot.rs", "rustc", "mod rival; fn main() {}\n", f'compile_error!("{RIVAL}");\n'),
        ("Bot.java", "javac", "class Bot extends rival {}\n", f"class rival {{ {RIVAL} }}\n"),
    ],
)
def test_a_single_file_travels_alone(
    file: str, tool: str, text: str, rival: str, here: Path
) -> None:
    needs_tool(tool, tool)
    if why := why_no_walls(SandboxMode.STRICT):
        ci_or_skip(why)
    beside = {"Bot.java": "rival.java", "bot.cpp": "rival.hpp", "bot.rs": "rival.rs"}
    name = beside.get(file, "rival.c")
    write(here, {file: text, name: rival})
    with pytest.raises(BotError) as caught:
        find_bot(file, sandbox=SandboxMode.STRICT)
    assert RIVAL not in caught.value.output
    hint = ALONE.format(name, file, f'main = "{file}"')
    assert caught.value.output.endswith(hint)


@pytest.mark.tool
def test_of_ones_own_bots_neighbours_are_taken(here: Path) -> None:
    needs_tool("gcc", "gcc")
    write(here, {"bot.c": '#include "words.c"\n', "words.c": C})
    assert find_bot("bot.c", sandbox=Level.OFF)


@pytest.mark.parametrize(
    ("said", "missed"),
    [
        ("FileNotFoundError: [Errno 2] No such file or directory: 'data.txt'", "data.txt"),
        ("ModuleNotFoundError: No module named 'helper'", "helper.py"),
        ("Error: Cannot find module './helper'", "helper.py"),
        ("start.sh: 3: ./helper.py: not found", "helper.py"),
        ("python3: can't open file '/x/y/helper.py': [Errno 2]", "helper.py"),
        ("data.txt was read, helper too", ""),
        ("No such file or directory: 'other.txt'", ""),
        ("No such file or directory: 'bot.py'", ""),
        ("", ""),
    ],
)
def test_what_a_bot_misses(said: str, missed: str, here: Path) -> None:
    write(here, {"bot.py": "", "helper.py": "", "data.txt": ""})
    expected = ALONE.format(missed, "bot.py", 'main = "bot.py"') if missed else ""
    assert left_outside("bot.py", f"Traceback\n{said}\n") == expected


@pytest.mark.parametrize(
    ("word", "name", "line"),
    [
        ("./start", "start", 'run = "./start"'),
        ("python3 bot.py --fast", "its files", 'run = "python3 bot.py --fast"'),
        ('python3 bot.py "a b"', "its files", "run = 'python3 bot.py \"a b\"'"),
    ],
)
def test_the_line_of_bot_toml_that_brings_it(word: str, name: str, line: str, here: Path) -> None:
    write(here, {"start": "", "bot.py": "", "data.txt": ""})
    said = "No such file or directory: 'data.txt'"
    assert left_outside(word, said) == ALONE.format("data.txt", name, line)


def test_a_folder_takes_all_along(folder: Path, here: Path) -> None:
    write(folder, {"bot.py": ""})
    (here / "data.txt").touch()
    assert left_outside("strong", "No such file: 'data.txt'") == ""
    assert left_outside("python3 'bot.py", "No such file: 'data.txt'") == ""


def test_many_and_odd_names(here: Path) -> None:
    write(here, {"bot.c": "", "a.h": "", "b.h": "", "c.h": "", "d\x1b.h": ""})
    said = "\n".join(f"fatal error: {name}.h: No such file or directory" for name in "abc")
    assert not_taken(here / "bot.c", said).startswith("a.h, b.h and c.h lie beside bot.c, but")


def test_a_folder_that_cannot_be_listed(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def shut(path: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", shut)
    assert not_taken(here / "bot.c", "x.h: No such file") == ""
