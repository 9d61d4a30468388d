"""The first error of each compiler, in one line."""

from __future__ import annotations

import time

import pytest

from arena.bots.steps import LENGTH, headline

SAID = {
    "gcc": (
        "In file included from a.c:1:\nb.h:1:1: warning: odd\nb.h:3:5: error: expected ';'\n x\n",
        "b.h:3:5: error: expected ';'",
    ),
    "ld": (
        "/usr/bin/ld: /tmp/cc.o: in function `main':\n"
        "bot.c:(.text+0x5): undefined reference to `f'\n"
        "collect2: error: ld returned 1 exit status\n",
        "bot.c:(.text+0x5): undefined reference to `f'",
    ),
    "javac": (
        "Note: x\nsrc/Bot.java:3: error: ';' expected\n  int x\n       ^\n1 error\n",
        "src/Bot.java:3: error: ';' expected",
    ),
    "rustc": (
        "warning: unused variable\n --> a.rs:1:1\nerror[E0425]: cannot find value `x`\n"
        " --> src/main.rs:3:5\n  |\nerror: aborting due to 1 previous error\n",
        "src/main.rs:3:5: error[E0425]: cannot find value `x`",
    ),
    "go": ("# command-line-arguments\n./bot.go:3:2: undefined: x\n", "./bot.go:3:2: undefined: x"),
    "mcs": (
        "Bot.cs(3,5): warning CS0168: unused\nBot.cs(4,5): error CS0103: no `x'\n"
        "Compilation failed: 1 error(s), 1 warnings\n",
        "Bot.cs(4,5): error CS0103: no `x'",
    ),
    "ghc": (
        "\nsrc/Main.hs:2:1: error:\n    Could not find module `Data.Split'\n    Use -v\n",
        "src/Main.hs:2:1: error: Could not find module `Data.Split'",
    ),
    "ocamlopt": (
        'File "bin/bot.ml", line 4, characters 2-3:\n4 |  x\n       ^\nError: Unbound value x\n',
        "bin/bot.ml:4: Error: Unbound value x",
    ),
    "elixirc": (
        "\n== Compilation error in file lib/bot.ex ==\n** (CompileError) lib/bot.ex:3: no f/0\n",
        "** (CompileError) lib/bot.ex:3: no f/0",
    ),
    "erlc": (
        "src/a.erl:1:2: Warning: odd\nsrc/bot.erl:3:5: function f/0 undefined\n%   3| f\n",
        "src/bot.erl:3:5: function f/0 undefined",
    ),
    "fpc": (
        'bot.pas(3,5) Warning: odd\nbot.pas(4,9) Error: Identifier not found "x"\n',
        'bot.pas(4,9) Error: Identifier not found "x"',
    ),
    "gfortran": (
        "bot.f90:3:5:\n\n    3 | x\n      | 1\nError: Unclassifiable statement at (1)\n",
        "bot.f90:3: Error: Unclassifiable statement at (1)",
    ),
    "tsc": ("bot.ts(1,5): error TS2304: no 'x'.\n", "bot.ts(1,5): error TS2304: no 'x'."),
    "nothing of the kind": ("I cannot do that.\nReally.\n", "I cannot do that."),
    "only warnings": ("a.c:1: warning: odd\n", "a.c:1: warning: odd"),
    "nothing": ("\n \n", ""),
}


@pytest.mark.parametrize("compiler", SAID)
def test_the_first_error(compiler: str) -> None:
    said, expected = SAID[compiler]
    assert headline(said) == expected


def test_a_headline_is_one_short_line_that_can_be_shown() -> None:
    text = headline("a.c:1: error: \x1b[31m" + "x" * 5000)
    assert text.startswith("a.c:1: error: ?[31mxxx")
    assert len(text) == LENGTH


@pytest.mark.parametrize("part", ["error", "a:1", "(", " ", "warning\n", "x\n", "** (", 'File "'])
def test_it_takes_time_with_the_length_alone(part: str) -> None:
    start = time.process_time()
    headline(part * (32 << 10))
    assert time.process_time() - start < 1
