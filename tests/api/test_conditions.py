"""What a caller may say of a match, and how wrong words are refused."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from arena.api import conditions
from arena.api.conditions import Conditions, find_entrant, make_spec, new_seed, sandbox_mode
from arena.core.clock import Clock
from arena.core.limits import Limits
from arena.core.registry import find_game
from arena.errors import MapError, UsageError
from arena.players.terms import Terms, Timing
from arena.sandbox.levels import Level, SandboxMode
from tests.api.conftest import one, two


def test_what_is_left_out_has_the_defaults_of_the_command() -> None:
    spec = make_spec("tiny", [one, two], {})
    assert spec.game == "tiny"
    assert [entrant.name for entrant in spec.entrants] == ["one", "two"]
    assert spec.terms == Terms(timing=Timing(Clock.FAIR))
    assert spec.terms.limits.memory == 1 << 30
    assert spec.seed.isdigit()
    assert spec.map is None


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    path.write_text(json.dumps({"a": 1}))
    said = Conditions(
        seed=7,
        settings={"max_rounds": 3, "purse": "9"},
        map=None,
        memory="512M",
        sandbox="strict",
        clock="cpu",
        meter="time",
        pondering=False,
        sequential=True,
        forfeit=True,
        start_up=500,
    )
    spec = make_spec(find_game("tiny"), [one, two], said)
    settings: Any = spec.settings
    assert (spec.seed, settings.max_rounds, settings.purse) == ("7", 3, 9)
    assert spec.terms == Terms(
        limits=Limits(memory=512 << 20),
        timing=Timing(Clock.CPU, pondering=False, start_up=500),
        sandbox=SandboxMode.STRICT,
        sequential=True,
        forfeit=True,
    )


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"start_up": -1}, "start_up=-1 is not allowed: give a whole number from 0 to 600000 ms"),
        ({"settings": {"max_ronds": 3}}, "there is no setting 'max_ronds': did you mean"),
        ({"settings": {"max_rounds": 0}}, "max_rounds=0 is not allowed: give a whole number from"),
        ({"memory": "512"}, "'512' is not a size"),
        ({"memory": 5}, "memory=5 is not allowed: give 1M to 65536G, or that in bytes"),
        ({"memory": "99999999G"}, "memory=99999999G is not allowed: give 1M to 65536G"),
        ({"memory": 10**20}, f"memory={10**20} is not allowed: give 1M to 65536G"),
        ({"sandbox": "stritc"}, "sandbox=stritc is not allowed: give off, auto or strict"),
        ({"clock": "sun"}, "clock=sun is not allowed: give wall, fair or cpu"),
        ({"meter": "instructions"}, "tiny counts time only"),
        ({"meter": "steps"}, "meter=steps is not allowed: give time or instructions"),
        ({"seed": ""}, "the seed is empty"),
        ({"map": "/no/such/map"}, "cannot read the map /no/such/map"),
        ({"moon": "full"}, "there is no condition 'moon'"),
        ({"settings": 5}, "settings=5 is not allowed: give names and values"),
        ({"pondering": "perhaps"}, "pondering=perhaps is not allowed: give true or false"),
        ({"sequential": 2}, "sequential=2 is not allowed: give true or false"),
        ({"start_up": "soon"}, "start_up=soon is not allowed: give a whole number from 0"),
        ({"sandbox": True}, "sandbox=True is not allowed: give off, auto or strict"),
    ],
)
def test_wrong_words(said: Any, error: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_spec("tiny", [one, two], said)
    assert str(caught.value).startswith(error)


def test_a_map_that_is_not_json(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    path.write_text("{")
    with pytest.raises(MapError, match="is not JSON"):
        make_spec("warlight", [one, two], {"map": path})


def test_a_map_that_is_nested_too_deep(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    path.write_text("[" * 100_000)
    with pytest.raises(MapError, match=r"map.json is not JSON: nested deeper than 64"):
        make_spec("warlight", [one, two], {"map": path})


def test_a_map_that_has_no_end(tmp_path: Path) -> None:
    with (large := tmp_path / "map.json").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(MapError, match=r"map.json is larger than 4 MiB: name another"):
        make_spec("warlight", [one, two], {"map": large})
    os.mkfifo(pipe := tmp_path / "pipe")
    for path in ("/dev/zero", pipe):
        with pytest.raises(
            MapError, match=r"not an ordinary file, but .* or a device: name another"
        ):
            make_spec("warlight", [one, two], {"map": path})


@pytest.mark.parametrize(
    ("game", "bots", "error"),
    [
        (None, [one, two], "None is not a game"),
        ("tiny", "a.py", "'a.py' is not a list of bots: give one"),
        ("tiny", one, "is not a list of bots"),
        ("tiny", [one, 5], "5 is not a bot: give a file"),
    ],
)
def test_wrong_types(game: Any, bots: Any, error: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_spec(game, bots, {})
    assert error in str(caught.value)


def test_the_number_of_bots() -> None:
    with pytest.raises(UsageError, match="tiny is for 2 or 3 bots, and 1 is given"):
        make_spec("tiny", [one], {})


def test_a_bot_is_named_in_many_ways(tmp_path: Path) -> None:
    path = tmp_path / "my_bot.py"
    path.write_text("pass")
    by_word, by_path = find_entrant(str(path), Level.OFF), find_entrant(path, Level.OFF)
    assert by_word == by_path
    assert by_word.name == "my_bot"
    assert find_entrant(by_word, Level.OFF) is by_word
    assert find_entrant(one, Level.OFF).name == "one"


def test_sandbox_modes() -> None:
    assert sandbox_mode("off") is Level.OFF
    assert sandbox_mode("auto") is SandboxMode.AUTO
    assert sandbox_mode(Level.GUARD) is Level.GUARD


def test_drawn_seeds_differ() -> None:
    assert len({new_seed() for _ in range(20)}) > 15


def test_the_fair_clock_is_the_default_where_it_can_be_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert make_spec("tiny", [one, two], {"clock": "fair"}).terms.timing.clock is Clock.FAIR
    monkeypatch.setattr(conditions, "delay_is_known", lambda: False)
    assert make_spec("tiny", [one, two], {}).terms.timing.clock is Clock.WALL
    with pytest.raises(UsageError, match="use --clock wall"):
        make_spec("tiny", [one, two], {"clock": "fair"})
