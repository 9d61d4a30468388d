"""Results as JUnit XML, which services for continuous integration read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from msgspec import Struct

from arena.record.output import write_whole

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class JunitCase(Struct, frozen=True):
    """One test case."""

    name: str
    failure: str = ""
    """Why it failed; empty if it passed."""
    output: str = ""
    seconds: float = 0.0


def junit_xml(suite: str, cases: Sequence[JunitCase]) -> str:
    """The document of one suite."""
    failures = sum(bool(case.failure) for case in cases)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites><testsuite name={_attribute(suite)} tests={_attribute(str(len(cases)))} "
        f"failures={_attribute(str(failures))}>",
    ]
    for case in cases:
        lines.append(
            f"<testcase classname={_attribute(suite)} name={_attribute(case.name)} "
            f"time={_attribute(f'{case.seconds:.3f}')}>"
        )
        if case.failure:
            lines.append(
                f"<failure message={_attribute(case.failure)}>{_text(case.failure)}</failure>"
            )
        if case.output:
            lines.append(f"<system-out>{_text(case.output)}</system-out>")
        lines.append("</testcase>")
    return "\n".join([*lines, "</testsuite></testsuites>", ""])


def write_junit(path: Path, suite: str, cases: Sequence[JunitCase]) -> None:
    """Write the document. Raises as `write_whole`."""
    write_whole(path, junit_xml(suite, cases))


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("?", text))


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("?", text))
