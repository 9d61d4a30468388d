"""Attacks on a simulated league, a few contests of each kind."""

from __future__ import annotations

import pytest

from tests.experiments import fairplay
from tests.experiments.fairplay import MINE, Contest, attack, feeders


def test_copies_buy_neither_the_first_rank_nor_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fairplay, "COPIES", 4)
    ended = [attack("copies", f"quick {number}") for number in range(3)]
    assert not any(one.is_first for one in ended)
    assert all(one.share <= 0.51 for one in ended)
    assert all(abs(one.elo) < 60 for one in ended)


def test_bots_of_the_same_team_feed_nobody() -> None:
    contest = Contest("quick")
    main = feeders(contest)
    assert not [pair for pair in contest._met if pair[0].team == pair[1].team == MINE]
    assert abs(contest.table()[main]) < 200
