"""The partner of a bot in its input test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.core.faults import blamed
from arena.core.rng import Stream
from arena.core.table import Table
from arena.players.inprocess import InProcessPlayer


def partner(table: Table[Any], seat: int) -> InProcessPlayer:
    """A player that gives random legal answers."""
    stream = Stream(table.setup.seed, f"partner {seat}")

    def answer(lines: Sequence[str]) -> str:
        ask = next(ask for ask in table.asked if ask.seat == seat)
        with blamed(table.game, "the random answer", table.setup.seed):
            return table.game.random_answer(table.world, ask, stream)

    return InProcessPlayer(f"partner{seat + 1}", answer)
