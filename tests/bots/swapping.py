"""An author who exchanges a file for a link, without end, while the folder is handed in."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

AUTHOR = 12345
"""A user who is nobody here."""
SECRET = "what only root may read"

_SWAP = """
import os, sys
name, target = sys.argv[1:]
beside = os.path.dirname(os.path.dirname(name))
away, link = os.path.join(beside, "away"), os.path.join(beside, "link")
while True:
    os.symlink(target, link)
    os.rename(name, away)
    os.rename(link, name)
    os.rename(name, link)
    os.rename(away, name)
    os.unlink(link)
"""


def secret(folder: Path) -> Path:
    """A file that only its owner may read."""
    path = folder / "secret"
    path.write_text(SECRET)
    path.chmod(0o600)
    return path


def given_to_author(folder: Path) -> None:
    """The folder and all that is in it belongs to the author."""
    for path in (folder, *folder.rglob("*")):
        os.lchown(path, AUTHOR, AUTHOR)


@contextmanager
def swapped(name: Path, target: Path) -> Iterator[None]:
    """For the time of a ``with``, `name` is what it was and a link to `target`, in turns."""
    process = subprocess.Popen([sys.executable, "-S", "-c", _SWAP, name, target])
    try:
        yield
    finally:
        process.kill()
        process.wait()
