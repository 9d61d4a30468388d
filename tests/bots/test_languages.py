"""A real bot in every language of the table: built, started, asked twice, and let go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.language import Language
from arena.bots.languages import COMPETITION, LANGUAGES, missing_programs
from arena.sandbox.levels import Level
from tests.bots.builds import why_no_walls
from tests.bots.samples import (
    AWK,
    CPP,
    JAVA,
    SAMPLES,
    WASI_PACKAGES,
    C,
    Sample,
    converse,
)
from tests.bots.selftest import run_selftest, source_of
from tests.support.tools import dear, needs_tool

NOT_IN_CI = {
    *("Ada", "COBOL", "Clojure", "Crystal", "D", "Elixir", "Forth", "Groovy", "Haskell", "Kotlin"),
    *("Lisp", "Nim", "Prolog", "R", "Racket", "Raku", "Scala", "Scheme", "TypeScript", "Vala"),
}
"""Languages whose tools `.ci/run` does not install, since they are large, or slow: their tests are
skipped where they are missing. `arena doctor --languages` says which are."""


TESTED = [language for language in LANGUAGES if source_of(language).exists()]
QUICK = {"C", "JavaScript", "Python", "shell"}
"""Languages that stand for the others in each run: compiled, with a runtime, and neither."""


def needs_language(language: Language) -> None:
    """Skip, or fail in CI, where its tools are missing."""
    if missing_programs(language):
        text = f"{language.name} is not installed: apt-get install {language.packages}"
        if os.environ.get("CI") == "true" and language.name not in NOT_IN_CI:
            pytest.fail(text, pytrace=False)
        pytest.skip(text)


def test_at_least_25_languages_and_14_of_them_in_ci() -> None:
    names = [language.name for language in TESTED]
    assert {language.name for language in LANGUAGES} - {*names} == {"Java archive"}  # a binary file
    assert len(set(names)) == len(names) >= 25
    assert set(names) >= COMPETITION | NOT_IN_CI
    assert len(set(names) - NOT_IN_CI) >= 14


def test_no_ending_has_two_languages() -> None:
    endings = [ending for language in LANGUAGES for ending in language.endings]
    assert len(set(endings)) == len(endings)


@pytest.mark.tool
@pytest.mark.parametrize(
    "language",
    dear(TESTED, but=lambda one: one.name in QUICK),
    ids=lambda one: one.name,
)
def test_its_selftest_plays_behind_walls(language: Language, tmp_path: Path) -> None:
    """From its source to its end."""
    needs_language(language)
    if language.name in NOT_IN_CI and os.environ.get("CI") == "true":
        pytest.skip("not in CI: its tools are large or slow")
    level = Level.OFF if why_no_walls(Level.SANDBOX) else Level.SANDBOX
    tmp_path.chmod(0o755)
    assert run_selftest(language, level, tmp_path) == ["ready", "heard one"]


def test_every_known_ending_of_these_is_tried() -> None:
    """More than one ending, and what a whole path does."""
    sampled = {Path(sample.file).suffix for sample in SAMPLES}
    for name in ("JavaScript", "C++", "C", "Java", "Go", "Rust", "Python", "Ruby", "PHP", "Perl"):
        language = next(one for one in LANGUAGES if one.name == name)
        assert set(language.endings) <= sampled


@pytest.mark.dear_for("Bot.java", "bot.cpp", "bot.rs", "bot.go")
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
@pytest.mark.dear
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
        pytest.param(
            "clang++ --target=wasm32-wasi -O2 -fno-exceptions -o bot.wasm bot.cpp",
            "bot.cpp",
            CPP,
            marks=pytest.mark.dear,
        ),
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


def test_a_py_file_runs_with_the_activated_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else with the interpreter that runs the arena."""
    (bot := tmp_path / "bot.py").write_text("#")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    assert find_bot(str(bot)).argv[0] == sys.executable
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "venv"))
    assert find_bot(str(bot)).argv == (str(python), str(bot))
