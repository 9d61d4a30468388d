"""Why a bot does not play, and what its author does next."""

from __future__ import annotations

from msgspec import Struct


class Cause(Struct, frozen=True):
    """Why a bot does not play, in one sentence, and what to do."""

    code: str
    sentence: str
    fix: str
    fails: bool = True
    """Whether it keeps the bot from playing. Otherwise it is a warning."""
