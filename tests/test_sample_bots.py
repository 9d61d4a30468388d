"""The sample bots: short, sound, and as strong as they say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.languages import LANGUAGES
from tests.tools import needs_tool

ROOT = Path(__file__).parents[1]
BOTS = sorted(path for path in (ROOT / "sample_bots").rglob("*") if path.suffix)
TOOLS = {
    ".js": ("node", "nodejs"),
    ".java": ("javac", "default-jdk-headless"),
    ".cpp": ("g++", "g++"),
}
GAMES = {path.parent.name for path in BOTS}


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def arena(*words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "arena", *words], cwd=ROOT, capture_output=True, text=True
    )
    assert all(line.startswith("arena: ") for line in done.stderr.splitlines()), done.stderr
    return done.returncode, done.stdout


@pytest.fixture(autouse=True)
def _tools(request: pytest.FixtureRequest) -> None:
    path = request.node.callspec.params.get("path")
    if path is not None and path.suffix in TOOLS:
        needs_tool(*TOOLS[path.suffix])


@pytest.mark.parametrize("path", BOTS, ids=name)
def test_a_sample_bot_is_short_and_explains_itself(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) < 150
    assert max(map(len, lines)) <= 120
    assert path.stem.lower() in lines[0].lower() + lines[1].lower()
    assert any(path.suffix in language.endings for language in LANGUAGES)


@pytest.mark.parametrize("path", BOTS, ids=name)
def test_a_sample_bot_passes_the_check(path: Path) -> None:
    status, out = arena("check", path.parent.name, str(path))
    assert status == 0, out
    assert "warning  gives" not in out, out  # a loaded machine may let a JVM leave too slowly


@pytest.mark.parametrize("game", sorted(GAMES))
def test_strong_beats_simple(game: str) -> None:
    """A small sample of what the README states; a bot that has become weak would fail. Four of four
    long matches refuse a bot that wins half of its matches as surely as eight of ten short ones."""
    folder = ROOT / "sample_bots" / game
    strong = next(path for path in folder.iterdir() if path.stem == "strong")
    if strong.suffix in TOOLS:
        needs_tool(*TOOLS[strong.suffix])
    bots = (str(strong), str(folder / "simple.py"))
    matches = "4" if game == "codecharacter" else "10"
    _, out = arena("play", game, *bots, "--games", matches, "--jobs", "2", "--seed", "1", "--json")
    standing = json.loads(out)["summary"]["standings"][0]
    assert standing["score"] >= 0.8
    assert os.path.basename(standing["name"]) == "strong"
