"""A bot in every language of the table, and a conversation with it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

from arena.bots.program import BotProgram

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


PYTHON = "for line in open(0):\n    print('answer', line, end='', flush=True)\n"

AWK = '{ print "answer " $0; fflush() }'


CXX = C.replace("stdio.h", "cstdio").replace("printf", "std::printf")
"""C++ that no C compiler takes, and that is compiled in a tenth of the time of <iostream>."""

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
    Sample("bot.cc", "g++", "g++", CXX),
    Sample("bot.cxx", "g++", "g++", CXX),
    Sample("bot.C", "g++", "g++", CXX),
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


def write(folder: Path, files: dict[str, str]) -> None:
    """Write the files of a bot that is a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
