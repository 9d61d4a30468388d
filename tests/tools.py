"""Tests that need a program which is not part of Python say so here."""

from __future__ import annotations

import os
import shutil

import pytest


def needs_tool(name: str, package: str) -> str:
    """The path of the program `name`. Without it the test is skipped, saying which `package` (of
    Debian and Ubuntu) has it; where the environment variable CI is ``true`` the test fails."""
    path = shutil.which(name)
    if path is None:
        text = f"{name} is not installed: apt-get install {package}"
        if os.environ.get("CI") == "true":
            pytest.fail(text, pytrace=False)
        pytest.skip(text)
    return path
