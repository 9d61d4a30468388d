"""The match that is measured: Warlight between two instant bots on a map of 64 regions."""

from __future__ import annotations

import sys
from pathlib import Path

from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.core.registry import find_game
from arena.core.replies import Answer
from arena.core.settings import parse
from arena.core.steps import Tell
from arena.core.table import Table
from arena.errors import BotError
from arena.match.spec import MatchSpec
from arena.players.entrant import programs

SEED_OF_64 = "147"
"""A seed whose generated Warlight map has 64 regions, as maps of the original competition had."""
ROUNDS = 160
REQUESTS_A_ROUND = 4
INSTANT = (sys.executable, "-I", "-S", str(Path(__file__).with_name("instant.py")))
BARE_LOOP = "for i in range(10**7): pass"
ONLY_TRIO = (sys.executable, "-c", "import trio; trio.run(trio.sleep, 0)")


def instant_bot() -> BotProgram:
    """The instant bot in Python."""
    return BotProgram("instant", INSTANT, None, None, "instant", (Path(INSTANT[-1]),))


def instant_bot_in_c() -> BotProgram | None:
    """The instant bot in C; None without a compiler."""
    try:
        return find_bot(str(Path(__file__).with_name("instant.c")))
    except BotError:
        return None


def instant_match(
    folder: Path, rounds: int = ROUNDS, *, bot: BotProgram | None = None
) -> MatchSpec:
    """Warlight between two instant bots (those in Python, unless it says another), recorded."""
    settings = parse(find_game("warlight").settings, {"max_rounds": rounds})
    bots = programs((bot or instant_bot(),) * 2)
    return MatchSpec("warlight", bots, SEED_OF_64, settings, replay=folder / "bench.jsonl")


def exchanges(spec: MatchSpec) -> list[bytes]:
    """What the first bot of a match is sent for each of its requests, from round 1 on."""
    table = Table(find_game(spec.game), spec.setup)
    sent, lines = [], list[str]()
    while table.outcome is None:
        lines += [step.line for step in table.take() if type(step) is Tell and step.seat == 0]
        for ask in table.asked:
            if ask.seat == 0:
                sent.append("\n".join([*lines, ask.line(10_000), ""]).encode())
                lines = []
        table.answer_all((Answer("No moves"),) * len(table.asked))
    return [text for text in sent if b"go " in text]
