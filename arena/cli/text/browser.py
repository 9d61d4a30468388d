"""Opening a page in the browser, where there is a window for one."""

from __future__ import annotations

import os
import sys

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
"""One of them is set where a browser has a window. (Without, a browser that draws in a terminal
would take over this one.)"""


def open_browser(address: str) -> None:
    """Open the page at an address, if there is a display."""
    if sys.platform == "darwin" or any(os.environ.get(name) for name in DISPLAYS):
        import webbrowser

        webbrowser.open(address)
