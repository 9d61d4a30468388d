"""Options of a build: the cache for built bots, and the walls around the build."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from arena.sandbox.levels import Level, SandboxWish


class BuildOptions(NamedTuple):
    """What `build.build` needs to know besides the bot."""

    cache: Path | None = None
    """Where built bots are kept; None: `cache.cache_root`."""
    sandbox: SandboxWish = Level.OFF
    """The walls around the build commands. `Level.OFF`: they run with all rights of the caller, and
    only their time is limited."""
