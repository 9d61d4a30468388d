"""Random answers are legal, hidden changes unseen."""

from __future__ import annotations

import pytest

from arena.core.game import Setup
from arena.core.replies import Answer
from arena.core.rng import Stream
from arena.core.steps import Ask, Note
from arena.core.table import Table
from arena.games.codecharacter import GAME, words
from arena.games.codecharacter.probes import disguise, perturb_hidden, random_answer
from tests.games.codecharacter.helpers import put, settings, small, tower, turn, world


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_random_answers_are_never_a_fault(seed: str) -> None:
    given = settings(num_turns=150) if seed == "1" else small(num_turns=300, money_start=9000)
    table = Table(GAME, Setup(seed, 2, given))
    stream = Stream(seed, "answers")
    while table.outcome is None:
        for ask in table.asked:
            table.answer(ask.seat, Answer(random_answer(table.world, ask, stream)))
    notes = [step for step in table.take() if isinstance(step, Note)]
    # what the other does in the same turn cannot be known
    assert {note.code for note in notes} <= {"target_razed"}


def test_random_players_do_everything() -> None:
    table = Table(GAME, Setup("1", 2, small(num_turns=400, money_start=2000)))
    stream, verbs, states = Stream("1", "answers"), set(), set()
    while table.outcome is None:
        for ask in table.asked:
            text = random_answer(table.world, ask, stream)
            verbs |= {order.split()[0] for order in text.split(", ")}
            table.answer(ask.seat, Answer(text))
        states |= {one.state for one in table.world.soldiers}
    assert verbs >= {"move", "attack", "build", "upgrade", "suicide"}
    assert states == {"idle", "move", "pursuit", "attack", "dead"}


def test_a_player_with_nothing_to_do() -> None:
    made = world(money_start=0)
    for one in made.soldiers:
        one.state = "dead"
    for seed in range(20):
        assert random_answer(made, Ask(0, words.ACTION), Stream(str(seed), "a")) == "No moves"


def test_no_place_is_left() -> None:
    made = world(money_start=9000, map_size=4, base_tiles=(0, 0, 3, 3))
    tower(made, 1, 1, 1)
    for seed in range(50):
        text = random_answer(made, Ask(0, words.ACTION), Stream(str(seed), "a"))
        assert "build" not in text


def test_perturbing_changes_what_is_hidden_and_nothing_else() -> None:
    for seat in (0, 1):
        for seed in range(20):
            made = world()
            before = words.News(made).turn_lines()
            assert perturb_hidden(made, seat, Stream(str(seed), "disturb"))
            assert made.money[1 - seat] > 300
            assert sum(one.destination is not None for one in made.soldiers) == 1
            after = words.News(made).turn_lines()
            assert after[seat] == before[seat]
            assert after[1 - seat] != before[1 - seat]


def test_perturbing_when_all_are_dead() -> None:
    made = world()
    for one in made.soldiers:
        one.state = "dead"
    assert perturb_hidden(made, 0, Stream("1", "disturb"))


@pytest.mark.parametrize("seat", [0, 1])
def test_a_disguised_answer_sends_walkers_elsewhere_by_the_same_step(seat: int) -> None:
    """One soldier by a new order, one by an earlier order; a third is about to arrive."""
    same = 0
    for seed in range(20):
        made = world()
        first, second, third = [one for one in made.soldiers if one.seat == seat][:3]
        for soldier, x in ((first, 100), (second, 120), (third, 140)):
            put(made, soldier.id, x, 200)
        second.destination, third.destination = (300_000, 250_000), (140_001, 200_000)
        text = f"move {first.id} 150 90, build 1 1"
        other = disguise(made, Ask(seat, words.ACTION), text, Stream(f"{seed}", "x"))
        assert "build 1 1" in other
        worlds = [made.copy() for _ in "ab"]
        for each, said in zip(worlds, (text, other), strict=True):
            turn(each, *(("", said) if seat else (said, "")))
        one, two = ([(s.x, s.y, s.state) for s in each.soldiers] for each in worlds)
        same += one == two
        ends = [{s.id: s.destination for s in each.soldiers if s.seat == seat} for each in worlds]
        assert ends[0][third.id] == ends[1][third.id]
        assert ends[0] != ends[1]
    assert same > 10, "hardly ever does the way to the next place round otherwise"


def test_a_disguised_attack_is_on_another_at_the_same_place() -> None:
    made = world()
    one = made.soldiers[0]
    foes = [foe for foe in made.soldiers if foe.seat == 1]
    text = f"attack {one.id} {foes[0].id}"
    other = disguise(made, Ask(0, words.ACTION), text, Stream("1", "x"))
    assert other != text
    assert other.startswith(f"attack {one.id} ")
    for foe in foes[1:]:
        foe.x += 1
    assert disguise(made, Ask(0, words.ACTION), text, Stream("1", "x")) == text
