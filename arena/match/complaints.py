"""What interpreters and runtimes say of programs that they cannot run."""

from __future__ import annotations

import os
import re

from msgspec import Struct


class Complaint(Struct, frozen=True):
    """What interpreters say of one kind of trouble; the group of each pattern says of what."""

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
        "import",
        "an import is missing",
        "install it for the program that runs the bot (arena check -v shows which), or put it "
        "beside the bot",
        (
            r"^ModuleNotFoundError: (.*)",
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


def place(stderr: str) -> str:
    """Where in a source it was, as its language says it."""
    found = re.findall(r'File "([^"<]*)", line (\d+)', stderr) or re.findall(
        r"^(\S+\.\w+):(\d+)$", stderr, re.MULTILINE
    )
    return f" ({os.path.basename(found[-1][0])}, line {found[-1][1]})" if found else ""


def last_words(stderr: str) -> str:
    """The line that says what went wrong."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    named = [line for line in lines if re.match(r"(\w+\.)*\w*(Error|Exception)\b", line)]
    return (named or lines or [""])[-1][:200]
