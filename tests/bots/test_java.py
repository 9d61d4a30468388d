"""Java: which class is run, and where its packages begin."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.machines import java_options, java_program, main_class
from tests.bots.samples import (
    JAVA,
    converse,
    write,
)
from tests.support.tools import needs_tool


@pytest.mark.tool
@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "My.java",
            f'package some.where; class Other {{ String s = "}}"; char c = \'"\'; }} '
            f"/* class No {{ */ final class Main {{{JAVA}}}",
        ),
        pytest.param(
            "My.java",
            f"enum Kind {{ A, B }} interface Go {{ void go(); }} record My(int x) {{{JAVA}}}",
            marks=pytest.mark.dear,
        ),
    ],
)
def test_the_main_class_of_java(file: str, text: str, here: Path) -> None:
    needs_tool("javac", "default-jdk-headless")
    (here / file).write_text(text)
    converse(find_bot(file), here)


@pytest.mark.dear
@pytest.mark.tool
def test_main_of_java_may_be_inherited_from_a_class_beside(here: Path) -> None:
    needs_tool("javac", "default-jdk-headless")
    (here / "Base.java").write_text(f"class Base {{{JAVA}}}")
    (here / "Bot.java").write_text("class Bot extends Base {}")
    converse(find_bot("Bot.java"), here)


@pytest.mark.dear
@pytest.mark.tool
def test_java_in_packages_with_a_class_that_is_reached_only_by_its_name(
    folder: Path, here: Path
) -> None:
    """The main class inherits from one in another package. Tests, which lack their library, are not
    compiled."""
    needs_tool("javac", "default-jdk-headless")
    write(
        folder,
        {
            "bot.toml": 'main = "src/bot/Bot.java"',
            "src/bot/Bot.java": "package bot; class Bot extends some.Base {}",
            "src/some/Base.java": "package some; public class Base {"
            " public static void main(String[] args) throws Exception {"
            ' Class.forName("brain." + "Deep").getMethod("main", String[].class)'
            ".invoke(null, (Object) args); } }",
            "src/brain/Deep.java": f"package brain; public class Deep {{{JAVA}}}",
            "src/bot/BotTest.java": "package bot; import org.junit.Test; class BotTest {}",
            "test/Other.java": "import org.junit.Test; class Other {}",
        },
    )
    bot = find_bot("strong")
    assert bot.argv[-1] == "bot.Bot"
    assert bot.files is not None
    assert (bot.files / "bot.toml").exists()
    converse(bot, here)


MAIN = "public static void main(String[] args) {}"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"class My {{ static class In {{}} {MAIN} }}", "My"),
        (f"class A {{}} class B {{ {MAIN} }} class C {{}}", "B"),
        (f"class Other {{ Object x = Other.class; {MAIN} }}", "Other"),
        (f"/* {{ class No {{ {MAIN}\n */ class Yes {{ {MAIN} }}", "Yes"),
        (f'class A {{ String s = """\n }} class B {{\n"""; {MAIN} }}', "A"),
        (f"record R(int x) {{ {MAIN} }}", "R"),
        (f"enum Kind {{ A, B }} interface Go {{ void go(); }} class My {{ {MAIN} }}", "My"),
        (f"class Base {{ {MAIN.replace('main', 'talk')} }} class My {{ {MAIN} }}", "My"),
        (f"/* package no; class No {{ */ class Map {{ class In {{}} }} class B {{ {MAIN} }}", "B"),
        ("class Base {} class Bot extends Base {}", "Bot"),
        (f"@interface A {{}} final class M<T extends Object> {{ {MAIN} }}", "M"),
        (f"class A {{ static int main; void main() {{}} }} class B {{ {MAIN} }}", "B"),
        (f"class A {{ static <T> void main(T x) {{}} {MAIN} }}", "A"),
        (f"class A {{ char c = '\\'', d = '{{'; String s = \"\\\"{{\"; {MAIN} }}", "A"),
        (f'class A {{ String s = """ \\""" " "" }} """; }} class B {{ {MAIN} }}', "B"),
        ("/* never closed class A { static void main(", "Bot"),
        ('class A { String s = """ never closed static void main(', "Bot"),
        ("", "Bot"),
    ],
)
def test_the_class_that_holds_main(text: str, name: str, here: Path) -> None:
    (here / "Bot.java").write_text(text)
    assert main_class(here, "Bot.java") == {"main": name, "root": "."}


@pytest.mark.parametrize(
    ("main", "package", "name", "root"),
    [
        ("Bot.java", "", "Bot", "."),
        ("src/Bot.java", "", "Bot", "src"),
        ("src/a/b/Bot.java", "package a.b;", "a.b.Bot", "src"),
        ("a/b/Bot.java", "// first\npackage  a.b ;", "a.b.Bot", "."),
        ("src/c/Bot.java", "package a.b;", "a.b.Bot", "src/c"),
    ],
)
def test_where_packages_begin(main: str, package: str, name: str, root: str, here: Path) -> None:
    (here / main).parent.mkdir(parents=True, exist_ok=True)
    (here / main).write_text(f"{package}\nclass Bot {{ {MAIN} }}")
    assert main_class(here, main) == {"main": name, "root": root}


BAD = {
    "texts": '"""' + r"\"\"",
    "comments": "/*",
    "lines": "\n",
    "static": "static ",
    "quotes": '"',
    "characters": "'",
    "packages": "package \n",
    "braces": "{",
    "stars": "/**",
    "backslashes": '"\\',
}


@pytest.mark.parametrize("kind", BAD)
def test_scanning_takes_time_with_the_length_alone(kind: str, here: Path) -> None:
    """CPU time for 16 times the text, against that for the text: 16, or 256 where each place is
    tried from each other one. (The exponential case never ended.)"""

    def scan(size: int) -> float:
        (here / "Bot.java").write_text("class Bot { " + BAD[kind] * (size // len(BAD[kind])))
        start = time.process_time()
        main_class(here, "Bot.java")
        return time.process_time() - start

    short, long = min(scan(1 << 15) for _ in range(5)), scan(1 << 19)
    assert long < 80 * max(short, 0.001)


def test_the_source_of_the_issue(here: Path) -> None:
    text = 'class Bot { String s = """' + r"\"\"" * 45
    (here / "Bot.java").write_text(text)
    assert main_class(here, "Bot.java") == {"main": "Bot", "root": "."}


def test_the_encoding_and_the_libraries_of_a_folder(here: Path) -> None:
    write(here, {"A.java": "// é", "B.java": "", "lib/x.jar": ""})
    assert java_options(here, "A.java", ["B.java"]) == []
    assert java_options(here, "A.java", ["lib/x.jar"]) == ["-cp", "lib/*:libs/*:jars/*:./*"]
    (here / "B.java").write_bytes(b"// \xe9 and more")
    assert java_options(here, "A.java", ["B.java"]) == ["-encoding", "ISO-8859-1"]


@pytest.mark.tool
@pytest.mark.dear
def test_a_source_alone_is_read_as_utf_8(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_tool("javac", "default-jdk-headless")
    monkeypatch.setenv("LC_ALL", "C")
    (here / "Bot.java").write_text(f'class Bot {{ String é = "é"; {JAVA} }}', "utf-8")
    converse(find_bot("Bot.java"), here)


def test_which_sources_are_compiled(here: Path) -> None:
    write(
        here,
        {
            "src/a/Bot.java": "package a;",
            "src/a/Other.java": "/* package b; */ package a;",
            "src/a/b/Inner.java": "package a.b;",
            "src/a/Lost.java": "package b;",
            "src/Top.java": "class Top {}",
            "src/a/BotTest.java": "package a;",
            "test/a/Bot2.java": "package a;",
            "src/test/Try.java": "package test; import static org.junit.Assert.*;",
            "src/test/Use.java": "package test; // import org.junit.Test;",
        },
    )
    names = sorted(str(path.relative_to(here)) for path in here.rglob("*.java"))
    found = java_program(here, "src/a/Bot.java", [n for n in names if n != "src/a/Bot.java"])
    assert found == ["src/Top.java", "src/a/Other.java", "src/a/b/Inner.java", "src/test/Use.java"]
