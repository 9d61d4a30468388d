"""The sample bots are short, sound, and as strong as they claim."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.api.play import play
from arena.bots.languages import LANGUAGES
from arena.cli import main
from tests.support.tools import dear, needs_open_spiel, needs_tool

ROOT = Path(__file__).parents[1]
BOTS = sorted(path for path in (ROOT / "sample_bots").glob("*/*") if path.suffix)
FOLDERS = sorted(path for path in (ROOT / "sample_bots").glob("*/*") if path.is_dir())
TOOLS = {
    ".js": ("node", "nodejs"),
    ".java": ("javac", "default-jdk-headless"),
    ".cpp": ("g++", "g++"),
}
GAMES = {path.parent.name for path in BOTS} - {"openspiel"}
"""The games with a strong and a simple bot."""
PLAYS = {"openspiel": "openspiel:tic_tac_toe"}
"""What the bots of a folder play, if not the game of its name."""


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


Arena = Callable[..., tuple[int, str]]


@pytest.fixture
def arena(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, lent_keepers: None
) -> Arena:
    """Run a command in this process."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*words: str) -> tuple[int, str]:
        capfd.readouterr()
        status = main.run(list(words))
        out, err = capfd.readouterr()
        assert all(line.startswith("arena: ") for line in err.splitlines()), err
        return status, out

    return run


@pytest.fixture(autouse=True)
def _tools(request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue("path") if "path" in request.fixturenames else None
    if path is not None and path.parent.name == "openspiel":
        needs_open_spiel()
    if path is not None and path.suffix in TOOLS:
        needs_tool(*TOOLS[path.suffix])


@pytest.mark.parametrize("path", FOLDERS, ids=name)
def test_a_sample_folder_is_short_and_explains_itself(path: Path) -> None:
    others = {"bot.toml", "train.py", "weights.json"}
    texts = [file.read_text("utf-8") for file in path.glob("*.*") if file.name not in others]
    most = 200 if path.name == "searching" else 150  # it has a model of the others
    assert sum(len(text.splitlines()) for text in texts) < most
    assert all(path.name in text.splitlines()[0] for text in texts)


@pytest.mark.parametrize("path", dear(FOLDERS, but=lambda p: p.name == "tunable"), ids=name)
def test_a_sample_folder_passes_the_check(path: Path, arena: Arena) -> None:
    status, out = arena("check", path.parent.name, str(path))
    assert status == 0, out


@pytest.mark.dear_for("openspiel/*")
@pytest.mark.parametrize("path", BOTS, ids=name)
def test_a_sample_bot_is_short_and_explains_itself(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) < 150
    assert max(map(len, lines)) <= 120
    assert path.stem.lower() in lines[0].lower() + lines[1].lower()
    assert any(path.suffix in language.endings for language in LANGUAGES)


@pytest.mark.dear_for("openspiel/*")
@pytest.mark.parametrize(
    "path",
    dear(BOTS, but=lambda p: p.suffix == ".py" and p.parent.name != "codecharacter"),
    ids=name,
)
def test_a_sample_bot_passes_the_check(path: Path, arena: Arena) -> None:
    game = PLAYS.get(path.parent.name, path.parent.name)
    status, out = arena("check", game, str(path))
    assert status == 0, out
    assert "warning  gives" not in out, out  # a loaded machine may let a JVM leave too slowly


@pytest.mark.dear
@pytest.mark.parametrize("path", [one for one in FOLDERS if one.name == "searching"], ids=name)
def test_searching_beats_strong(path: Path, arena: Arena) -> None:
    """With time enough it draws the same plans on every machine."""
    (strong,) = path.parent.glob("strong.*")
    needs_tool(*TOOLS[strong.suffix])
    game, bots = path.parent.name, (str(path), str(strong))
    options = ("--games", "2", "--jobs", "1", "--seed", "1", "--set", "timebank=600000", "--json")
    _, out = arena("play", game, *bots, *options)
    standing = json.loads(out)["summary"]["standings"][0]
    assert (standing["name"], standing["wins"]) == ("searching", 2)


SUMS = {
    "as up to Python 3.11": "reduce(add, values, start)",
    "as from Python 3.12 on": "fsum(values) if float in map(type, values) else "
    "reduce(add, values, start)",
}
WITH_SUM = """
import builtins, runpy, sys
from functools import reduce
from math import fsum
from operator import add
def new(values, start=0):
    values = list(values)
    return {body}
builtins.sum = new
sys.path[0] = {folder!r}
runpy.run_path({path!r}, run_name="__main__")
"""


@pytest.mark.dear
@pytest.mark.parametrize(
    ("game", "bot", "settings"),
    [
        ("warlight", "strong.py", {"max_rounds": 30}),
        ("toroid", "trained/main.py", {"normal_game_turn_per_player": 3}),
    ],
)
def test_a_sample_bot_plays_alike_in_every_version_of_python(
    game: str, bot: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    """From 3.12 on ``sum`` of floats rounds once, and not at each step."""
    source, digests = ROOT / "sample_bots" / game / bot, []
    for name, body in SUMS.items():
        copy = tmp_path / name / "bot.py"
        copy.parent.mkdir()
        copy.write_text(WITH_SUM.format(body=body, folder=str(source.parent), path=str(source)))
        conditions: dict[str, Any] = {
            "settings": {**settings, "timebank": 60_000},
            "sandbox": "off",
        }
        played = [play(game, [copy, copy], seed=seed, **conditions).report for seed in range(3)]
        digests.append([(one.digest, one.players[0].faults) for one in played])
    assert digests[0] == digests[1]
    assert not any(faults for _, faults in digests[0])


@pytest.mark.dear
def test_trained_beats_simple(arena: Arena) -> None:
    """Both always answer the same, so the matches are the same on every machine."""
    folder = ROOT / "sample_bots" / "toroid"
    bots = (str(folder / "trained"), str(folder / "simple.py"))
    _, out = arena("play", "toroid", *bots, "--games", "10", "--jobs", "1", "--seed", "1", "--json")
    standing = json.loads(out)["summary"]["standings"][0]
    assert standing["name"] == "trained"
    assert standing["score"] >= 0.7


@pytest.mark.dear
def test_the_training_learns_something(tmp_path: Path) -> None:
    """A short run: three generations, of which the last is better than the first."""
    pytest.importorskip("gymnasium", reason="needs pip install '.[train]'")
    script, out = ROOT / "sample_bots" / "toroid" / "trained" / "train.py", tmp_path / "w.json"
    words = {"generations": 3, "population": 12, "matches": 3, "jobs": 1, "out": out}
    options = [f"--{name}={value}" for name, value in words.items()]
    run = subprocess.run([sys.executable, script, *options], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    means = [float(mean) for mean in re.findall(r"generation \d: (-?[\d.]+),", run.stdout)]
    assert len(means) == 3
    assert means[2] > means[0]
    kept = json.loads((script.with_name("weights.json")).read_text("utf-8"))
    assert len(json.loads(out.read_text("utf-8"))["trained"]) == len(kept["trained"])


@pytest.mark.dear
@pytest.mark.parametrize("game", dear(sorted(GAMES), but=lambda game: game == "hextrategic"))
def test_strong_beats_simple(game: str, arena: Arena) -> None:
    """A small sample of what the README states; a bot that has become weak would fail. Four of four
    long matches refuse a bot that wins half of its matches as surely as eight of ten short ones."""
    folder = ROOT / "sample_bots" / game
    strong = next(path for path in folder.iterdir() if path.stem == "strong")
    if strong.suffix in TOOLS:
        needs_tool(*TOOLS[strong.suffix])
    bots = (str(strong), str(folder / "simple.py"))
    matches = "4" if game == "codecharacter" else "10"
    _, out = arena("play", game, *bots, "--games", matches, "--jobs", "1", "--seed", "1", "--json")
    standing = json.loads(out)["summary"]["standings"][0]
    assert standing["score"] >= 0.8
    assert os.path.basename(standing["name"]) == "strong"
