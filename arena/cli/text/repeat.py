"""The command that plays a match again."""

from __future__ import annotations

import shlex

import msgspec

from arena.core.registry import find_game
from arena.core.settings import Settings
from arena.match.spec import MatchSpec
from arena.text import safe


def play_command(spec: MatchSpec, map_file: str = "MAP") -> str:
    """``arena play GAME BOT… --seed S``, with the settings that are not the usual ones. A spec
    does not know where its map file lies."""
    words = ["arena", "play", spec.game, *(entrant.command for entrant in spec.entrants)]
    words += ["--seed", spec.seed, *_changes(spec.settings)]
    words += ["--forfeit"] if spec.forfeit else []
    if find_game(spec.game).budget(spec.settings) is not None:
        words += ["--meter", "instructions"]
    return safe(shlex.join(words)) + (f" --map {map_file}" if spec.map is not None else "")


def _changes(settings: Settings) -> list[str]:
    usual = msgspec.structs.asdict(type(settings)())
    given = msgspec.structs.asdict(settings)
    changed = (f"{key}={_text(value)}" for key, value in given.items() if value != usual[key])
    return [word for change in changed for word in ("--set", change)]


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
