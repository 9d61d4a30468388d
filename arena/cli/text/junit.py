"""JUnit's XML, which servers for continuous integration read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from msgspec import Struct

from arena.errors import UsageError
from arena.text import printable


class JunitCase(Struct, frozen=True):
    """One test."""

    name: str
    failure: str = ""
    """Why it failed; empty if it passed."""
    seconds: float = 0.0


def write_junit(path: Path, name: str, cases: Sequence[JunitCase]) -> None:
    """Write the tests as a file. Raises UsageError when it cannot be made."""
    try:
        path.write_text(junit_text(name, cases), "utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}: name a file that can be made"
        ) from None


def junit_text(name: str, cases: Sequence[JunitCase]) -> str:
    """The tests as one suite of that name."""
    failed = sum(bool(case.failure) for case in cases)
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuite name={_quoted(name)} tests="{len(cases)}" failures="{failed}">',
            *(_case(name, case) for case in cases),
            "</testsuite>\n",
        ]
    )


def _case(suite: str, case: JunitCase) -> str:
    head = (
        f"  <testcase classname={_quoted(suite)} name={_quoted(case.name)} "
        f'time="{case.seconds:.3f}"'
    )
    if not case.failure:
        return f"{head}/>"
    return f"{head}><failure message={_quoted(case.failure)}/></testcase>"


def _quoted(text: str) -> str:
    return quoteattr(printable(text))
