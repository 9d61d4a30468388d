"""From a source to a command: which files are taken, and what is said when that fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.errors import BotError
from tests.bots.programs import sentence
from tests.bots.samples import CXX, PYTHON, SAMPLES, C, converse, write
from tests.support.tools import needs_tool


@pytest.mark.parametrize("file", ["bot.py", "bot.c"])
def test_a14_a_source_saved_as_utf16(file: str, here: Path) -> None:
    (here / file).write_bytes("print()".encode("utf-16"))
    error = f"{file} is saved as UTF-16, which its language cannot read: use UTF-8"
    assert sentence(BotError, file) == error


@pytest.mark.parametrize("file", ["bot.py", "bot.c"])
@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_source(file: str, text: str, here: Path) -> None:
    (here / file).write_text(text)
    error = f"{file} is empty: write the bot into it (arena new makes a first one)"
    assert sentence(BotError, file) == error


@pytest.mark.tool
def test_a_header_beside_is_found_and_its_edit_noticed(here: Path) -> None:
    needs_tool("g++", "g++")
    (here / "words.hpp").write_text('#include "more.h"\n')
    (here / "more.h").write_text('#define WORD "reply "\n')
    (here / "unrelated.h").write_text("#error never read\n")
    text = CXX.replace('"answer %s"', 'WORD "%s"')
    (here / "bot.cpp").write_text(f'#include "words.hpp"\n{text}')
    before = find_bot("bot.cpp")
    (here / "unrelated.h").write_text("// still never read\n")
    assert find_bot("bot.cpp") == before
    (here / "more.h").write_text('#define WORD "answer "\n')
    after = find_bot("bot.cpp")
    assert after.argv != before.argv
    converse(after, here)


@pytest.mark.tool
def test_a_module_of_rust_beside(here: Path) -> None:
    needs_tool("rustc", "rustc")
    (here / "words.rs").write_text('pub const WORD: &str = "answer";\n')
    rust = next(sample.text for sample in SAMPLES if sample.file == "bot.rs")
    changed = rust.replace('"answer {}", ', '"{} {}", words::WORD, ')
    (here / "bot.rs").write_text(f"mod words;\n{changed}")
    converse(find_bot("bot.rs"), here)


@pytest.mark.dear
@pytest.mark.tool
@pytest.mark.parametrize("name", ["-o.c", "bö t.c"])
def test_o20_odd_names_and_a_bare_environment(name: str, here: Path, cache: Path) -> None:
    needs_tool("gcc", "gcc")
    (here / name).write_text(C)
    script = f"from arena.bots.find import find_bot; print(find_bot({f'./{name}'!r}).argv[0])"
    root = Path(__file__).parents[2]
    bare = {
        "LC_ALL": "C",
        "PATH": os.environ["PATH"],
        "ARENA_CACHE": str(cache),
        "PYTHONPATH": str(root),
    }
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=bare,
        umask=0,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    converse(BotProgram("bot", (done.stdout.strip(),), None, None, ""), here)
    for path in (cache, *cache.iterdir()):
        assert oct(path.stat().st_mode & 0o777) == ("0o700" if path.is_dir() else "0o600")


@pytest.mark.tool
def test_the_longest_names_of_sources_that_one_command_takes(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_tool("gcc", "gcc")
    write(here / "many", {"bot.toml": 'main = "bot.c"', "bot.c": C, "more.c": ""})
    monkeypatch.setattr("arena.bots.source.MAX_NAMES_SIZE", len("bot.cmore.c") - 1)
    with pytest.raises(BotError, match="2 sources are too many for one command"):
        find_bot(str(here / "many"))
    monkeypatch.setattr("arena.bots.source.MAX_NAMES_SIZE", len("bot.cmore.c"))
    find_bot(str(here / "many"))


def test_what_version_control_keeps_is_no_content(folder: Path, here: Path) -> None:
    write(folder, {"bot.toml": "build = 'true'\nmain = 'bot.py'", "bot.py": PYTHON})
    before = find_bot("strong")
    write(
        folder,
        {
            ".git/index": "1",
            "__pycache__/bot.pyc": "1",
            ".DS_Store": "1",
        },
    )
    assert find_bot("strong") == before
    assert before.files is not None
    assert sorted(path.name for path in before.files.iterdir()) == ["bot.py", "bot.toml"]


def test_links_to_files_are_copied_and_links_to_folders_refused(folder: Path, here: Path) -> None:
    (here / "data").write_text("42")
    write(folder, {"bot.toml": "build = 'true'\nmain = 'bot.py'", "bot.py": PYTHON})
    (folder / "data").symlink_to("../data")
    files = find_bot("strong").files
    assert files is not None
    assert (files / "data").read_text() == "42"
    (folder / "loop").symlink_to(".")
    with pytest.raises(BotError) as caught:
        find_bot("strong")
    text = f"cannot build strong: {folder}/loop is a link to a folder: copy it in"
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("tool", "package", "sources"),
    [
        (
            "g++",
            "g++",
            {
                "main.cpp": "#include <cstdio>\nint two();\n"
                'int main() { std::printf("%d", two()); }\n',
                "two.cpp": "int two() { return 2; }\n",
            },
        ),
        (
            "go",
            "golang-go",
            {
                "main.go": 'package main\nimport "fmt"\nfunc main() { fmt.Print(two()) }\n',
                "two.go": "package main\nfunc two() int { return 2 }\n",
                "two_test.go": "package nonsense\n",
            },
        ),
    ],
)
def test_all_sources_of_a_folder_are_one_program(
    here: Path, tool: str, package: str, sources: dict[str, str]
) -> None:
    needs_tool(tool, package)
    folder = here / "many"
    folder.mkdir()
    for name, text in sources.items():
        (folder / name).write_text(text)
    (folder / "bot.toml").write_text(f'main = "{min(sources)}"\n')
    bot = find_bot(str(folder))
    assert subprocess.run(bot.argv, capture_output=True, check=True).stdout == b"2"


ERLANG = '-module(b).\n-export([main/1]).\nmain(_) -> x().\n-include("x.hrl").\n'
MAIN = "class %s { public static void main(String[] words) {} }"
ODD = {
    "a source, C": ("gcc", {"@b.c": C, "-o.c": "int o;"}),
    "a folder, C": ("gcc", {"@s/b.c": f'#include "b.h"\n{C}', "@s/b.h": "extern int o;"}),
    "a root, Java": ("javac", {"@s/B.java": MAIN % "B", "@s/O.java": "class O {}"}),
    "a root like an option, Java": ("javac", {"-s/B.java": MAIN % "B"}),
    "a folder of headers, Erlang": ("erlc", {"s/b.erl": ERLANG, "-h/x.hrl": "x() -> ok.\n"}),
    "a folder of units, Pascal": (
        "fpc",
        {
            "@s/m.pas": "program m; uses u; begin end.",
            "@s/u.pas": "unit u; interface implementation end.",
        },
    ),
}


@pytest.mark.dear_for("*Java")
@pytest.mark.tool
@pytest.mark.parametrize(("tool", "sources"), ODD.values(), ids=ODD.keys())
def test_names_that_a_compiler_could_take_for_options(
    here: Path, tool: str, sources: dict[str, str]
) -> None:
    needs_tool(tool, tool)
    write(here / "odd", {"bot.toml": f'main = "{next(iter(sources))}"', **sources})
    find_bot(str(here / "odd"))


@pytest.mark.tool
def test_a_name_that_means_options_to_gcc_all_the_same(here: Path) -> None:
    needs_tool("gcc", "gcc")
    files = {"bot.toml": 'main = "@bot.c"', "@bot.c": C, "bot.c": "int other;"}
    write(here / "two", files)
    with pytest.raises(BotError, match=r"to gcc '@bot.c' means the options .* 'bot.c': rename"):
        find_bot(str(here / "two"))
    (here / "two" / "bot.c").rename(here / "two" / "more.c")
    converse(find_bot(str(here / "two")), here)
