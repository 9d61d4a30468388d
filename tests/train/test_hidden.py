"""What a seat cannot see changes neither its observation nor its mask.

``python -m tests.train.test_hidden 10000`` makes so many trials over all games of ours, and
``… 2100 openspiel`` over some of the library that hide something.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest

from arena.core.registry import find_game
from arena.core.rng import Stream
from arena.core.table import Table
from arena.train.episode import EpisodePlan, TableEpisode
from arena.train.spaces import ActionTable, Coder, Writer
from tests.train import GAMES, QUICK

HIDING = ["bargaining", "dark_hex", "kuhn_poker", "leduc_poker", "liars_dice", "phantom_ttt"]
LIBRARY_GAMES = tuple(f"openspiel:{name}" for name in HIDING)


def observed(plan: EpisodePlan, table: Table[Any], seat: int, stream: Stream) -> list[Any]:
    """All observations of a seat while it answers at random."""
    actions = ActionTable(plan.layout, 11)
    coder = Coder(plan.layout, actions)
    encoder = plan.arrays.encoder(plan.setup(""), seat)
    for line in table.lines(seat):
        encoder.hear(line)
    told, writer, seen = coder.told(encoder), Writer(table, seat, actions), list[Any]()
    for _ in range(8):
        if writer.answer is not None:
            break
        mask = {"action_mask": actions.mask(writer.picks)}
        seen.append(coder.observation(told, writer) | mask)
        writer.act(stream.choice(sorted(writer.picks)))
    return seen


def trials(name: str, most: int, seed: str = "0") -> int:
    """Make so many trials in one game, and count those in which something was hidden and changed.
    Raises AssertionError if an observation changes."""
    game = find_game(name)
    if game.perturb_hidden is None:
        return 0
    plan = EpisodePlan.of(game, {"settings": QUICK.get(name, {})})
    stream, made, match = Stream(seed, name), 0, 0
    while made < most:
        match += 1
        episode = TableEpisode(plan, f"{seed}.{match}")
        for _ in range(60):
            if episode.ask is None or made >= most:
                break
            made += trial(plan, episode.table, episode.ask.seat, stream)
            world = episode.table.world
            episode.answer(game.random_answer(world, episode.ask, stream))
        assert match < 50 + most, f"nothing is hidden in {name}"
    return made


def trial(plan: EpisodePlan, table: Table[Any], seat: int, stream: Stream) -> bool:
    """Change what is hidden from the seat, and compare. Returns whether there was something."""
    game, setup = plan.game, table.setup
    assert game.perturb_hidden is not None
    other = table.world.copy()
    if not game.perturb_hidden(other, seat, Stream(f"{stream.unit()}", "disturb")):
        return False
    one, two = Table.at(game, table.world.copy(), setup), Table.at(game, other, setup)
    own, other_own = ([ask for ask in each.asked if ask.seat == seat] for each in (one, two))
    assert own == other_own
    if not own:
        return False
    draws = f"{stream.unit()}"
    first, second = (observed(plan, each, seat, Stream(draws, "picks")) for each in (one, two))
    assert len(first) == len(second)
    for before, after in zip(first, second, strict=True):
        assert all(np.array_equal(before[key], after[key]) for key in before)
    return True


@pytest.mark.parametrize(
    "name", [*GAMES, *(pytest.param(name, marks=pytest.mark.dear) for name in LIBRARY_GAMES)]
)
def test_what_is_hidden_changes_no_observation(name: str) -> None:
    trials(name, 40)


if __name__ == "__main__":
    most, *which = sys.argv[1:]
    games = LIBRARY_GAMES if which == ["openspiel"] else GAMES
    count = Counter({name: trials(name, int(most) // len(games)) for name in games})
    print(f"{count.total()} trials, no observation changed: {dict(count)}")
