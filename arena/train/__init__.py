"""Matches as environments for learners.

================  ======================================================================
`AECMatch`        PettingZoo, one seat after the other: every game
`ParallelMatch`   PettingZoo, all seats at once, for games whose seats answer at once
`SeatEnv`         Gymnasium, one seat against bots, programs included
`MatchVector`     many matches of the first two at once, over processes
`TextMatch`       lines and answers, without any library
================  ======================================================================

All but the last need the extra: ``pip install '.[train]'``. Options are those of
`FaceOptions`, or `EpisodeOptions` for text.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.train.aec import AECMatch as AECMatch
    from arena.train.episode import EpisodeOptions as EpisodeOptions
    from arena.train.face import FaceOptions as FaceOptions
    from arena.train.many import ManyTurns as ManyTurns
    from arena.train.many import MatchVector as MatchVector
    from arena.train.parallel import ParallelMatch as ParallelMatch
    from arena.train.single import SeatEnv as SeatEnv
    from arena.train.text import TextMatch as TextMatch

_HOMES = {
    "arena.train.aec": "AECMatch",
    "arena.train.episode": "EpisodeOptions",
    "arena.train.face": "FaceOptions",
    "arena.train.many": "ManyTurns MatchVector",
    "arena.train.parallel": "ParallelMatch",
    "arena.train.single": "SeatEnv",
    "arena.train.text": "TextMatch",
}
"""The public names of each module; the imports above tell type checkers the same."""
EXTRA = ("gymnasium", "numpy", "pettingzoo")
"""What the extra brings."""

__all__ = sorted(" ".join(_HOMES.values()).split())


def __getattr__(name: str) -> object:
    """Import a public name on first use: each library takes a part of a second. Raises UsageError
    without the extra."""
    for home, names in _HOMES.items():
        if name in names.split():
            try:
                module = importlib.import_module(home)
            except ModuleNotFoundError as error:
                if (error.name or "").partition(".")[0] not in EXTRA:
                    raise
                raise UsageError(
                    f"arena.train.{name} needs {error.name}: pip install '.[train]'"
                ) from None
            found: object = getattr(module, name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'arena.train' has no attribute {name!r}")
