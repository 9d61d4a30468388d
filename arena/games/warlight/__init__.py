"""Warlight: two players, a map of regions, fog, simultaneous orders.

Compatible on the wire with the bots of the Warlight AI Challenge 2. The rules are in `rules.md`.
"""

from __future__ import annotations

from arena.core import Game
from arena.games.warlight.frames import headline, picture, seat_picture
from arena.games.warlight.offers import offers
from arena.games.warlight.probes import disguise, perturb_hidden, random_answer
from arena.games.warlight.script import script
from arena.games.warlight.settings import WarlightSettings
from arena.games.warlight.world import new_world

GAME = Game(
    name="warlight",
    title="Warlight AI Challenge 2",
    seats=(2,),
    rules_version=1,
    settings=WarlightSettings,
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
)
