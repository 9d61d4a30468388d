"""Random answers are legal, hidden changes unseen."""

from __future__ import annotations

import pytest

from arena.core.game import Setup
from arena.core.replies import Answer
from arena.core.rng import Stream
from arena.core.steps import Ask, Note, Show
from arena.core.table import Table
from arena.games.kit import Refusal
from arena.games.tncc import GAME, words
from arena.games.tncc.probes import perturb_hidden, random_answer
from arena.games.tncc.world import Trade, War
from tests.games.tncc.helpers import RICH, Talk, settings, world


@pytest.mark.parametrize("seats", GAME.seats)
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_random_answers_are_never_a_fault(seats: int, seed: str) -> None:
    table = Table(GAME, Setup(seed, seats, settings(gold_for_war=900)))
    stream = Stream(seed, "answers")
    while table.outcome is None:
        for ask in table.asked:
            table.answer(ask.seat, Answer(random_answer(table.world, ask, stream)))
    assert [step for step in table.take() if isinstance(step, Note)] == []


def test_random_players_do_everything() -> None:
    seen, reasons = set(), set()
    for seed in range(12):
        table = Table(GAME, Setup(str(seed), 3, settings()))
        stream = Stream(str(seed), "answers")
        while table.outcome is None:
            table.answer_all((Answer(random_answer(table.world, table.asked[0], stream)),))
        reasons.add(table.outcome.reason)
        for step in table.take():
            for move in step.frame["moves"] if isinstance(step, Show) else []:
                seen.add((move[0], move[-1] if move[0] == "trade" else move[-2:-1][0]))
    kinds = {kind for kind, _ in seen}
    assert kinds == {"wait", "recruit", "trade", "war"}
    assert {("trade", True), ("trade", False), ("war", "attacker"), ("war", "defender")} <= seen
    assert "elimination" in reasons


def test_random_answers_come_for_poor_and_lonely_countries() -> None:
    made = world((0, 0, 0, 0, 0), (0, 0, 0, 0, 0))
    for alone in (False, True):
        made.alive[1] = not alone
        for seed in range(30):
            stream = Stream(str(seed), "answers")
            act = words.read_action(made, 0, random_answer(made, Ask(0, words.ACTION), stream))
            assert not isinstance(act, Refusal)


@pytest.mark.parametrize("flanks", ["20 20 20", "60 0 0", "0 1 1", "1 2 3", "0 0 1"])
def test_a_perturbed_attack_is_another_with_the_same_sum(flanks: str) -> None:
    made = Talk(world(RICH, RICH, RICH)).say(f"war player2 {flanks}").world
    for seat in (1, 2):
        other = made.copy()
        assert perturb_hidden(other, seat, Stream("1", "disturb"))
        assert isinstance(made.proposal, War)
        assert isinstance(other.proposal, War)
        assert other.proposal.flanks != made.proposal.flanks
        assert sum(other.proposal.flanks) == sum(made.proposal.flanks)
        assert Talk(made.copy()).told == Talk(other).told


def test_nothing_else_is_hidden() -> None:
    stream = Stream("1", "disturb")
    made = world(RICH, RICH)
    assert not perturb_hidden(made, 0, stream)
    made.proposal = Trade(0, 1, "gold", 1, "food", 1)
    assert not perturb_hidden(made, 1, stream)
    made.proposal = War(0, 1, (0, 0, 0))
    assert not perturb_hidden(made, 1, stream), "no soldiers can be divided in one way only"
    made.proposal = War(0, 1, (1, 2, 3))
    assert not perturb_hidden(made, 0, stream), "the attacker knows"
