"""Which sources are the bot's own, and how much of them is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots import content
from arena.bots.convention import Sources
from tests.bots.samples import write


@pytest.mark.parametrize(
    ("files", "own"),
    [
        (["a.py", "test/b.py", "Tests/c.py", "node_modules/x/d.js", "e.txt"], ["a.py"]),
        (["a.py", "lib/b.py"], ["a.py"]),
        (["lib/b.py"], ["lib/b.py"]),
        (["lib/a.rb", "bin/b.rb"], ["bin/b.rb", "lib/a.rb"]),
        (["examples/a.py"], ["examples/a.py"]),
        (["vendor/a.go"], []),
        (["a.js", "jest.config.js", "a.test.js", "types.d.ts"], ["a.js"]),
    ],
)
def test_what_is_the_bots_own(files: list[str], own: list[str], tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(files, ""))
    assert Sources(tmp_path).own == own


def test_sources_are_read_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "SCANNED_TOGETHER", 5)
    write(tmp_path, {"a.py": "abc", "b.py": "abc", "c.py": "abc"})
    found = Sources(tmp_path)
    assert [found.text(name) for name in found.own * 2] == [b"abc", b"ab", b""] * 2


def test_a_comment_holds_nothing_in_java(tmp_path: Path) -> None:
    write(tmp_path, {"A.java": "// main\n", "b.py": "# main\n"})
    found = Sources(tmp_path)
    assert [found.holds(name, b"main") for name in found.own] == [False, True]


def test_which_are_used(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "import b", "b.py": "", "b.rb": ""})
    assert Sources(tmp_path).used == {"b.py"}
