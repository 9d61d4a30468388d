"""Which source uses which, by their words."""

from __future__ import annotations

import time

import pytest

from arena.bots.languages import LANGUAGES
from arena.bots.modules import in_order, titles, used, without_comments
from tests.support.tools import dear


@pytest.mark.parametrize(
    ("language", "texts", "expected"),
    [
        ("Python", {"a.py": "import b, c.d", "b.py": "", "c/d.py": "", "e.py": ""},
         {"b.py", "c/d.py"}),
        ("Python", {"p/a.py": "from . import b\nfrom .c import X", "p/b.py": "", "p/c.py": ""},
         {"p/b.py", "p/c.py"}),
        ("Python", {"a.py": "from p.b import (x,\n y)\n", "p/b.py": "", "p/__init__.py": ""},
         {"p/b.py"}),
        ("Python", {"a.py": "# import b\nbot = 3", "b.py": "", "bot.py": ""}, set()),
        ("JavaScript", {"a.js": "const x = require('./lib/b');\ny = 'c'", "lib/b.js": "",
                        "c.js": ""},
         {"lib/b.js"}),
        ("JavaScript", {"a.mjs": "import { b } from './b.mjs'", "b.mjs": ""}, {"b.mjs"}),
        ("Ruby", {"a.rb": "require_relative 'x/b'", "x/b.rb": "", "c.rb": ""}, {"x/b.rb"}),
        ("PHP", {"a.php": "<?php include __DIR__ . '/b.php';", "b.php": ""}, {"b.php"}),
        ("Lua", {"a.lua": 'require "x.b"', "x/b.lua": "", "c.lua": ""}, {"x/b.lua"}),
        ("Perl", {"a.pl": "use X::B;\n", "B.pl": "", "c.pl": ""}, {"B.pl"}),
        ("shell", {"a.sh": ". ./b.sh\n", "b.sh": "", "c.sh": "a"}, {"b.sh"}),
        ("Java", {"A.java": "new B() /* C */; // D", "B.java": "", "C.java": "", "D.java": '"A"'},
         {"B.java"}),
        ("Clojure", {"a.clj": "(ns x.a (:require [x.b-c :as b]))", "b_c.clj": "(ns ^:no x.b-c)"},
         {"b_c.clj"}),
        ("Elixir", {"a.ex": "A.B.run()", "b.ex": "defmodule A.B do", "c.ex": "defmodule C do"},
         {"b.ex"}),
        ("OCaml", {"a.ml": "Words.say", "words.ml": "", "other.ml": ""}, {"words.ml"}),
        ("Rust", {"one/main.rs": "fn main() {}", "two/main.rs": "fn main() {}"}, set()),
        ("Java", {"x/A.java": "B", "x/B.java": "", "y/B.java": ""}, {"x/B.java", "y/B.java"}),
    ],
)  # fmt: skip
def test_what_others_use(language: str, texts: dict[str, str], expected: set[str]) -> None:
    assert used(language, {name: text.encode() for name, text in texts.items()}) == expected


def test_each_source_after_those_that_it_uses() -> None:
    texts = {
        "main.ml": b"Plan.go (Words.say)",
        "plan.ml": b"Board.x Words.y",
        "words.ml": b"Base.z",
        "board.ml": b"Plan.circle",
        "base.ml": b"",
        "unused.ml": b"",
    }
    assert in_order("OCaml", texts, "main.ml") == ["board.ml", "base.ml", "words.ml", "plan.ml"]


def test_of_two_programs_each_has_its_own() -> None:
    texts = {"a/x.ml": b"Words.a", "a/words.ml": b"", "b/words.ml": b"", "b/x.ml": b"Words.b"}
    assert in_order("OCaml", texts, "a/x.ml") == ["a/words.ml"]
    assert in_order("OCaml", texts, "b/x.ml") == ["b/words.ml"]


def test_the_names_of_a_source() -> None:
    assert titles("Python", "src/p/a.py", b"") == [b"src.p.a", b"p.a", b"a"]
    assert titles("Python", "p/__init__.py", b"") == [b"p"]


def test_comments_and_texts_are_blanked() -> None:
    assert without_comments(b'a /* b */ "c\\"d" e // f') == b"a     e  "


BAD = [
    "import ",
    "from a import b, ",
    "(ns ^",
    "(ns ^(ns ",
    "(ns ",
    'require "a',
    "use A::",
    "'",
    '"""',
    "/*",
    "a.",
    "a ",
    ". a\n",
    "defmodule A.",
    "\\",
    "A.B ",
]


@pytest.mark.dear
@pytest.mark.parametrize("part", dear(BAD, but=lambda part: part == "(ns ^(ns "))
def test_reading_takes_time_with_the_length_alone(part: str) -> None:
    text = (part * ((64 << 10) // len(part))).encode()
    start = time.process_time()
    for language in LANGUAGES:
        used(language.name, {"a.x": text, "b.x": text[1:]})
    assert time.process_time() - start < 10
