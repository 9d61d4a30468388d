"""The command that plays a match again."""

from __future__ import annotations

import shlex

import msgspec

from arena.api.conditions import usual_clock
from arena.core.limits import Limits
from arena.core.settings import Settings
from arena.match.spec import MatchSpec
from arena.text import safe


def play_command(spec: MatchSpec, map_file: str = "MAP") -> str:
    """``arena play GAME BOT… --seed S``, with the settings and conditions that are not the usual
    ones: what played behind walls does so again. A spec does not know where its map file lies."""
    words = ["arena", "play", spec.game, *(entrant.command for entrant in spec.entrants)]
    words += ["--seed", spec.seed, *_changes(spec.settings)]
    words += _conditions(spec)
    if spec.find_game().budget(spec.settings) is not None:
        words += ["--meter", "instructions"]
    words += ["--map", map_file] if spec.map is not None else []
    return safe(shlex.join(words))


def _conditions(spec: MatchSpec) -> list[str]:
    usual = MatchSpec(spec.game, (), "", spec.settings)
    valued = {
        "--sandbox": (spec.sandbox.value, usual.sandbox.value),
        "--clock": (spec.clock.value, usual_clock().value),
        "--start-up": (str(spec.start_up), str(usual.start_up)),
        "--memory": (_size(spec.limits), _size(usual.limits)),
    }
    words = [word for name, (one, other) in valued.items() if one != other for word in (name, one)]
    flags = {
        "--no-pondering": not spec.pondering,
        "--sequential": spec.sequential,
        "--forfeit": spec.forfeit,
    }
    return words + [name for name, holds in flags.items() if holds]


def _size(limits: Limits) -> str:
    """The memory of a bot as the option takes it, which asks for some limit always."""
    memory = limits.memory or Limits().memory or 0
    return f"{memory >> 20}M" if memory % (1 << 20) == 0 else f"{memory >> 10}K"


def _changes(settings: Settings) -> list[str]:
    usual = msgspec.structs.asdict(type(settings)())
    given = msgspec.structs.asdict(settings)
    changed = (f"{key}={_text(value)}" for key, value in given.items() if value != usual[key])
    return [word for change in changed for word in ("--set", change)]


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
