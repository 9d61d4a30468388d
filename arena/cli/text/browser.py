"""Opening a page in the browser, where there is a window for one."""

from __future__ import annotations

import html
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.sandbox.keeper import tempdirs

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
"""One of them is set where a browser has a window. (Without, a browser that draws in a terminal
would take over this one.)"""


@contextmanager
def opening_secretly() -> Iterator[Callable[[str], None]]:
    """Opens pages at secret addresses for the time of a ``with``. All users of a machine see the
    commands that run there, so the browser is given a file, which leads to the address and which
    this user alone can read. What a killed arena leaves of it, a later one removes."""
    with tempfile.TemporaryDirectory(prefix=tempdirs.prefix()) as folder:

        def open_page(address: str) -> None:
            number, path = tempfile.mkstemp(dir=folder, suffix=".html")
            with open(number, "w", encoding="utf-8") as file:
                file.write(f'<meta http-equiv="refresh" content="0; url={html.escape(address)}">\n')
            open_browser(Path(path).as_uri())

        yield open_page


def open_browser(address: str) -> None:
    """Open the page at an address, if there is a display."""
    if sys.platform == "darwin" or any(os.environ.get(name) for name in DISPLAYS):
        import webbrowser

        webbrowser.open(address)
