"""Code Character: two players, an open square map, soldiers that walk and towers that hold land.

The rules are in `rules.md`.
"""

from __future__ import annotations

from arena.core import Game
from arena.games.codecharacter.frames import headline, picture, seat_picture
from arena.games.codecharacter.offers import offers
from arena.games.codecharacter.probes import disguise, perturb_hidden, random_answer
from arena.games.codecharacter.script import script
from arena.games.codecharacter.settings import CodecharacterSettings, budget
from arena.games.codecharacter.world import new_world

GAME = Game(
    name="codecharacter",
    title="Code Character 2018",
    seats=(2,),
    rules_version=1,
    settings=CodecharacterSettings,
    world=new_world,
    script=script,
    headline=headline,
    picture=picture,
    random_answer=random_answer,
    offers=offers,
    seat_picture=seat_picture,
    perturb_hidden=perturb_hidden,
    disguise=disguise,
    budget=budget,
    metered={"turn_limit": "10000000"},
)
