"""Files and folders on a command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pathlib import Path


class FilePath(click.Path):
    """A file or folder as a `Path`. (To import that takes 3 ms, which most command lines that are
    wrong do without.)"""

    def convert(self, value: Any, *where: Any) -> Path:
        """See `click.ParamType`."""
        from pathlib import Path

        return Path(os.fsdecode(super().convert(value, *where)))
