"""Write all playthroughs anew: ``python -m tests.playthroughs``."""

from arena.game import find_game, game_names
from tests import playthroughs

for name in game_names():
    game = find_game(name)
    for seats in game.seats:
        playthroughs.write(game, seats)
        print(playthroughs.path(game, seats))
