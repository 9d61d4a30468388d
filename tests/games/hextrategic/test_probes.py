"""Random answers are legal and of all kinds, hidden changes unseen."""

from __future__ import annotations

from collections import Counter

import pytest

from arena.core.game import Setup
from arena.core.replies import Answer
from arena.core.rng import Stream
from arena.core.steps import Ask, Note
from arena.core.table import Table
from arena.games.hextrategic import GAME
from arena.games.hextrategic.probes import disguise, perturb_hidden, random_answer
from tests.games.hextrategic.helpers import once, settings, world


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_random_answers_are_never_a_fault(seats: int) -> None:
    table = Table(GAME, Setup("1", seats, settings(max_rounds=60)))
    stream, kinds = Stream("1", "answers"), Counter[str]()
    while table.outcome is None:
        for ask in table.asked:
            text = random_answer(table.world, ask, stream)
            kinds.update(order.split()[0] for order in text.split(", "))
            table.answer(ask.seat, Answer(text))
    assert not [step for step in table.take() if isinstance(step, Note)]
    assert min(kinds["move"], kinds["auto"], kinds["stop"]) > 10


def test_who_has_nothing_to_do_passes() -> None:
    made, stream = world({0: 1}), Stream("1", "answers")
    assert random_answer(made, Ask(0, "go action"), stream) == "No moves"


def test_perturbing_changes_one_auto_move_of_another() -> None:
    for seed in range(30):
        made = world({0: 0, 1: 0, 3: 1, 6: 2}, auto={3: 0}, seats=3)
        before = made.auto[:]
        assert perturb_hidden(made, 0, Stream(str(seed), "disturb"))
        changed = [cell for cell in range(7) if made.auto[cell] != before[cell]]
        assert len(changed) == 1
        assert changed[0] in (3, 6)
        assert made.auto[changed[0]] in (-1, *made.board.neighbors[changed[0]])


def test_there_must_be_another_to_perturb() -> None:
    assert not perturb_hidden(world({0: 0}), 0, Stream("1", "disturb"))


@pytest.mark.parametrize(
    "text", ["move 0 3 4", "move 0 3 4, move 0 1 1", "auto 0 1", "move 1 0 2", "No moves", "tea"]
)
def test_a_disguised_answer_moves_the_same_by_other_auto_moves(text: str) -> None:
    """Cell 2 sends all by an auto-move from before, cell 1 has a unit more than it may be told to
    move, cell 0 sends all in one case."""
    found = set[bool]()
    for seed in range(20):
        made = world({0: 0, 1: 0, 2: 0, 6: 1}, {0: 5, 1: 2, 2: 3}, auto={2: 5}, radius=1)
        other = disguise(made.copy(), Ask(0, "go action"), text, Stream(f"{seed}", "x"))
        one, two = once(made.copy(), text, "No moves"), once(made.copy(), other, "No moves")
        assert (one.world.owner, one.world.units) == (two.world.owner, two.world.units)
        assert one.world.moves == two.world.moves
        assert one.results(0) == two.results(0)
        found.add(one.world.auto == two.world.auto)
    assert False in found
