"""What `clocks.md` says is so."""

from __future__ import annotations

from arena.cli.text import match
from arena.core.clock import NS_PER_MS
from arena.core.registry import find_game
from arena.core.settings import parse
from arena.match import referee
from arena.players import process, timing, watch
from arena.runtime.retry import VOIDS_IN_A_ROW
from arena.sandbox.keeper import main as keeper
from arena.sandbox.usage import delays
from tests.guide.reading import flat

TEXT = flat("clocks")


def test_when_a_bot_was_held_up() -> None:
    assert match.HELD_UP_SHARE == 1 / 5
    assert f"is more than {match.HELD_UP_MS:.0f} ms and more than a fifth of its time" in TEXT
    assert timing.PROMPT_NS == NS_PER_MS
    assert "for answers that took a millisecond or more" in TEXT
    assert f"less than the {watch.TICK * 1000:.0f} ms between two looks" in TEXT


def test_when_a_match_is_void() -> None:
    assert referee.SLEEP_LIMIT == 1
    assert "suspended for more than a second" in TEXT
    assert VOIDS_IN_A_ROW == 3
    assert "After three void matches in a row" in TEXT


def test_the_fair_clock() -> None:
    assert timing.MAX_DELAY_PART == 0.95
    assert "at most 95 % of the real time of a request are refunded" in TEXT
    assert f"the {delays.FOLLOWED} threads that have run most" in TEXT


def test_the_guard_of_the_cpu_clock() -> None:
    assert (timing.CAP_BANKS, timing.CAP_EXTRA) == (10, 1)
    assert "CPU and fair clocks also have a real-time cap: ten banks and a second." in TEXT


def test_when_a_bot_is_stopped() -> None:
    assert f"stopped from {process.FREEZE_AFTER * 1000:.0f} ms after its answer" in TEXT
    assert f"until it is swept ({keeper.STRAYS_TICK * 1000:.0f} ms)" in TEXT


def test_the_limits_in_instructions() -> None:
    game = find_game("codecharacter")
    budget = game.budget(parse(game.settings, game.metered))
    assert budget is not None
    assert f"more than {budget.turn:,} instructions (`--set turn_limit=…`) is void" in TEXT
    assert f"more than {budget.game:,} (`--set game_limit=…`) loses the match" in TEXT
