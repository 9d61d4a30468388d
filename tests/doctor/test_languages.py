"""Languages, tried by their self-tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.bots import languages
from arena.bots.languages import LANGUAGES
from arena.cli.doctor import languages_text
from arena.doctor.capability import Status
from arena.doctor.languages import examine_languages
from arena.sandbox.levels import Level

PYTHON = next(one for one in LANGUAGES if one.name == "Python")


@pytest.mark.dear
def test_one_that_works_and_one_that_is_missing() -> None:
    missing = replace(PYTHON, name="Other", run=("no-such-program {source}",))
    told: list[str] = []
    found = examine_languages(
        Level.OFF, languages=[PYTHON, missing], tell=lambda test: told.append(test.language)
    )
    assert told == ["Python"]
    assert found.is_good
    assert found.levels == [Level.OFF]
    assert found.missing == {"Other": "python3"}
    assert found.tests[0].start > 0
    assert "1 languages work at off." in languages_text(found)
    assert "apt-get install python3" in languages_text(found)


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("print('ready', flush=True)\n", "ended early"),
        ("print('hello', flush=True)\n", "the first line of its self-test is 'hello'"),
        ("print('ready', flush=True)\ninput()\nprint('what', flush=True)\n", "the answer"),
        ("print('ready', flush=True)\nprint('heard', input(), flush=True)\n1 / 0\n", "ended with"),
        ("import sys\nprint('ready')\nsys.stdin.read()\n", "did not end within"),
    ],
)
def test_programs_that_do_not_play(
    program: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last keeps its lines in a buffer: nothing is heard of it."""
    (tmp_path / "bot.py").write_text(program)
    monkeypatch.setattr(languages, "FOLDER", tmp_path)
    monkeypatch.setattr("arena.doctor.languages.WITHIN", 1.0 if "within" in problem else 30.0)
    found = examine_languages(Level.OFF, languages=[PYTHON])
    assert not found.is_good
    assert found.tests[0].status is Status.FAIL
    assert problem in found.tests[0].problem
