"""A game as a document."""

from __future__ import annotations

import msgspec

from arena.api.games import describe
from arena.core.registry import BrokenGame, find_game


def test_a_game_and_its_settings() -> None:
    game = find_game("tiny")
    description = describe(game)
    assert (description.name, description.title, description.seats) == ("tiny", "Tiny", (2, 3))
    assert [key.name for key in description.settings[:2]] == ["timebank", "time_per_move"]
    assert "rules" not in msgspec.to_builtins(description)
    assert "problem" not in msgspec.to_builtins(description)


def test_the_rules_on_request() -> None:
    assert (describe(find_game("warlight"), rules=True).rules or "").startswith("# ")


def test_a_broken_game_has_a_name_and_a_problem() -> None:
    broken = describe(BrokenGame("odd", "it cannot be loaded"))
    assert msgspec.to_builtins(broken) == {"name": "odd", "problem": "it cannot be loaded"}
