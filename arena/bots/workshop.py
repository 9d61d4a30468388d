"""Where bots are built, and who executes the commands that build them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

Steps = Sequence[tuple[str, ...]]
"""The commands of a build, one after the other."""

Run = Callable[[str, Steps, Path], None]
"""Executes commands in the folder ``files`` of a draft, and leaves nothing running: ``run(what,
steps, draft)``, where `what` is for errors. Raises BotError when one fails."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """What `build.build` needs to know."""

    cache: Path | None = None
    """Where built bots are kept; None: `build.cache_root`."""
    run: Run | None = None
    """None: as the caller, with all rights. Anything else is taken to run strangers' commands."""
