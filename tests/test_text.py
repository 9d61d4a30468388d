"""Sizes and times as text, and foreign text made safe for terminals."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from arena.errors import UsageError
from arena.text import (
    LOG_WIDTH,
    QUOTED,
    distinct,
    garble,
    milliseconds,
    nearest,
    parse_size,
    printable,
    quote,
    safe,
    safe_lines,
    shell_word,
    shown,
    size_text,
)

DANGEROUS = {
    "an escape sequence": "\x1b[31m",
    "an operating system command": "\x1b]0;title\x07",
    "the same as one character (C1)": "\x9b31m",
    "a carriage return": "\rok",
    "a backspace": "\b\b",
    "a delete": "\x7f",
    "a next line (C1)": "\x85",
    "a line separator": "\u2028",
    "a paragraph separator": "\u2029",
    "a right-to-left override": "\u202etxt.exe",
    "an isolate": "\u2066x\u2069",
    "a mark of direction": "\u200f",
    "a zero-width space": "\u200b",
    "a soft hyphen": "\xad",
    "a byte order mark": "\ufeff",
    "a tag": "\U000e0041",
    "private use": "\ue000",
    "a byte that is not UTF-8": "\udc9b",
    "NUL": "\0",
}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512M", 512 << 20),
        ("1G", 1 << 30),
        ("1.5GiB", 3 << 29),
        ("2048 kb", 2 << 20),
        (" 64MB ", 64 << 20),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["512", "0M", "-1G", "1T", "", "lots", "10K", "1e3M", "١M"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UsageError, match="give at least 1M, with a unit"):
        parse_size(text)


def test_sizes_for_people() -> None:
    assert [size_text(n) for n in (0, 1, 1023, 1024, 65_536)] == [
        *("0 bytes", "1 byte", "1023 bytes", "1 KiB", "64 KiB")
    ]
    assert [size_text(n << 20) for n in (1, 300, 1024, 1536)] == [
        "1 MiB",
        "300 MiB",
        "1 GiB",
        "1.5 GiB",
    ]


def test_times_for_people() -> None:
    times = (None, 0.314, 9.994, 10, 12.4, 999.4, 1000, 3200)
    assert [milliseconds(ms) for ms in times] == [
        *("-", "0.31 ms", "9.99 ms", "10 ms", "12 ms", "999 ms", "1.00 s", "3.20 s")
    ]


def test_the_nearest_name() -> None:
    assert nearest("strng", ["weak", "strong"]) == "strong"
    assert nearest("strng", iter(())) is None
    assert nearest("xyz", ["weak", "strong"]) is None


# -- foreign text ----------------------------------------------------------------------------------


@pytest.mark.parametrize("what", DANGEROUS)
def test_what_could_command_a_terminal_is_not_printable(what: str) -> None:
    text = f"a{DANGEROUS[what]}b"
    first = DANGEROUS[what][0]
    for show in (printable, safe, quote):
        assert show(text).isprintable()
        assert first not in show(text)
    line = shown(text.encode(errors="surrogateescape"))
    assert line.isprintable()
    assert first not in line


def test_every_character_is_escaped_by_one_rule() -> None:
    """As `repr` does it. All of the first blocks of Unicode, and samples of the others."""
    for code in (*range(0x3000), *range(0x3000, 0x110000, 97)):
        char = chr(code)
        expected = char if char in "'\\" else repr(char)[1:-1]
        if char not in "\t\n":
            assert safe(char) == expected
        if not 0xD800 <= code < 0xE000:
            assert shown(char.encode()) == expected
        if char not in "'\\":
            assert quote(char) == f"'{expected}'"
        assert printable(char) == (char if char == expected else "?")


@settings(derandomize=True, deadline=None)
@given(st.text(st.characters(), max_size=50))
def test_names_keep_their_length(name: str) -> None:
    assert printable(name).isprintable()
    assert len(printable(name)) == len(name)


def test_lines_for_a_terminal_stay_lines() -> None:
    assert safe("a\tb\n\tc\n") == "a   b\n    c\n"
    assert safe("a\r\nb\x0bc\x0cd\u2028e") == "a\\r\nb\\x0bc\\x0cd\\u2028e"
    assert safe("ein Gruß, 盤, 'quoted', \\x1b") == "ein Gruß, 盤, 'quoted', \\x1b"


@settings(derandomize=True, deadline=None)
@given(st.binary(max_size=400))
def test_what_is_shown_is_short_and_commands_no_terminal(data: bytes) -> None:
    text = shown(data)
    assert len(text) <= 80
    assert text.isprintable()


def test_escapes_are_spelled_out() -> None:
    assert shown(b"\x1b[31mred\x00\xff") == "\\x1b[31mred\\x00\\xff"


def test_what_is_cut_says_so() -> None:
    assert shown(b"x" * 80) == "x" * 80
    assert shown(b"x" * 81) == "x" * 79 + "…"
    assert shown("🂡".encode() * 80) == "🂡" * 80
    assert shown("🂡".encode() * 81) == "🂡" * 79 + "…"
    assert shown(b"\0" * 3, 8) == "\\x00\\x0…"
    assert quote("x" * QUOTED) == f"'{'x' * QUOTED}'"
    assert quote("x" * (QUOTED + 1)) == f"'{'x' * QUOTED}'…"
    assert quote("it's \x1b") == '"it\'s \\x1b"'


@settings(derandomize=True, deadline=None)
@given(st.binary(min_size=1, max_size=100))
def test_garble_is_one_word(data: bytes) -> None:
    word = garble(data)
    assert word.isascii()
    assert word.isprintable()
    assert not set(word) & set(" ,")
    assert word


def test_garble_tells_lines_apart() -> None:
    assert garble(b"a b,c\xff~!") == "a\\x20b\\x2cc\\xff~!"


def test_names_are_told_apart() -> None:
    assert distinct(["a", "b", "a"]) == ["a #1", "b", "a #2"]


def test_the_long_lines_of_a_log_are_cut() -> None:
    most = "x" * LOG_WIDTH
    assert safe_lines(f"a\x1b\n\n{most}\n{most}yy\n") == ["a\\x1b", "", most, f"{most} … (2 more)"]


def test_a_path_in_a_command_is_one_word() -> None:
    assert shell_word("cup.league") == "cup.league"
    assert shell_word(Path("my bots/c'd.league")) == """'my bots/c'"'"'d.league'"""
    assert shell_word("a\x1bb") == "'a\\x1bb'"
