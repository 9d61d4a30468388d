"""Random answers are legal, hidden changes unseen."""

from __future__ import annotations

import pytest

from arena.core.game import Setup
from arena.core.replies import Answer
from arena.core.rng import Stream
from arena.core.steps import Ask, Note
from arena.core.table import Table
from arena.games.warlight import GAME, words
from arena.games.warlight.probes import perturb_hidden, random_answer
from tests.games.warlight.helpers import ORIGINAL_MAP, settings, standing, world


@pytest.mark.parametrize("seed", [str(seed) for seed in range(8)])
def test_random_answers_are_never_a_fault(seed: str) -> None:
    table = Table(GAME, Setup(seed, 2, settings(), ORIGINAL_MAP))
    stream = Stream(seed, "answers")
    while table.outcome is None:
        for ask in table.asked:
            table.answer(ask.seat, Answer(random_answer(table.world, ask, stream)))
    assert [step for step in table.take() if isinstance(step, Note) and step.fault] == []


def test_random_players_fight() -> None:
    table = Table(GAME, Setup("1", 2, settings()))
    stream, kinds = Stream("1", "answers"), set()
    while table.outcome is None:
        for ask in table.asked:
            table.answer(ask.seat, Answer(random_answer(table.world, ask, stream)))
        kinds |= {type(act).__name__ for act in table.world.acts}
    assert kinds == {"Picked", "Placed", "Transferred", "Attacked"}


def test_a_player_without_regions_has_no_answer_but_no_moves() -> None:
    made, stream = world({1: 0}), Stream("1", "answers")
    for head in (words.PLACE, words.ATTACK):
        assert random_answer(made, Ask(1, head), stream) == "No moves"


def test_all_armies_are_placed() -> None:
    made = world({1: 0, 2: 0, 3: 0, 8: 1})
    for seed in range(30):
        text = random_answer(made, Ask(0, words.PLACE), Stream(str(seed), "answers"))
        assert sum(int(order.split()[3]) for order in text.split(", ")) == 8


def test_a_pick_is_on_the_list() -> None:
    made = world({})
    ask = Ask(0, words.PICK, "3 7 8")
    picks = {random_answer(made, ask, Stream(str(seed), "answers")) for seed in range(30)}
    assert picks == {"3", "7", "8"}


def test_perturbing_changes_one_hidden_region() -> None:
    for seed in range(30):
        made = world({2: 0, 8: 1})
        before = standing(made)
        assert perturb_hidden(made, 0, Stream(str(seed), "disturb"))
        changed = [
            region for region in made.board.regions if standing(made)[region] != before[region]
        ]
        assert len(changed) == 1
        assert changed[0] in (4, 6, 7, 8)


def test_who_sees_all_cannot_be_disturbed() -> None:
    made = world({2: 0, 4: 0, 7: 0, 8: 1})
    assert not perturb_hidden(made, 0, Stream("1", "disturb"))
