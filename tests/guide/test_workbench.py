"""What `workbench.md` says is so: its example runs, and its numbers are those of the code."""

from __future__ import annotations

import re
import tomllib

import pytest

from arena.bots.numbers import read_numbers
from arena.guide.pages import find_guide
from arena.league.likeness import LEAST_TELLING
from arena.tournament.meta import LEAST_BLOCKS, NASH_MOST
from arena.workbench.spsa import SURE, WORTH
from arena.workbench.tune import GIVE_UP, SUSPECT, WINDOW
from tests.guide.reading import block, flat
from tests.structure import ROOT

TEXT = flat("workbench")


def test_the_declaration_is_that_of_the_sample_bot() -> None:
    (shown,) = read_numbers(tomllib.loads(block("workbench", "main ="))["tune"])
    sample = ROOT / "sample_bots" / "warlight" / "tunable" / "bot.toml"
    assert shown in read_numbers(tomllib.loads(sample.read_text("utf-8"))["tune"])


def test_the_numbers_of_a_tune() -> None:
    assert f"a whole `--window` of {WINDOW} iterations" in TEXT
    assert f"is thought to cost ({WORTH:g})" in TEXT
    assert (SUSPECT, GIVE_UP, SURE) == (0.25, 0.5, 0.95)
    assert "after a quarter of the iterations, and after half of them" in TEXT
    assert "19 in 20 say so" in TEXT


def test_the_field_as_a_whole() -> None:
    assert f"with more than {NASH_MOST} bots there are none" in TEXT
    assert (LEAST_BLOCKS, LEAST_TELLING) == (2, 10)
    assert "two blocks of matches in the mean" in TEXT
    assert "at ten positions or more that count" in TEXT


@pytest.mark.dear
def test_the_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lent_keepers: None
) -> None:
    monkeypatch.chdir(ROOT)
    (example,) = re.findall(r"```python\n(.*?)```", find_guide("workbench").text, re.DOTALL)
    exec(compile(example, "workbench.md", "exec"), {"__name__": "example"})
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3
    assert printed[-1].startswith("It is not known yet whether tunable is better")
