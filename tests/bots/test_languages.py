"""A real bot in every language of the table: built, started, asked twice, and let go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.bots import BotProgram, find_bot
from arena.bots.languages import LANGUAGES
from tests.tools import needs_tool

JAVA = """
    public static void main(String[] args) throws java.io.IOException {
        var in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            System.out.println("answer " + line);
        }
    }
"""

C = """
#include <stdio.h>
int main(void) {
    char line[100];
    while (fgets(line, sizeof line, stdin)) {
        printf("answer %s", line);
        fflush(stdout);
    }
}
"""

CPP = """
#include <iostream>
#include <string>
int main() {
    for (std::string line; std::getline(std::cin, line);)
        std::cout << "answer " << line << std::endl;
}
"""

JAVASCRIPT = (
    'readline.createInterface({input: process.stdin}).on("line", (l) => console.log("answer", l))'
)

AWK = '{ print "answer " $0; fflush() }'


WASI_PACKAGES = "clang lld wasi-libc libclang-rt-dev-wasm32 libc++-dev-wasm32"


class Sample(NamedTuple):
    file: str
    tool: str
    package: str
    text: str


SAMPLES = [
    Sample(
        "bot.py",
        "python3",
        "python3",
        "import sys\nfor line in sys.stdin:\n    print('answer', line, end='', flush=True)\n",
    ),
    Sample("bot.js", "node", "nodejs", f'const readline = require("readline");\n{JAVASCRIPT}\n'),
    Sample("bot.cjs", "node", "nodejs", f'const readline = require("readline");\n{JAVASCRIPT}\n'),
    Sample("bot.mjs", "node", "nodejs", f'import readline from "readline";\n{JAVASCRIPT}\n'),
    Sample(
        "bot.rb",
        "ruby",
        "ruby",
        '$stdout.sync = true\nwhile (line = gets)\n  puts "answer #{line}"\nend\n',
    ),
    Sample(
        "bot.php",
        "php",
        "php-cli",
        '<?php while (($line = fgets(STDIN)) !== false) { echo "answer $line"; flush(); }',
    ),
    Sample(
        "bot.lua",
        "lua",
        "lua5.4",
        'for line in io.lines() do io.write("answer ", line, "\\n") io.flush() end\n',
    ),
    Sample("bot.pl", "perl", "perl", '$| = 1;\nprint "answer $_" while <STDIN>;\n'),
    Sample("bot.sh", "sh", "dash", 'while read -r line; do echo "answer $line"; done\n'),
    Sample("bot.awk", "awk", "gawk", AWK),
    Sample("Bot.java", "javac", "default-jdk-headless", f"class Bot {{{JAVA}}}"),
    Sample("bot.c", "gcc", "gcc", C),
    Sample("bot.cpp", "g++", "g++", CPP),
    Sample("bot.cc", "g++", "g++", CPP),
    Sample("bot.cxx", "g++", "g++", CPP),
    Sample("bot.C", "g++", "g++", CPP),
    Sample(
        "bot.rs",
        "rustc",
        "rustc",
        "use std::io::prelude::*;\nfn main() {\n"
        "    for line in std::io::stdin().lock().lines() {\n"
        '        println!("answer {}", line.unwrap());\n'
        "        std::io::stdout().flush().unwrap();\n    }\n}\n",
    ),
    Sample(
        "bot.go",
        "go",
        "golang-go",
        'package main\nimport ("bufio"; "fmt"; "os")\nfunc main() {\n'
        "    lines := bufio.NewScanner(os.Stdin)\n"
        '    for lines.Scan() { fmt.Println("answer", lines.Text()) }\n}\n',
    ),
]


def converse(bot: BotProgram, cwd: Path) -> None:
    """Two questions, each answered before the next is asked, and a clean end."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        bot.argv, cwd=bot.cwd or cwd, stdin=pipe, stdout=pipe, stderr=pipe
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            for question in (b"one\n", b"two\n"):
                process.stdin.write(question)
                process.stdin.flush()
                assert process.stdout.readline() == b"answer " + question
            process.stdin.close()
            assert process.stdout.read() == b""
            assert process.stderr.read() == b""
            assert process.wait(20) == 0
        finally:
            process.kill()


def test_no_ending_is_untested() -> None:
    tested = {Path(sample.file).suffix for sample in SAMPLES} | {".jar", ".wasm"}
    assert tested == {ending for language in LANGUAGES for ending in language.endings}


@pytest.mark.tool
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.file)
def test_a_source_file_becomes_a_program(sample: Sample, tmp_path: Path) -> None:
    needs_tool(sample.tool, sample.package)
    folder = tmp_path / "with blank {x}"
    folder.mkdir()
    source = folder / sample.file
    source.write_text(sample.text)
    bot = find_bot(str(source))
    assert bot.name == source.stem
    assert bot.command == str(source)
    assert (bot.cwd, bot.files) == (None, None)
    assert os.path.isabs(bot.argv[0])
    converse(bot, tmp_path)


@pytest.mark.tool
def test_a_jar(tmp_path: Path, here: Path) -> None:
    needs_tool("jar", "default-jdk-headless")
    (here / "Bot.java").write_text(f"class Bot {{{JAVA}}}")
    subprocess.run(["javac", "Bot.java"], check=True)
    subprocess.run(["jar", "cfe", "bot.jar", "Bot", "Bot.class"], check=True)
    converse(find_bot("bot.jar"), tmp_path)


@pytest.mark.tool
@pytest.mark.parametrize(
    ("program", "package", "file", "text"),
    [
        ("gawk", "gawk", "bot.awk", AWK),
        ("mawk", "mawk", "bot.awk", AWK),
        (
            "lua5.4",
            "lua5.4",
            "bot.lua",
            'for l in io.lines() do print("answer " .. l) io.flush() end',
        ),
        ("sh", "dash", "bot.sh", 'while read -r line; do echo "answer $line"; done'),
    ],
)
def test_an_alternative_that_alone_is_installed(
    program: str, package: str, file: str, text: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = needs_tool(program, package)
    (here / "bin").mkdir()
    (here / "bin" / program).symlink_to(path)
    (here / file).write_text(text)
    monkeypatch.setenv("PATH", str(here / "bin"))
    bot = find_bot(file)
    assert bot.argv[0] == str(here / "bin" / program)
    converse(bot, here)


@pytest.mark.tool
def test_any_awk_will_do(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = needs_tool("busybox", "busybox")
    (here / "bin").mkdir()
    (here / "bin" / "awk").symlink_to(path)
    (here / "bot.awk").write_text(AWK)
    monkeypatch.setenv("PATH", str(here / "bin"))
    converse(find_bot("bot.awk"), here)


@pytest.mark.tool
@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("My.java", f"package some.where; // class No {{\npublic class My {{{JAVA}}}"),
        (
            "My.java",
            f'class Other {{ String s = "}}"; char c = \'"\'; }} final class Main {{{JAVA}}}',
        ),
        (
            "My.java",
            f"/* package no; class No {{ */ class Map {{ class In {{}} }} class B {{{JAVA}}}",
        ),
        ("My.java", f"class Base {{ {JAVA.replace('main', 'talk')} }} class My {{ {JAVA} }}"),
        (
            "My.java",
            f"enum Kind {{ A, B }} interface Go {{ void go(); }} record My(int x) {{{JAVA}}}",
        ),
    ],
)
def test_the_main_class_of_java(file: str, text: str, here: Path) -> None:
    needs_tool("javac", "default-jdk-headless")
    (here / file).write_text(text)
    converse(find_bot(file), here)


@pytest.mark.tool
def test_main_of_java_may_be_inherited_from_a_class_beside(here: Path) -> None:
    needs_tool("javac", "default-jdk-headless")
    (here / "Base.java").write_text(f"class Base {{{JAVA}}}")
    (here / "Bot.java").write_text("class Bot extends Base {}")
    converse(find_bot("Bot.java"), here)


@pytest.mark.tool
def test_a_header_beside_is_found_and_its_edit_noticed(here: Path) -> None:
    needs_tool("g++", "g++")
    (here / "words.hpp").write_text('#include "more.h"\n')
    (here / "more.h").write_text('#define WORD "reply "\n')
    (here / "unrelated.h").write_text("#error never read\n")
    (here / "bot.cpp").write_text('#include "words.hpp"\n' + CPP.replace('"answer "', "WORD"))
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


@pytest.mark.tool
@pytest.mark.parametrize("name", ["-o.c", "bö t.c"])
def test_o20_odd_names_and_a_bare_environment(name: str, here: Path, cache: Path) -> None:
    needs_tool("gcc", "gcc")
    (here / name).write_text(C)
    script = f"from arena.bots import find_bot; print(find_bot({f'./{name}'!r}).argv[0])"
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
    folders = [cache, *(path for path in cache.iterdir())]
    assert {oct(folder.stat().st_mode & 0o777) for folder in folders} == {"0o700"}


@pytest.mark.tool
@pytest.mark.parametrize("home", [None, "/nowhere"])
def test_o20_go_needs_no_home(
    home: str | None, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_tool("go", "golang-go")
    (here / "bot.go").write_text("package main\nfunc main() {}\n")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("GOCACHE", raising=False)
    if home is None:
        monkeypatch.delenv("HOME", raising=False)
    else:
        monkeypatch.setenv("HOME", home)
    subprocess.run(find_bot("bot.go").argv, check=True)


@pytest.mark.tool
@pytest.mark.parametrize(
    ("compiler", "source", "text"),
    [
        ("clang --target=wasm32-wasi -O2 -o bot.wasm bot.c", "bot.c", C),
        ("clang++ --target=wasm32-wasi -O2 -fno-exceptions -o bot.wasm bot.cpp", "bot.cpp", CPP),
    ],
    ids=["c", "cpp"],
)
def test_webassembly(compiler: str, source: str, text: str, tmp_path: Path, here: Path) -> None:
    program, *rest = compiler.split()
    needs_tool(program, WASI_PACKAGES)
    needs_tool("wasm-ld", WASI_PACKAGES)
    (here / source).write_text(text)
    if subprocess.run([program, *rest]).returncode:
        needs_tool(f"{program} for wasm32-wasi", WASI_PACKAGES)
    converse(find_bot("bot.wasm"), tmp_path)
