"""A small crowd; see `tests.experiments.crowd` for the promises."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from tests.experiments.crowd import (
    Crowd,
    CrowdUpload,
    Figures,
    broken_matches,
    broken_uploads,
    make_upload,
    part_of,
)

if TYPE_CHECKING:
    from tests.experiments.crowd import ServedSite

pytestmark = pytest.mark.dear
LONG = 60
"""Seconds that a request may take: other tests run meanwhile."""


def test_a_small_crowd_with_kills_loses_nothing() -> None:
    words = [sys.executable, "-m", "tests.experiments.crowd", "--authors", "6", "--versions", "8"]
    words += ["--minutes", "0.2", "--readers", "4", "--kills", "3", "--p99", str(LONG)]
    root = Path(__file__).parents[2]
    ran = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=900)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "killed: " in ran.stdout


@pytest.fixture
def crowd() -> Crowd:
    uploads = [make_upload(number, random.Random(number)) for number in range(6)]
    made = Crowd(cast("ServedSite", None), Figures(), random.Random(1), uploads=uploads)
    for number, one in enumerate(uploads, 1):
        one.fate, one.upload, one.is_good = "accepted", number, True
    return made


def table(uploads: list[CrowdUpload]) -> sqlite3.Connection:
    """What a site has kept of them."""
    file = sqlite3.connect(":memory:")
    file.executescript(
        "CREATE TABLE upload (number INTEGER PRIMARY KEY, sha256 TEXT);"
        "CREATE TABLE outcome (upload INTEGER, submission INTEGER, problem TEXT);"
        "CREATE TABLE submission (number INTEGER PRIMARY KEY, passed INTEGER);"
        "CREATE TABLE valid (fixture INTEGER); CREATE TABLE answer (request INTEGER, content TEXT);"
    )
    for one in uploads:
        file.execute("INSERT INTO upload VALUES (?, ?)", (one.upload, one.sha256))
        file.execute("INSERT INTO outcome VALUES (?, ?, '')", (one.upload, one.upload))
        file.execute("INSERT INTO submission VALUES (?, ?)", (one.upload, one.is_good))
    return file


def test_no_upload_may_be_lost_or_there_twice(crowd: Crowd) -> None:
    uploads = crowd.uploads
    with closing(table(uploads)) as file:
        assert list(broken_uploads(file, crowd)) == []
        file.execute("DELETE FROM upload WHERE number = 1")
        file.execute("INSERT INTO upload VALUES (7, ?)", (uploads[1].sha256,))
        file.execute("UPDATE submission SET passed = 0 WHERE number = 3")
        file.execute("DELETE FROM outcome WHERE upload = 4")
        file.execute("INSERT INTO outcome VALUES (5, 5, '')")
        uploads[5].fate = "refused"
        found = "\n".join(broken_uploads(file, crowd))
    for what in (
        "upload 0 (accepted) is there 0 times",
        "upload 1 (accepted) is there 2 times",
        "is good and was refused",
        "upload 4 has no outcome",
        "upload 5 has two outcomes",
        "upload 5 (refused) is there 1 times",
    ):
        assert what in found, found


def test_an_upload_whose_answer_was_cut_off_may_be_there_once(crowd: Crowd) -> None:
    crowd.uploads[0].fate = "lost"
    with closing(table(crowd.uploads)) as file:
        assert list(broken_uploads(file, crowd)) == []
    with closing(table(crowd.uploads[1:])) as file:
        assert list(broken_uploads(file, crowd)) == []


def test_no_match_has_two_results_and_no_scrimmage_is_lost(crowd: Crowd) -> None:
    crowd.scrimmages = {1, 2}
    with closing(table([])) as file:
        file.execute("INSERT INTO valid VALUES (1), (2), (2)")
        file.execute("""INSERT INTO answer VALUES (1, '{"problem": "no"}')""")
        found = list(broken_matches(file, crowd))
    assert found == [
        "match 2 has two results",
        "scrimmage 1: no",
        "scrimmage 2 was answered 0 times",
    ]


def test_figures_are_for_people(crowd: Crowd) -> None:
    figures = crowd.figures
    figures.seconds["home"] += [0.1] * 98 + [0.5, 2.0]
    figures.errors["home"] = 3
    assert part_of(sorted(figures.seconds["home"]), 0.99) == 2.0
    home = next(line for line in figures.text().splitlines() if line.startswith("home"))
    assert home.split() == ["home", "100", "100", "2000", "2000", "3", "0", "0"]
