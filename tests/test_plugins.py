"""A third-party game, installed with pip, works like any other; a broken one harms no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import wheels
from tests.support.wheels import ROOT

BOT = "import sys\nfor line in sys.stdin:\n    if line.startswith('go'): print(1, flush=True)\n"
TINY = (ROOT / "tests" / "tiny.py").read_text("utf-8")
PRINTING = TINY.replace(
    "    world.bids = []\n", "    world.bids = []\n    print('a round')\n"
).replace('name="tiny"', 'name="printing"')
FAILING = TINY.replace("    world.bids = []\n", "    world.bids = None\n").replace(
    'name="tiny"', 'name="failing"'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the plug-ins are installed, and a bot for them."""
    files = {
        "tiny_game/__init__.py": TINY,
        "tiny_game/rules.md": "# Tiny\n\nBid.\n",
        "failing_game.py": FAILING,
        "printing_game.py": PRINTING,
        "broken_game.py": "import no_such_module\n",
    }
    games = {
        "tiny": "tiny_game:TINY",
        "failing": "failing_game:TINY",
        "printing": "printing_game:TINY",
        "broken": "broken_game:GAME",
        "nameless": "tiny_game:GAME",
        "gameless": "tiny_game:TinyWorld",
    }
    folder = tmp_path_factory.mktemp("plugin")
    site = wheels.install(folder, "tiny_game", files, games)
    (site / "bot.py").write_text(BOT)
    return site


def arena(site: Path, *arguments: str) -> str:
    return wheels.run(site, "arena", *arguments).stdout


def test_it_is_listed_and_explained(site: Path) -> None:
    assert "tiny" in arena(site, "games")
    assert "purse" in arena(site, "games", "tiny")
    assert arena(site, "games", "tiny", "--rules").startswith("# Tiny")
    assert arena(site, "games", "failing", "--rules").startswith("A complete tiny game")


def test_it_is_played_checked_and_verified(site: Path, tmp_path: Path) -> None:
    bot, replay = str(site / "bot.py"), str(tmp_path / "r.jsonl")
    out = arena(site, "play", "tiny", bot, bot, bot, "--replay", replay, "--json")
    document = json.loads(out)
    assert document["game"] == "tiny"
    assert len(document["players"]) == 3
    assert "ok" in arena(site, "check", "tiny", bot)
    assert f"{replay}: ok" in arena(site, "verify", replay)
    series = arena(site, "play", "tiny", bot, bot, "--games", "4", "--jobs", "2", "--json")
    assert json.loads(series)["summary"]["played"] == 4


def test_it_takes_no_map(site: Path, tmp_path: Path) -> None:
    map_file, bot = tmp_path / "map.json", str(site / "bot.py")
    map_file.write_text("{}")
    done = wheels.run(site, "arena", "play", "tiny", bot, bot, "--map", str(map_file), status=2)
    assert done.stderr == "arena: tiny takes no map file: leave out --map\n"


def test_its_bug_is_told_with_its_line(site: Path) -> None:
    bot = str(site / "bot.py")
    done = wheels.run(site, "arena", "play", "failing", bot, bot, "--seed", "7", status=4)
    line = 1 + FAILING.splitlines().index("    world.bids.append(bid)")
    assert done.stderr == (
        f"arena: the rules of failing failed at {site}/failing_game.py:{line} "
        "(AttributeError(\"'NoneType' object has no attribute 'append'\")): the match is void, "
        "please report it with the seed '7' and the settings\n"
    )


def test_broken_games_are_listed_with_what_is_wrong(site: Path) -> None:
    lines = {line.split()[0]: line for line in arena(site, "games").splitlines() if line}
    assert "Tiny" in lines["tiny"]
    assert "cannot be used, since broken_game:GAME cannot be loaded (ModuleNot" in lines["broken"]
    assert f"at {site}/broken_game.py:1" in lines["broken"]
    assert "AttributeError" in lines["nameless"]
    assert "since tiny_game:TinyWorld is not a Game but type" in lines["gameless"]
    listed = {game["name"]: game for game in json.loads(arena(site, "games", "--json"))["games"]}
    assert listed["tiny"]["title"] == "Tiny"
    assert set(listed["broken"]) == {"name", "problem"}


def test_naming_a_broken_game_tells_what_is_wrong(site: Path) -> None:
    bot = str(site / "bot.py")
    for command in (["games", "broken"], ["play", "broken", bot, bot], ["check", "broken", bot]):
        done = wheels.run(site, "arena", *command, status=2)
        assert done.stderr.startswith("arena: the game 'broken' cannot be used, since broken_game")
        assert "repair or remove the package that brings it" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("series", [(), ("--games", "2", "--jobs", "2")])
def test_rules_that_print_do_not_break_the_document(site: Path, series: tuple[str, ...]) -> None:
    bot = str(site / "bot.py")
    done = wheels.run(site, "arena", "play", "printing", bot, bot, *series, "--json")
    assert json.loads(done.stdout)["format"] == 1
    assert "a round\n" in done.stderr
