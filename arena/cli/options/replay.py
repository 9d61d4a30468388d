"""Files that commands read and write: replays must be there, and nothing is replaced unless the
user says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.errors import UsageError
from arena.text import joined, safe

if TYPE_CHECKING:
    from pathlib import Path

F = TypeVar("F", bound=Callable[..., Any])


def require_replays(paths: Iterable[Path]) -> None:
    """Raise UsageError for a path at which there is no file to read."""
    for path in paths:
        name = safe(str(path).replace("\n", "\\n"))
        if path.is_dir():
            raise UsageError(f"{name} is a folder: name the replays in it")
        if not path.exists():
            raise UsageError(f"there is no file {name}: name a replay that is there")


def overwrite(option: str) -> Callable[[F], F]:
    """The option that lets another one replace a file."""
    text = f"Let {option} replace a file that is there."
    return click.option("--overwrite", is_flag=True, help=text)


def refuse_to_replace(what: str, path: Path, option: str) -> None:
    """Raise UsageError when the file that an option names is there already."""
    if path.is_file():
        raise UsageError(
            f"the {what} {path} is there already: name another with {option}, or add --overwrite"
        )


def require_ending(path: Path, option: str, *endings: str) -> None:
    """Raise UsageError unless the file that an option names ends as what is written there does, or
    is a pipe or a device."""
    is_other = path.exists() and not path.is_file()
    if not is_other and not path.name.endswith(endings):
        raise UsageError(f"{option} {path}: name a file that ends in {joined(endings, 'or')}")


def refuse_to_overwrite(given: Mapping[str, Any], *, games: int = 1) -> None:
    """Raise UsageError when a record of these options is there already. With more than one game
    the records are numbered."""
    path: Path | None = given["replay"]
    if path is None or given["overwrite"]:
        return
    found = path if games == 1 else _first_numbered(path, games)
    if found is not None:
        refuse_to_replace("record", found, "--replay")


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
