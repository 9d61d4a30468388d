"""The guide for training: its examples run, one after the other, as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.structure import ROOT

GUIDE = (ROOT / "arena" / "guide" / "training.md").read_text("utf-8")


@pytest.mark.dear
def test_the_examples_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "sample_bots").symlink_to(ROOT / "sample_bots")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for example in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL):
        exec(compile(example, "training.md", "exec"), names)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "[]"
    assert "{'seat_0': True, 'seat_1': True}" in printed
    assert any("after 5 rounds" in line for line in printed)
    assert "(8, 10, 8) (8, 2)" in printed
    assert printed[-2] == "[0.0, 0.0] True"
    assert printed[-1].startswith("[(0, \"'I think that I wait.'")
