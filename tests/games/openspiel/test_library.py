"""Parameters as settings, and what is refused."""

from __future__ import annotations

import pickle
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.core import SettingError, find_game
from arena.core.settings import keys, parse
from arena.errors import ReplayError
from arena.record.verify import verify
from tests.games.openspiel.tables import table_of
from tests.support.tools import needs_open_spiel
from tests.test_every_game import SAMPLES

pytestmark = pytest.mark.dear
needs_open_spiel()

import pyspiel  # noqa: E402

from arena.games.openspiel import library  # noqa: E402


def parameters_of(name: str, **changes: Any) -> dict[str, object]:
    """The parameters of the game that is played."""
    seats = find_game(f"openspiel:{name}").seats[0]
    found: dict[str, object] = (
        table_of(name, seats=seats, **changes).world.state.get_game().get_parameters()
    )
    return found


def test_settings_reach_the_library() -> None:
    assert (
        parameters_of("go", board_size="9", komi="5.5").items()
        >= {"board_size": 9, "komi": 5.5}.items()
    )
    assert parameters_of("chess", chess960="true")["chess960"] is True
    assert parameters_of("kriegspiel", fifty_move_rule="false")["50_move_rule"] is False
    assert parameters_of("capture_the_flag", grid="a.b\\n...")["grid"] == "a.b\n..."
    assert parameters_of("go", komi=Decimal("0.5"))["komi"] == 0.5


def test_the_number_of_players_is_that_of_the_seats() -> None:
    assert table_of("kuhn_poker", seats=4).world.state.num_players() == 4
    poker = table_of("universal_poker", seats=3).world.state
    assert poker.num_players() == 3
    assert table_of("pathfinding").world.state.num_players() == 2


def test_what_no_setting_may_do() -> None:
    """Read files, set seeds and seats, or write colours."""
    for name in library.games():
        found = {key.name for key in keys(library.settings_type(name))}
        assert not found & library.LEFT_OUT
        assert all(key.isidentifier() for key in found)


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("go", {"board_size": "1000"}, "board_size=1000 is not allowed: give a whole number from"),
        ("breakthrough", {"rows": "1"}, "OpenSpiel cannot play breakthrough with rows=1"),
        ("go", {"board_siz": "9"}, "did you mean 'board_size'"),
        ("go", {"komi": "0.12345"}, "komi=0.12345 is not allowed"),
        ("chess", {"chess960": "maybe"}, "chess960=maybe is not allowed: give true or false"),
        ("chess", {"max_moves": "0"}, "max_moves=0 is not allowed"),
        ("backgammon", {"scoring_type": "bogus"}, "OpenSpiel cannot play backgammon with .*bogus"),
        ("battleship", {"ship_sizes": "two  blanks"}, "ASCII text with single blanks"),
        ("battleship", {"ship_sizes": "♠"}, "ASCII text with single blanks"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(name: str, change: dict[str, Any], why: str) -> None:
    with pytest.raises(SettingError, match=why):
        table_of(name, **change)


def test_a_grid_for_another_number_of_players_is_refused() -> None:
    with pytest.raises(SettingError, match="it is for 1 players"):
        table_of("pathfinding", grid="A..\\n..a")


def test_settings_can_be_sent_to_another_process() -> None:
    settings = parse(find_game("openspiel:go").settings, {"board_size": 9})
    assert pickle.loads(pickle.dumps(settings)) == settings
    with pytest.raises(AttributeError):
        _ = library.Settings_of_nothing


def test_the_rules_version_has_the_version_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspiel, "__version__", "2.0.2")
    assert library.rules_version() == 1020002
    monkeypatch.setattr(pyspiel, "__version__", "2.1")
    assert library.rules_version() == 1020100


def test_a_record_of_another_version_says_what_to_install(tmp_path: Path) -> None:
    replay = tmp_path / "r.jsonl"
    arena.play("openspiel:matrix_pd", [SAMPLES / "openspiel" / "simple.py"] * 2, replay=replay)
    now = f'"rules_version":{library.rules_version()}'
    for version, advice in {
        1020001: "pip install open_spiel==2.0.1",
        1031409: "pip install open_spiel==3.14.9",
        2020001: "use the release of the arena that wrote it",
    }.items():
        replay.write_text(replay.read_text().replace(now, f'"rules_version":{version}'))
        now = f'"rules_version":{version}'
        with pytest.raises(ReplayError, match=re.escape(advice)):
            verify(replay)
