from __future__ import annotations

import sys
from types import ModuleType

import pytest

from arena.api.conditions import make_spec
from arena.api.live import play_live
from arena.errors import UsageError


@pytest.mark.parametrize(
    ("name", "stand_in", "reason"),
    [
        ("h11", None, "h11"),
        ("wsproto", ModuleType("wsproto"), "cannot import|no module"),
    ],
)
def test_without_its_libraries_or_with_others(
    name: str, stand_in: ModuleType | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loaded in [one for one in sys.modules if one.startswith(("arena.web", "h11", "wsproto"))]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, name, stand_in)
    spec = make_spec("tncc", [lambda lines: "wait", lambda lines: "wait"], {})
    with pytest.raises(UsageError, match=rf"{reason}.*pip install '\.\[web\]'"):
        play_live(spec, print)
