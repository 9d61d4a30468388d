"""Toroid Wars: 2 to 8 players on a ring of countries, one after the other, one action for each
country. The rules are in `rules.md`.
"""

from __future__ import annotations

from arena.core import Game
from arena.games.toroid.frames import headline, picture, seat_picture
from arena.games.toroid.offers import offers
from arena.games.toroid.probes import perturb_hidden, random_answer, vary_start
from arena.games.toroid.script import script
from arena.games.toroid.settings import ToroidSettings
from arena.games.toroid.words import blindfold
from arena.games.toroid.world import new_world

GAME = Game(
    name="toroid",
    title="Toroid Wars",
    seats=(2, 3, 4, 5, 6, 7, 8),
    rules_version=2,
    settings=ToroidSettings,
    world=new_world,
    script=script,
    headline=headline,
    picture=picture,
    random_answer=random_answer,
    offers=offers,
    seat_picture=seat_picture,
    perturb_hidden=perturb_hidden,
    vary_start=vary_start,
    blindfold=blindfold,
)
