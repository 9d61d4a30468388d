"""Opening pages: what other users of the machine can see of it."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from arena.cli.text.browser import opening_secretly

ADDRESS = "http://127.0.0.1:8000/a-secret/"


def test_the_command_of_the_browser_tells_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    with opening_secretly() as open_page:
        open_page(ADDRESS)
        [told] = opened
        assert "secret" not in told
        page = Path(unquote(urlparse(told).path))
        assert f"url={ADDRESS}" in page.read_text()
        assert page.stat().st_mode & 0o077 == page.parent.stat().st_mode & 0o077 == 0
    assert not page.parent.exists()


def test_without_a_display_nothing_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "open", pytest.fail)
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    with opening_secretly() as open_page:
        open_page(ADDRESS)
