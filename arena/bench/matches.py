"""The match that is measured: Warlight between two instant bots on a map of 64 regions."""

from __future__ import annotations

import sys
from pathlib import Path

from arena.bots import BotProgram
from arena.game import find_game
from arena.reports import MatchSpec
from arena.settings import parse

SEED_OF_64 = "147"
"""A seed whose generated Warlight map has 64 regions, as maps of the original competition had."""
ROUNDS = 160
INSTANT = (sys.executable, "-I", "-S", str(Path(__file__).with_name("instant.py")))
BARE_LOOP = "for i in range(10**7): pass"
ONLY_TRIO = (sys.executable, "-c", "import trio; trio.run(trio.sleep, 0)")


def instant_bot() -> BotProgram:
    """The instant bot as a program."""
    return BotProgram("instant", INSTANT, None, None, "instant", (Path(INSTANT[-1]),))


def instant_match(folder: Path, rounds: int = ROUNDS) -> MatchSpec:
    """Warlight between two instant bots, recorded."""
    settings = parse(find_game("warlight").settings, {"max_rounds": rounds})
    bots = (instant_bot(), instant_bot())
    return MatchSpec("warlight", bots, SEED_OF_64, settings, replay=folder / "bench.jsonl")
