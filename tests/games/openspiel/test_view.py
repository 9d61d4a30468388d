"""What spectators, pages and people see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.cli import main
from arena.core import Answer, Show, Stream, Table
from arena.core.view import find_view
from arena.testing import at_random, play
from arena.view.page import board_script
from tests.games.openspiel.tables import table_of
from tests.support.tools import needs_open_spiel
from tests.test_every_game import SAMPLES

pytestmark = pytest.mark.dear
needs_open_spiel()

from arena.games.openspiel.frames import WIDEST, folded, frame  # noqa: E402


def shown(table: Table[Any]) -> list[dict[str, Any]]:
    """The frames of the match so far, as each seat sees them at that moment."""
    view = find_view(table.game)
    assert view
    assert view.seen
    frames, seen = [step.frame for step in table.take() if isinstance(step, Show)], view.seen
    return [seen(table.world, seat, frames[-1]) for seat in range(2)]


def test_a_seat_sees_what_it_was_told_and_its_own_moves() -> None:
    table = table_of("phantom_ttt")
    table.answer(0, Answer("x(1,1)"))
    first, second = shown(table)
    assert (first["moves"], second["moves"]) == ([[0, "x(1,1)"]], [])
    assert "x" not in second["text"]
    assert first["points"] == second["points"] == [None, None]
    assert json.loads(json.dumps(first)) == first


def test_what_is_hidden_from_a_seat_does_not_show() -> None:
    """Two matches that tell a seat the same show it the same, at each moment."""
    for seed in ("1", "2", "3"):
        table = table_of("leduc_poker", seed)
        for _ in range(5):
            if table.outcome is not None:
                break
            seat = table.asked[0].seat
            guess = table.determinize(seat, Stream(seed, "guess"))
            view = find_view(table.game)
            assert view
            assert view.seen
            known = [view.seen(one.world, seat, frame(one.world)) for one in (table, guess)]
            assert known[0] == known[1]
            play(table, at_random(seed), 1)


def test_without_hidden_information_all_is_seen() -> None:
    table = table_of("tic_tac_toe")
    table.answer(0, Answer("x(1,1)"))
    first, second = shown(table)
    assert first == second
    assert first["text"].split() == ["...", ".x.", "..."]


def test_offers_are_the_legal_actions() -> None:
    for name in ("tic_tac_toe", "chess"):
        table = table_of(name)
        draft = table.draft(table.asked[0].seat)
        legal = [line for line in table.lines(draft.ask.seat) if line.startswith("legal ")][-1]
        assert [*draft.offer.choices()] == legal.split()[1:]
        assert draft.pick(legal.split()[1]).done
        with pytest.raises(ValueError, match="is not offered"):
            draft.pick("no such move")


def test_a_picture_fits() -> None:
    assert folded("x" * 250 + "\n\ty\x07").split("\n") == [
        *("x" * WIDEST, "x" * WIDEST, "x" * 50),
        "        y?",
    ]


def test_the_board_is_drawn_for_the_games_that_the_script_names() -> None:
    script = board_script(table_of("go").game)
    assert script
    assert all(
        f"\n  {name}: {{" in script for name in ("tic_tac_toe", "connect_four", "chess", "go")
    )


def test_a_match_of_more_players_than_there_are_colours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = tmp_path / "r.jsonl"
    arena.play("openspiel:blotto", [SAMPLES / "openspiel" / "simple.py"] * 10, replay=replay)
    assert main.run(["view", "--text", str(replay)]) == 0
    assert "I simple against J simple" in capsys.readouterr().out
