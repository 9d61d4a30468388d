"""Random answers are legal, hidden changes unseen."""

from __future__ import annotations

from typing import Any

import pytest

from arena.core.replies import Answer
from arena.core.rng import Stream
from arena.core.steps import Ask, Note, Show
from arena.games.toroid.probes import perturb_hidden, random_answer, vary_start
from tests.games.toroid.helpers import fresh, ring, table, world


@pytest.mark.parametrize("unfriendly", ["on", "off"])
@pytest.mark.parametrize("seats", [2, 8])
def test_random_answers_are_never_a_fault(seats: int, unfriendly: str) -> None:
    match, stream = table(seats=seats, unfriendly_transfer=unfriendly), Stream("1", "answers")
    while match.outcome is None:
        (ask,) = match.asked
        match.answer(ask.seat, Answer(random_answer(match.world, ask, stream)))
    assert not any(isinstance(step, Note) for step in match.take())


def test_random_players_do_everything() -> None:
    match, stream, done = table(), Stream("2", "answers"), set[str]()
    while match.outcome is None:
        (ask,) = match.asked
        match.answer(ask.seat, Answer(random_answer(match.world, ask, stream)))
        for step in match.take():
            if isinstance(step, Show):
                done |= {str(move[0]) for move in step.frame["moves"]}
                done |= {str(move[5]) for move in step.frame["moves"] if move[0] == "attack"}
    assert done == {"attack", "transfer", "scout", "build", "defeat", "victory", "conquer"}


def test_a_country_that_can_do_little_does_little() -> None:
    made = world("A1 B1 .1")
    texts = {random_answer(made, Ask(0, "go action", "0"), Stream(str(s), "x")) for s in range(60)}
    assert texts == {"scout left", "scout right", "build", "No moves"}


def test_perturbing_changes_the_units_of_one_foreign_country() -> None:
    for seed in range(40):
        for visibility in ("neighbours", "owners"):
            made = world("A6 B4 .1 A2", visibility=visibility)
            before = ring(made).split()
            assert perturb_hidden(made, 0, Stream(str(seed), "disturb"))
            after = ring(made).split()
            (changed,) = [c for c in range(4) if before[c] != after[c]]
            assert changed in (1, 2)
            assert after[changed][0] == before[changed][0]
            assert 1 <= made.units[changed] <= 20


def test_perturbing_swaps_owners_out_of_sight() -> None:
    for seed in range(20):
        made = world("A6 B4 B1 C5 .2 A2", seats=3)
        assert perturb_hidden(made, 0, Stream(str(seed), "disturb"))
        assert made.owner == [0, 1, 2, 1, -1, 0], "countries 2 and 3 are hidden"
        made = world("A6 B4 B1 C5 .2 A2", seats=3)
        made.todo, made.builds = [3], []
        assert perturb_hidden(made, 0, Stream(str(seed), "disturb"))
        assert made.owner == [0, 1, 1, 2, -1, 0], "country 3 is asked next"


def test_who_knows_all_cannot_be_disturbed() -> None:
    stream = Stream("1", "disturb")
    one: dict[str, Any] = {"max_resident_units": 1, "start_units": 1, "neutral_units_max": 1}
    one |= {"max_attack_units": 1, "max_transfer_units": 1}
    assert not perturb_hidden(world("A6 B4 .1", visibility="all"), 0, stream)
    assert not perturb_hidden(world("A1 B1 .1", **one), 0, stream)
    assert not perturb_hidden(world("A6 A4 A1"), 0, stream)


def test_another_start_is_one_that_chance_could_have_drawn() -> None:
    starts = set()
    for seed in range(60):
        made = fresh(seats=3)
        before = ring(made).split()
        assert vary_start(made, 0, Stream(f"{seed}", "start"))
        after = ring(made).split()
        assert sorted(made.owner) == sorted(fresh(seats=3).owner)
        for country, (owner, units) in enumerate(zip(made.owner, made.units, strict=True)):
            assert units == 2 if owner >= 0 else 1 <= units <= 5
            assert owner != 0 or before[country] == after[country]
        starts.add(ring(made))
    assert len(starts) > 20


def test_a_start_that_is_told_or_past_does_not_vary() -> None:
    for made in (fresh(visibility="all"), table().world):
        before = ring(made)
        assert not vary_start(made, 0, Stream("1", "start"))
        assert ring(made) == before
