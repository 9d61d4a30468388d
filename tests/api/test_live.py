from __future__ import annotations

import sys

import pytest

from arena.api.conditions import make_spec
from arena.api.live import play_live
from arena.errors import UsageError


def test_without_its_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("arena.web", "anycorn"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "anycorn", None)
    spec = make_spec("tncc", [lambda lines: "wait", lambda lines: "wait"], {})
    with pytest.raises(UsageError, match=r"pip install '\.\[web\]'"):
        play_live(spec, print)
