"""Recognition of archives that contain a bot."""

from __future__ import annotations

from pathlib import Path

from arena.bots.archives.signatures import HEAD, is_archive
from arena.bots.executables import head
from arena.bots.languages import language_of

_PROGRAMS = (".war", ".whl", ".pyz")
"""Endings of programs that look like archives by their first bytes, besides those of known
languages (``.jar``)."""


def is_archive_file(path: Path) -> bool:
    """Whether a file is an archive that contains a bot. (A ``.jar`` is itself a bot.)"""
    is_program = language_of(path) is not None or path.suffix.lower() in _PROGRAMS
    return not is_program and is_archive(head(path, HEAD))
