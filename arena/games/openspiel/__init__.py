"""The games of OpenSpiel, with the extra ``openspiel``: one Game for each, by ``openspiel:NAME``.
The rules are in `rules.md`.
"""

from __future__ import annotations

from functools import cache, partial

from arena.core import Game, UsageError
from arena.games.openspiel import library
from arena.games.openspiel.chess import CHESS
from arena.games.openspiel.frames import headline, picture, seat_picture
from arena.games.openspiel.library import FAMILY, SpielSettings
from arena.games.openspiel.probes import HIDES, perturb_hidden, redeal, redeals
from arena.games.openspiel.script import script
from arena.games.openspiel.words import offers
from arena.games.openspiel.world import SpielWorld, new_world


def names() -> list[str]:
    """The names of all games."""
    return [FAMILY + name for name in library.games()]


@cache
def find(name: str) -> Game[SpielWorld, SpielSettings] | None:
    """The game ``openspiel:NAME``; None if there is none. Raises UsageError, with the reason, for
    a game of the library that cannot be played here."""
    short = name.removeprefix(FAMILY)
    if reason := library.refusal(short):
        raise UsageError(f"{name} cannot be played here: {reason}")
    kind = library.find_kind(short)
    if kind is None:
        if "(" in short:
            base, inside = short.rstrip(")").split("(", 1)
            changes = [f"--set {change}" for change in inside.split(",") if change]
            given = " ".join([FAMILY + base, *changes])
            raise UsageError(f"the parameters of {FAMILY}{base} are settings: give {given}")
        return None
    return Game(
        name=name,
        title=kind.long_name,
        seats=library.seats_of(kind),
        rules_version=library.rules_version(),
        settings=library.settings_type(short),
        world=partial(new_world, kind),
        script=script,
        headline=headline,
        picture=picture,
        offers=offers,
        seat_picture=seat_picture,
        perturb_hidden=perturb_hidden if kind.information == HIDES else None,
        adjudication=library.ADJUDICATION if short == CHESS else (),
        installs=library.installs,
        redeal=redeal if redeals(kind) else None,
        substitutes=library.substitutes,
    )
