"""Bots with a memory, whose answers depend on every line that they were told."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import arena
from arena.record.format import Digest
from arena.record.reader import Match

GAMES = ("warlight", "hextrategic", "tncc", "toroid", "codecharacter")
SHORT = {
    "warlight": {"max_rounds": 8},
    "hextrategic": {"max_rounds": 12},
    "tncc": {"max_cycles": 8},
    "toroid": {"normal_game_turn_per_player": 6},
    "codecharacter": {"num_turns": 12},
}
"""Settings that keep a match short."""
WORDS = ("No moves", "attack left 1", "attack right 1", "build", "pass")


def remembering(name: str) -> Callable[[list[str]], str]:
    """A new bot: its answer is chosen by all lines so far."""
    heard = hashlib.sha256(name.encode())

    def answer(lines: list[str]) -> str:
        for line in lines:
            heard.update(line.rpartition(" ")[0].encode())
        return WORDS[heard.digest()[0] % len(WORDS)]

    answer.__name__ = name
    return answer


def bots() -> list[Callable[[list[str]], str]]:
    """Two new bots."""
    return [remembering("ann"), remembering("bob")]


def played(game: str, seed: int = 1) -> Match:
    """A short match between them."""
    return arena.play(game, bots(), seed=seed, settings=SHORT[game])


def digests(match: Match) -> list[str]:
    """The digests of all rounds."""
    return [one.sha256 for one in match.records if isinstance(one, Digest)]
