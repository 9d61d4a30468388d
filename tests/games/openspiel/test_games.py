"""Every game of OpenSpiel: it loads, it is played to its end, and what bots read is well formed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.core import Note, Setup, Table, Tell, UsageError, find_game
from arena.core.registry import FAMILIES, WELL_KNOWN, library_games
from arena.match.play import play_match
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.record.verify import verify
from arena.sandbox.session import run_with
from arena.testing import at_random, check_game
from arena.testing.conformance import check_asks, check_outcome, check_step
from tests.support.keepers import shared_keeper
from tests.support.tools import needs_open_spiel
from tests.test_every_game import sample

pytestmark = pytest.mark.dear
needs_open_spiel()
SMALL = ["backgammon", "kuhn_poker", "matrix_rps", "tic_tac_toe"]
"""Games of each kind: with dice, at the same time, with hidden cards, of one move each."""


def test_they_are_as_many_as_the_library_has() -> None:
    assert len(library_games()) >= 95


@pytest.mark.parametrize("name", library_games())
def test_each_number_of_seats_can_be_set_up(name: str) -> None:
    game = find_game(name)
    for seats in game.seats:
        assert Table(game, Setup("1", seats, game.settings())).asked


@pytest.mark.parametrize("name", library_games())
def test_a_random_match_is_well_formed(name: str) -> None:
    game, answer = find_game(name), at_random("1")
    table = Table(game, Setup("1", game.seats[0], game.settings(max_moves=60)))
    told = 0
    while True:
        for step in table.take():
            check_step(step, game.seats[0])
            assert not isinstance(step, Note) or step.code == "not_offered"
            told += isinstance(step, Tell)
        if table.outcome is not None:
            break
        check_asks(table)
        for ask in table.asked:
            table.answer(ask.seat, answer(table, ask))
    check_outcome(table)
    assert told > 10


@pytest.mark.parametrize("name", SMALL)
def test_a_game_passes_all_checks(name: str) -> None:
    check_game(find_game(f"openspiel:{name}"))


@pytest.mark.parametrize("name", ["kuhn_poker", "matrix_pd", "tic_tac_toe"])
def test_bots_play_and_the_record_verifies(name: str, tmp_path: Path) -> None:
    game, replay = find_game(f"openspiel:{name}"), tmp_path / "r.jsonl"
    bots = programs([sample("openspiel", "simple")] * 2)
    spec = MatchSpec(game.name, bots, "3", game.settings(), replay=replay)
    with shared_keeper() as keeper:
        report = run_with(keeper, lambda children: play_match(spec, children))
    assert report.status == "completed"
    assert all(player.faults == {} for player in report.players)
    assert verify(replay).problem == ""


def test_the_library_is_imported_for_its_games_alone() -> None:
    code = (
        "import sys, arena; arena.find_game('toroid'); arena.game_names()\n"
        "assert not {'pyspiel', 'arena.games.openspiel'} & set(sys.modules)\n"
        "arena.find_game('openspiel:chess'); assert 'pyspiel' in sys.modules\n"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_the_extra_its_games_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    family = ("arena.games.openspiel", "no_such_library", "pip install '.[openspiel]'")
    monkeypatch.setitem(FAMILIES, "openspiel", family)
    for name in ("openspiel:chess", "chess", "Tic-Tac-Toe"):
        with pytest.raises(UsageError, match=r"needs the library .*: pip install '.\[openspiel\]'"):
            find_game(name)
    with pytest.raises(UsageError, match="'chess': did you mean 'openspiel:chess'"):
        find_game("chess")
    with pytest.raises(UsageError, match="'toriod': did you mean 'toroid'"):
        find_game("toriod")
    assert library_games() == []


def test_a_name_without_its_family_is_found() -> None:
    for word, advice in {
        "chess": "there is no game 'chess': did you mean 'openspiel:chess'?",
        "Tic-Tac-Toe": "did you mean 'openspiel:tic_tac_toe'?",
        "connect4": "did you mean 'openspiel:connect_four'?",
        "warlite": "did you mean 'warlight'?",
        "openspiel": "openspiel names no game: give openspiel:NAME; arena games lists",
        "openspiel:": "openspiel: names no game",
        "catch": "there is no game 'catch': choose one of",  # it cannot be played
    }.items():
        with pytest.raises(UsageError, match=re.escape(advice)):
            find_game(word)


def test_the_games_that_are_named_without_the_library_are_in_it() -> None:
    assert {f"openspiel:{name}" for name in WELL_KNOWN["openspiel"]} <= set(library_games())


def test_games_that_the_library_writes_in_python_are_there_if_they_are_named() -> None:
    assert find_game("openspiel:python_tic_tac_toe").seats == (2,)
    assert "openspiel:python_team_dominoes" in library_games()


def test_numbers_of_seats_at_which_the_library_fails_are_not_offered() -> None:
    assert find_game("openspiel:snake").seats == (2, 4)
    assert find_game("openspiel:go_fish").seats[-1] == 9


def test_what_cannot_be_played_says_why() -> None:
    for name, why in {
        "catch": "for one player",
        "python_hangman": "for one player",
        "python_mfg_predator_prey": "mean field game",
        "chat_game": "made by a language model",
        "python_kun_poker": "did you mean 'openspiel:python_kuhn_poker'",
        "chess()": "are settings: give openspiel:chess$",
        "mfg_garnet": "mean field game",
        "efg_game": "made of another game, or of a file",
        "ches": "did you mean 'openspiel:chess'",
        "go(board_size=9,komi=5.5)": "--set board_size=9 --set komi=5.5",
    }.items():
        with pytest.raises(UsageError, match=why):
            find_game(f"openspiel:{name}")
