"""TNCC: 2 to 7 countries that recruit, trade and wage war, one action each in turn; a trade and a
war are answered on the spot. The rules are in `rules.md`.
"""

from __future__ import annotations

from arena.core import Game
from arena.games.tncc.frames import headline, picture, seat_picture
from arena.games.tncc.offers import offers
from arena.games.tncc.probes import disguise, perturb_hidden, random_answer
from arena.games.tncc.script import script
from arena.games.tncc.settings import TnccSettings
from arena.games.tncc.world import new_world

GAME = Game(
    name="tncc",
    title="TNCC: Trade and War",
    seats=(2, 3, 4, 5, 6, 7),
    rules_version=2,
    settings=TnccSettings,
    world=new_world,
    script=script,
    headline=headline,
    picture=picture,
    random_answer=random_answer,
    offers=offers,
    seat_picture=seat_picture,
    perturb_hidden=perturb_hidden,
    disguise=disguise,
)
