"""The one table of languages. To add a language, add an entry.

Commands are written as one would type them. Of several, the first whose program is installed is
taken. They are cut at blanks first and filled in afterwards, so paths may hold blanks. They know

=============  ===============================================================================
``{source}``   the bot's file: when compiling, as seen from the folder that holds the sources
               (the working folder of the compiler); when running, its absolute path
``{out}``      when running: the folder of what was compiled. A compiler writes to ``../out``
``{files}``    when running: the folder of the bot's files, or of their copy
``{python}``   the interpreter that runs the arena
``{activated}``  that of the bot's own virtual environment, else that of the activated one
               (``VIRTUAL_ENV``), else the same
others         what the entry's `facts` found out about the source
=============  ===============================================================================
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.bots import java, native
from arena.bots.executables import find_command
from arena.bots.program import Runtime
from arena.bots.wasm.command import runner_facts


def _no_facts(folder: Path, main: str) -> dict[str, str]:
    return {}


def _alone(folder: Path, main: str, names: Sequence[str]) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Language:
    """How the source files of one language become programs."""

    endings: tuple[str, ...]
    run: tuple[str, ...]
    install: str
    """Where its programs come from: a package of Debian and Ubuntu, and a web site."""
    compile: tuple[str, ...] = ()
    """None: the source runs as it is, where it lies."""
    beside: tuple[str, ...] = ()
    """Endings of files next to the source that its compiler may read."""
    together: Callable[[Path, str, Sequence[str]], Sequence[str]] = _alone
    """Which of its sources in a folder make one program, compiled by one command:
    ``together(folder, main, names of all others)``."""
    headers: tuple[str, ...] = ()
    """Endings of files for whose folders a compiler has to be told."""
    facts: Callable[[Path, str], Mapping[str, str]] = _no_facts
    """More words for the commands, found in the source: ``facts(folder, name in folder)``."""
    runtime: Runtime = Runtime.NATIVE
    """What executes its programs."""


_C = "-O2 -pthread -I. -o ../out/bot {source} -lm"
_NATIVE = ("{out}/bot",)
_RUNNER = "{python} -I {runner} --library={library}"

# The serial collector starts fewest threads, and a small first heap keeps a bot that allocates
# a lot from claiming a gigabyte because the machine has plenty (measured: 45 against 1240 MB).
_JAVA = "java -XX:+UseSerialGC -Xms32m"
_JAVAC = "javac -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1"

LANGUAGES = (
    Language(
        (".py",),
        run=("{activated} {source}", "python3 {source}"),
        install="python3 (Debian, Ubuntu) or https://www.python.org",
    ),
    Language(
        (".js", ".mjs", ".cjs"),
        run=("node {source}", "nodejs {source}"),
        install="nodejs (Debian, Ubuntu) or https://nodejs.org",
    ),
    Language(
        (".rb",),
        run=("ruby {source}",),
        install="ruby (Debian, Ubuntu) or https://www.ruby-lang.org",
    ),
    Language(
        (".php",),
        # Without this option its warnings go to stdout, among the answers.
        run=("php -d display_errors=stderr {source}",),
        install="php-cli (Debian, Ubuntu) or https://www.php.net",
    ),
    Language(
        (".lua",),
        run=("lua {source}", "lua5.4 {source}", "lua5.3 {source}", "luajit {source}"),
        install="lua5.4 (Debian, Ubuntu) or https://www.lua.org",
    ),
    Language(
        (".pl",),
        run=("perl {source}",),
        install="perl (Debian, Ubuntu) or https://www.perl.org",
    ),
    Language(
        # Plain sh would stop at the arrays and [[ ]] that most .sh files use without saying so.
        (".sh",),
        run=("bash {source}", "sh {source}"),
        install="bash (Debian, Ubuntu) or https://www.gnu.org/software/bash",
    ),
    Language(
        # mawk reads a pipe in blocks of 4 kB, and so never hears its first line, unless told
        # otherwise. The others read by line (and answer by fflush(), as does busybox awk).
        (".awk",),
        run=("gawk -f {source}", "mawk -W interactive -f {source}", "awk -f {source}"),
        install="gawk (Debian, Ubuntu) or https://www.gnu.org/software/gawk",
    ),
    Language(
        (".java",),
        compile=(f"{_JAVAC} -encoding UTF-8 -d ../out -sourcepath {{root}} {{source}}",),
        run=(f"{_JAVA} -cp {{out}}:{{files}}/{{root}}:{{files}}/{{root}}/../resources {{main}}",),
        install="default-jdk-headless (Debian, Ubuntu) or https://adoptium.net",
        beside=(".java",),
        together=java.of_one_program,
        facts=java.main_class,
    ),
    Language(
        (".jar",),
        run=(f"{_JAVA} -jar {{source}}",),
        install="default-jre-headless (Debian, Ubuntu) or https://adoptium.net",
    ),
    Language(
        (".c",),
        compile=tuple(f"{compiler} -std=gnu17 {_C}" for compiler in ("gcc", "clang", "cc")),
        run=_NATIVE,
        install="gcc (Debian, Ubuntu) or https://gcc.gnu.org",
        beside=(".h", ".inc", ".c"),
        together=native.of_one_program,
        headers=native.HEADERS,
    ),
    Language(
        (".cpp", ".cc", ".cxx", ".C"),
        compile=tuple(f"{compiler} -std=gnu++20 {_C}" for compiler in ("g++", "clang++", "c++")),
        run=_NATIVE,
        install="g++ (Debian, Ubuntu) or https://gcc.gnu.org",
        beside=(".h", ".hh", ".hpp", ".hxx", ".inc", ".cpp", ".cc", ".cxx"),
        together=native.of_one_program,
        headers=native.HEADERS,
    ),
    Language(
        (".rs",),
        compile=("rustc --edition 2021 -O --crate-name bot -o ../out/bot {source}",),
        run=_NATIVE,
        install="rustc (Debian, Ubuntu) or https://rustup.rs",
        beside=(".rs",),
    ),
    Language(
        (".go",),
        compile=("go build -o ../out/bot {source}",),
        run=_NATIVE,
        install="golang-go (Debian, Ubuntu) or https://go.dev",
        together=native.of_one_package,
    ),
    Language(
        (".wasm",),
        compile=(f"{_RUNNER} --compile {{source}} ../out",),
        run=(f"{_RUNNER} {{out}}",),
        install="python3 (Debian, Ubuntu) or https://www.python.org",
        facts=runner_facts,
        runtime=Runtime.WASM,
    ),
)

ENDINGS = " ".join(sorted(ending for language in LANGUAGES for ending in language.endings))
"""All known endings, for error texts."""


def language_of(path: Path) -> Language | None:
    """The language of a source file by its ending; None if unknown."""
    for ending in (path.suffix, path.suffix.lower()):  # BOT.PY is Python, but .C is not .c
        for language in LANGUAGES:
            if ending in language.endings:
                return language
    return None


def command(alternatives: tuple[str, ...], **places: str) -> tuple[str, ...] | None:
    """The first command whose program is installed, filled in; None when there is none."""
    words = {**_pythons(), **places}
    for text in alternatives:
        first, *rest = (word.format(**words) for word in text.split())
        if (program := find_command(first)) is not None:
            return (program, *rest)
    return None


def _pythons() -> dict[str, str]:
    """The two interpreters of Python that commands may name."""
    environment = os.environ.get("VIRTUAL_ENV", "")
    own = os.path.join(environment, "bin", "python")
    is_there = environment != "" and os.access(own, os.X_OK)
    return {"python": sys.executable, "activated": own if is_there else sys.executable}


def interpreters() -> set[str]:
    """The names of the programs that run sources as they are."""
    texts = [text for entry in LANGUAGES if not entry.compile for text in entry.run]
    return {text.split()[0] for text in texts if text[0] != "{"} | {"python", "python3"}


def programs() -> list[str]:
    """The paths of all installed programs that the table names."""
    commands = [text for entry in LANGUAGES for text in (*entry.compile, *entry.run)]
    names = [text.split()[0] for text in commands]
    for name, place in _pythons().items():
        names = [first.replace(f"{{{name}}}", place) for first in names]
    return [program for name in dict.fromkeys(names) if (program := find_command(name))]


def not_installed(alternatives: tuple[str, ...], language: Language) -> str:
    """``go is not installed: install golang-go (Debian, Ubuntu) or https://go.dev``"""
    programs = [os.path.basename(text.split()[0]).strip("{}") for text in alternatives]
    if len(programs) == 1:
        return f"{programs[0]} is not installed: install {language.install}"
    return f"none of {', '.join(programs)} is installed: install {language.install}"
