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

        if not value:
            self.fail("the path is empty: name a file or folder (. is the present one).", *where)
        return Path(os.fsdecode(super().convert(value, *where)))
