"""The terms of a league."""

from __future__ import annotations

import pytest

from arena.core.clock import Clock
from arena.errors import SettingError, UsageError
from arena.league.terms import settle, spec_of
from arena.sandbox.levels import SandboxMode


def test_a_league_is_strict_and_fair_unless_told_otherwise() -> None:
    terms = settle("warlight", None, {})
    assert (terms.sandbox, terms.clock, terms.seats) == ("strict", Clock.FAIR, 2)
    assert terms.mode is SandboxMode.STRICT
    assert terms.seed
    assert settle("warlight", None, {"sandbox": "off", "clock": "cpu"}).clock is Clock.CPU


@pytest.mark.parametrize("game", ["warlight", "toroid", "hextrategic", "tncc", "codecharacter"])
def test_the_terms_give_the_same_match_again(game: str) -> None:
    terms = settle(game, None, {"seed": "7", "memory": "300M", "pondering": False})
    spec = spec_of(terms)
    assert (spec.game, spec.seed, spec.limits.memory) == (game, "7", 300 << 20)
    assert not spec.pondering
    assert settle(game, None, {"seed": "7", "settings": terms.settings}).settings == terms.settings


def test_what_cannot_be_is_refused_at_once() -> None:
    with pytest.raises(SettingError, match="did you mean 'luck'"):
        settle("warlight", None, {"settings": {"lucky": 1}})
    with pytest.raises(UsageError, match="2"):
        settle("warlight", 3, {})
