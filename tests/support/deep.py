"""Folders nested deeper than Python's recursion limit."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LEVELS = 1500


@contextmanager
def deep_folder(place: Path, name: str = "folder-with-a-name") -> Iterator[None]:
    """Create deeply nested folders below `place`, each with a file, during a ``with`` block.
    (Left behind, they would end the clean-up of pytest with a RecursionError.)"""
    here = os.open(place, os.O_RDONLY)
    for _ in range(LEVELS):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
        os.close(os.open("file", os.O_CREAT, dir_fd=here))
    os.close(here)
    try:
        yield
    finally:
        subprocess.run(["rm", "-rf", str(place / name)], check=True)
