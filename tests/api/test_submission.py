"""A bot that comes in, from its file to the report for its author."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from arena.api.submission import Submission, examine
from arena.cli.text.submission import LOG_LINES, log_lines, page, text, warnings
from arena.trial.report import SubmissionReport
from tests.bots.archives.evil import tarred, zipped
from tests.support.tools import needs_tool

GOOD = b"for line in open(0):\n    if line[0] == 'g':\n        print(1, flush=True)\n"
CRASH = b"raise SystemExit('<b>no & never</b>\\x1b[2J in ' + __file__)\n"
C = b"""#include <stdio.h>
int main(void) {
    int unused;
    char line[1000];
    while (fgets(line, sizeof line, stdin)) if (line[0] == 'g') { puts("1"); fflush(stdout); }
    fprintf(stderr, "bye\\n");
}
"""


@pytest.fixture
def submitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "strong.tar.gz"


def judged(path: Path, *entries: tuple[str, bytes], name: str | None = None) -> Submission:
    path.write_bytes(tarred(*entries, kind="w:gz"))
    return examine("tiny", path, name=name)


def failed(report: SubmissionReport) -> list[str]:
    return [step.name for step in report.steps if not step.ok and not step.warning]


@pytest.mark.dear
def test_few_of_the_names_that_were_left_out_are_told(submitted: Path) -> None:
    junk = [(f"._{at}", b"") for at in range(20)]
    report = judged(submitted, ("bot.py", b"what"), *junk).report
    assert report.steps[0].detail.endswith(
        "left out: ._0, ._1, ._2, ._3, ._4, ._5, ._6, ._7 and 12 more"
    )


def test_a_good_bot_may_play(submitted: Path) -> None:
    came = judged(submitted, ("MyBot.py", GOOD), (".idea/x.xml", b""), name="Strong One")
    report = came.report
    assert (report.ok, report.name, report.cause, failed(report)) == (True, "Strong One", None, [])
    assert came.taken is not None
    assert came.program is not None
    assert came.taken.address == report.address
    details = {step.name: step.detail for step in report.steps}
    assert details["takes the files"].endswith("left out: .idea")
    assert details["finds the bot in them"] == "Python: MyBot.py (its only source)"
    assert {one.name for one in report.limits} >= {"archive", "unpacked", "slowest answer"}
    assert all(0 <= one.used <= one.allowed for one in report.limits)
    assert (report.compiler, report.stderr) == (None, None)
    assert "Strong One may play tiny." in text(report)
    assert msgspec.json.decode(msgspec.json.encode(report), type=SubmissionReport) == report


@pytest.mark.tool
def test_the_words_of_a_compiler_that_warns(submitted: Path) -> None:
    needs_tool("gcc", "gcc")
    toml = b'build = "gcc -Wall -o bot a.c"\nrun = "./bot"\n'
    report = judged(submitted, ("a.c", C), ("bot.toml", toml)).report
    assert report.ok
    assert "unused variable" in (report.compiler or "")
    assert "unused variable" in text(report)
    assert "bye" in (report.stderr or "")


@pytest.mark.tool
def test_a_build_that_fails(submitted: Path) -> None:
    needs_tool("gcc", "gcc")
    came = judged(submitted, ("main.c", b"int main() { return &; }\n"))
    assert failed(came.report) == ["builds it"]
    assert "expected expression" in (came.report.compiler or "")
    assert came.report.address not in text(came.report)
    assert came.program is None
    assert came.taken is not None


def test_a_bot_that_crashes(submitted: Path) -> None:
    """And what it says commands neither a terminal nor a browser."""
    report = judged(submitted, ("MyBot.py", CRASH)).report
    assert not report.ok
    assert report.cause is not None
    assert "no & never" in (report.stderr or "")
    assert (report.stderr or "").endswith(" in /bot/MyBot.py\n")  # nobody learns where it is kept
    assert failed(report) == ["plays"]
    assert [step.name for step in report.steps if step.ok] == [
        "takes the files",
        "finds the bot in them",
        "builds it",
    ]
    html = page(report)
    assert "&lt;b&gt;no &amp; never&lt;/b&gt;" in html
    assert "<b>no" not in html
    assert "\x1b" not in html + text(report)
    assert "<script" not in html
    assert "default-src 'none'" in html


def test_its_author_hears_what_to_do_in_its_language(submitted: Path) -> None:
    report = judged(submitted, ("MyBot.py", GOOD.replace(b", flush=True", b""))).report
    assert report.cause is not None
    assert report.cause.fix == "flush after each answer: print(answer, flush=True)"


@pytest.mark.dear
def test_its_author_hears_what_is_no_failure(submitted: Path) -> None:
    report = judged(submitted, ("MyBot.py", GOOD.replace(b"print(1", b"print('x'"))).report
    assert report.ok
    first, *others = warnings(report)
    assert "none of its 5 answers to 'go bid' was legal; the first" in first
    assert any("gives legal orders: as player1 5 × bid" in other for other in others)
    assert first in text(report)
    assert "none of its 5 answers" in page(report)


def test_an_archive_that_is_refused(tmp_path: Path, submitted: Path) -> None:
    path = tmp_path / "evil.zip"
    path.write_bytes(zipped(("../../x.py", GOOD)))
    came = examine("tiny", path)
    assert (came.taken, came.program, came.report.address) == (None, None, "")
    assert failed(came.report) == ["takes the files"]
    assert "leads out of the archive" in text(came.report)
    assert "What its compiler said" not in page(came.report)


def test_several_main_files(submitted: Path) -> None:
    report = judged(submitted, ("a.py", GOOD), ("b.py", GOOD)).report
    assert failed(report) == ["finds the bot in them"]
    assert 'main = "a.py"' in text(report)
    assert "strong has several sources" in text(report)


def test_a_long_log_keeps_its_ends() -> None:
    lines = log_lines("\n".join(map(str, range(10_000))))
    assert (len(lines), lines[0], lines[-1]) == (LOG_LINES + 1, "0", "9999")
