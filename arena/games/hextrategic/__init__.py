"""Hextrategic: two, three, four or six players, a board of hexagons, everything in sight, rounds
in which all move at once.

The rules are in `rules.md`.
"""

from __future__ import annotations

from arena.core import Game
from arena.games.hextrategic.frames import headline, picture, seat_picture
from arena.games.hextrategic.offers import offers
from arena.games.hextrategic.probes import disguise, perturb_hidden, random_answer
from arena.games.hextrategic.script import script
from arena.games.hextrategic.settings import HexSettings
from arena.games.hextrategic.world import NAME, new_world

GAME = Game(
    name=NAME,
    title="Hextrategic",
    seats=(2, 3, 4, 6),
    rules_version=1,
    settings=HexSettings,
    world=new_world,
    script=script,
    headline=headline,
    picture=picture,
    random_answer=random_answer,
    offers=offers,
    seat_picture=seat_picture,
    perturb_hidden=perturb_hidden,
    disguise=disguise,
    maps=True,
    map_seats=(5,),
)
