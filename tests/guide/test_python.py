"""The guide for Python: its examples run, one after the other, as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.structure import ROOT

GUIDE = (ROOT / "arena" / "guide" / "python.md").read_text("utf-8")


@pytest.mark.dear
def test_the_examples_run(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    lent_keepers: None,
) -> None:
    (tmp_path / "sample_bots").symlink_to(ROOT / "sample_bots")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "example"}
    for example in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL):
        exec(compile(example, "python.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "did you mean 'warlight'?" in printed
    assert printed.count("round ") >= 3
