"""Reads from stderr why a program ended: what could not be run, where it failed, its last words."""

from __future__ import annotations

import os
import re
from itertools import pairwise

from msgspec import Struct


class Complaint(Struct, frozen=True):
    """How interpreters report one kind of problem; the group of each pattern is its subject."""

    code: str
    sentence: str
    fix: str
    patterns: tuple[str, ...]


COMPLAINTS = (
    Complaint(
        "missing_file",
        "its interpreter does not find its file",
        "correct the path, as seen from the folder in which it runs",
        (
            r"can't open file '([^']*)'",
            r"^Error: Cannot find module '(/[^']*)'\n(?:.*\n)*? +requireStack: \[\]",
            r"^Could not open input file: (.*)",
            r"^Can't open perl script \"([^\"]*)\"",
            r"^(?:/\S*/)?(?:ba|da|)sh: (?:\d+: )?(?:cannot open )?(.*): No such file",
            r"^ruby: No such file or directory -- (\S+)",
            r"^lua\S*: cannot open (\S+)",
            r"Unable to access jarfile (.*)",
        ),
    ),
    Complaint(
        "windows",
        "its lines end as on Windows (CR LF), which its interpreter does not accept",
        "run sed -i 's/\\r$//' {source}",
        (r"(\$'[^'\n]*\\r')", r"^env: (\S+\\r)"),
    ),
    Complaint(
        "old_python",
        "it is written for an older Python",
        "change it for Python 3: time.perf_counter() for time.clock(), range for xrange, input for"
        " raw_input, print(…) with brackets",
        (
            r"^ImportError: (cannot import name '\w+' from '(?:time|collections|cgi|inspect)'.*)",
            r"^AttributeError: (module 'time' has no attribute 'clock'.*)",
            r"^AttributeError: ('dict' object has no attribute '(?:has_key|iter\w+)'.*)",
            r"^NameError: (name '(?:xrange|raw_input|unicode|basestring|unichr|long)' is not .*)",
            r"^ModuleNotFoundError: (No module named '"
            r"(?:Queue|StringIO|ConfigParser|cPickle|urllib2|sets|imp|distutils)'.*)",
            r"^SyntaxError: (Missing parentheses in call to .*)",
        ),
    ),
    Complaint(
        "import",
        "an import is missing",
        "put it into the folder of the bot, where each judge finds it: pip install --target FOLDER "
        "with its name, or with -r requirements.txt; or install it for the program that runs the "
        "bot (arena check -v shows which)",
        (r"^ModuleNotFoundError: (.*)",),
    ),
    Complaint(
        "import",
        "an import is missing",
        "install it for the program that runs the bot (arena check -v shows which), or put it "
        "beside the bot",
        (
            r"^ImportError: (.*)",
            r"^Error: (Cannot find module '[^']*')",
            r"^Error \[ERR_MODULE_NOT_FOUND\]: (.*)",
            r"(cannot load such file -- \S+)",
            r"(Can't locate \S+) in @INC",
            r"^lua\S*: .*(module '[^']*' not found)",
            r"(NoClassDefFoundError: \S+)",
            r"(ClassNotFoundException: \S+)",
            r"Failed opening required '([^']*)'",
            r"error while loading shared libraries: (.*)",
        ),
    ),
    Complaint(
        "syntax",
        "a syntax error",
        "correct it there",
        (
            r"^((?:SyntaxError|IndentationError|TabError): .*)",
            r"(Parse error: .*)",
            r"^(.*syntax error.*)",
            r"^lua\S*: (\S+:\d+: .*near.*)",
        ),
    ),
)


PYTHON = r'File "([^"<\n]+)", line (\d+)'
PLACES = (
    r"^(\S+\.\w+):(\d+)$",
    r"^[ \t]+at (?!java|jdk|sun)\S+\((\w+\.\w+):(\d+)\)",
    r"^(\S+\.rb):(\d+):in ",
    r" at (\S+) line (\d+)[.,]",
    r" in (\S+\.php)(?::| on line )(\d+)",
    r"^lua\S*: (\S+\.lua):(\d+):",
    r"^\t(\S+\.go):(\d+) \+0x",
    r"panicked at (?:[^\n]{0,200}, )?(\S+\.rs):(\d+)",
)
"""How other languages name the line where a program failed: the first match is that line."""


def spot(stderr: str) -> tuple[str, str] | None:
    """The file and line where a program failed. A Python traceback names it last, apart from lines
    of the standard library."""
    lines = re.findall(PYTHON, stderr)
    found = [line for line in lines if "/lib/python3" not in line[0]][-1:] or [
        line for pattern in PLACES for line in re.findall(pattern, stderr, re.MULTILINE)
    ]
    return (os.path.basename(found[0][0]), found[0][1]) if found else None


def place(stderr: str, said: str = "") -> str:
    """The file and line, worded to end a sentence; empty if `said` already names both."""
    where = spot(stderr)
    is_said = where is not None and where[0] in said and where[1] in said
    return f" ({where[0]}, line {where[1]})" if where and not is_said else ""


_CLOJURE = re.compile(r"(?:Execution|Syntax) error (?:\(\w+\) )?(?:\w+ )?at ")
"""How a Clojure error begins; its next line has the message."""
_EXCEPTION = re.compile(
    r"(?:\w+\.)*\w*(?:Error|Exception)\b|\*\* \(|panic: |thread '[^']*' panicked"
)
"""How the line with the message begins in other languages."""


def last_words(stderr: str) -> str:
    """The line that says what went wrong."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    for line, following in pairwise(lines):
        if _CLOJURE.match(line) or (line.startswith("thread '") and line.endswith(":")):
            return f"{line.rstrip('.:')}: {following}"[:200]
    named = [line for line in lines if _EXCEPTION.match(line)]
    return (named or lines or [""])[-1][:200]
