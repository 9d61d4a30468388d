"""trained/main.py - a Toroid Wars bot that plays as `weights.json` says, which `train.py` wrote.

The encoder of the arena makes the same arrays of the lines as the environment in which the weights
were learned. So it runs where the arena is installed.
"""

import json
import sys
from pathlib import Path

from policy import choose

from arena.core import Setup, find_game
from arena.core.settings import parse
from arena.games.toroid.arrays import ARRAYS

weights = json.loads(Path(__file__).with_name("weights.json").read_text())["trained"]
game = find_game("toroid")
settings: dict[str, list[str]] = {}
encoder, columns, seats = None, 0, 0

for line in map(str.strip, sys.stdin):
    if line.startswith("settings "):
        _, key, *settings[key] = line.split()
    elif line.startswith("setup_map"):
        given = {key: " ".join(v) for key, v in settings.items() if hasattr(game.settings, key)}
        seats, me = len(settings["players"]), settings["players"].index(settings["your_bot"][0])
        setup = Setup("", seats, parse(game.settings, given))
        encoder, columns = ARRAYS.encoder(setup, me), ARRAYS.layout(setup).shape[1]
    if encoder:
        encoder.hear(line)
    if encoder and line.startswith("go "):
        cells = encoder.cells().tolist()
        rows = [cells[at : at + columns] for at in range(0, len(cells), columns)]
        print(choose(rows, list(encoder.scalars()), seats, weights), flush=True)
