"""The option ``--replay``: no record that is there is replaced unless the user says so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.errors import UsageError


def refuse_to_overwrite(given: Mapping[str, Any], *, games: int = 1) -> None:
    """Raise UsageError when a record of these options is there already. With more than one game
    the records are numbered."""
    path: Path | None = given["replay"]
    if path is None or given["overwrite"]:
        return
    found = path if games == 1 else _first_numbered(path, games)
    if found is not None and found.is_file():
        raise UsageError(
            f"the record {found} is there already: name another with --replay, or add --overwrite"
        )


def _first_numbered(path: Path, games: int) -> Path | None:
    """The first record of a series that is there. The folder is listed once: a series may have
    millions of games."""
    try:
        names = {entry.name for entry in path.parent.iterdir()}
    except OSError:
        return None
    from arena.match.spec import numbered

    records = (numbered(path, game + 1) for game in range(min(games, len(names) + 1)))
    return next((one for one in records if one is not None and one.name in names), None)
