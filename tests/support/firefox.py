"""A headless Firefox, driven by its built-in Marionette protocol.

Playwright drives only its own Firefox, and Debian has no geckodriver.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any, Self

PATIENCE = 90
"""Timeout in seconds, for a busy machine."""
PREFERENCES = """
user_pref("marionette.port", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
"""
RIGHT, END, HOME = "\ue014", "\ue010", "\ue011"
"""WebDriver codes of keys that write nothing."""


class Firefox:
    """A running Firefox. Use it as a context manager."""

    def __init__(self, path: str) -> None:
        self._profile = Path(tempfile.mkdtemp(prefix="firefox-"))
        (self._profile / "user.js").write_text(PREFERENCES)
        words = [path, "--headless", "--marionette", "--no-remote", "--profile", str(self._profile)]
        silent = subprocess.DEVNULL
        self._process = subprocess.Popen(words, stdin=silent, stdout=silent, stderr=silent)
        self._numbers = count(1)

    def __enter__(self) -> Self:
        port = self._profile / "MarionetteActivePort"
        self._wait(lambda: port.is_file() and port.read_text() != "")
        self._socket = socket.create_connection(("127.0.0.1", int(port.read_text())), PATIENCE)
        self._stream = self._socket.makefile("rb")
        self._receive()  # the greeting
        self._command("WebDriver:NewSession")
        self._command("WebDriver:SetWindowRect", width=1280, height=900)
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self._socket.close()
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def _wait(self, done: Any) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < end
            time.sleep(0.05)

    def _receive(self) -> Any:
        """Receive a message: a length, a colon and a JSON document."""
        digits = b""
        while not digits.endswith(b":"):
            digits += self._stream.read(1)
        return json.loads(self._stream.read(int(digits[:-1])))

    def _command(self, name: str, **parameters: object) -> Any:
        data = json.dumps([0, next(self._numbers), name, parameters]).encode()
        self._socket.sendall(b"%d:%b" % (len(data), data))
        _, _, error, result = self._receive()
        assert error is None, error
        return result.get("value", result)

    def open(self, page: Path, address: str = "") -> None:
        """Open a page of a match, and wait until its board is there."""
        self.goto(f"{page.as_uri()}{address}")
        self.wait("return document.querySelector('.stage > *') !== null")
        self._body = self._find("body")

    def goto(self, url: str) -> None:
        """Open a page, and wait until it is loaded."""
        self._command("WebDriver:Navigate", url=url)

    def _find(self, selector: str) -> str:
        """The first element that a selector names."""
        found = self._command("WebDriver:FindElement", using="css selector", value=selector)
        [element] = found.values()
        return str(element)

    def click(self, selector: str) -> None:
        """Click an element. If that loads a page, wait for it."""
        self._command("WebDriver:ElementClick", id=self._find(selector))

    def write(self, selector: str, text: str) -> None:
        """Write into a field in place of what it has, or give it the path of a file."""
        element = self._find(selector)
        if not self.ask(f"return document.querySelector({selector!r}).type === 'file'"):
            self._command("WebDriver:ElementClear", id=element)
        self._command("WebDriver:ElementSendKeys", id=element, text=text)

    def press(self, *keys: str) -> None:
        """Press keys in order, on a page of a match."""
        for key in keys:
            self._command("WebDriver:ElementSendKeys", id=self._body, text=key)

    def ask(self, script: str) -> Any:
        """Run a function with this body in the page and return its result."""
        return self._command("WebDriver:ExecuteScript", script=script, args=[])

    def wait(self, script: str) -> None:
        """Wait until a function with this body returns true."""
        self._wait(lambda: self.ask(script))
