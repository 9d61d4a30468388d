from __future__ import annotations

import sys

import pytest

from arena.api.conditions import make_spec
from arena.api.live import play_live
from arena.errors import UsageError


@pytest.mark.parametrize("library", ["uvicorn", "wsproto", "starlette"])
def test_without_its_libraries(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    spec = make_spec("tncc", [lambda lines: "wait", lambda lines: "wait"], {})
    with pytest.raises(UsageError, match=rf"{library} is missing.*pip install '\.\[web\]'"):
        play_live(spec, print)
