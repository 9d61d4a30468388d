"""A game of somebody else's, installed with pip, is a game like any other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAME = "tiny_game-1.0"
WHEEL = """Wheel-Version: 1.0
Generator: by hand
Root-Is-Purelib: true
Tag: py3-none-any
"""
METADATA = """Metadata-Version: 2.1
Name: tiny-game
Version: 1.0
"""
BOT = "import sys\nfor line in sys.stdin:\n    if line.startswith('go'): print(1, flush=True)\n"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the plug-in is installed, and a bot for it."""
    folder = tmp_path_factory.mktemp("plugin")
    wheel = folder / f"{NAME}-py3-none-any.whl"
    files = {
        "tiny_game/__init__.py": (ROOT / "tests" / "tiny.py").read_text("utf-8"),
        "tiny_game/rules.md": "# Tiny\n\nBid.\n",
        f"{NAME}.dist-info/METADATA": METADATA,
        f"{NAME}.dist-info/WHEEL": WHEEL,
        f"{NAME}.dist-info/entry_points.txt": "[arena.games]\ntiny = tiny_game:TINY\n",
    }
    record = "".join(f"{name},,\n" for name in files) + f"{NAME}.dist-info/RECORD,,\n"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in (files | {f"{NAME}.dist-info/RECORD": record}).items():
            archive.writestr(name, text)
    site = folder / "site"
    install = ["pip", "install", "-q", "--no-index", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run([sys.executable, "-m", *install], check=True, cwd=folder)
    (site / "bot.py").write_text(BOT)
    path = os.pathsep.join([str(site), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "BOT": str(site / "bot.py")}


def arena(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_listed_and_explained(environment: dict[str, str]) -> None:
    assert "tiny" in arena(environment, "games")
    assert "purse" in arena(environment, "games", "tiny")
    assert arena(environment, "games", "tiny", "--rules").startswith("# Tiny")


def test_it_is_played_checked_and_verified(environment: dict[str, str], tmp_path: Path) -> None:
    bot, replay = environment["BOT"], str(tmp_path / "r.jsonl")
    out = arena(environment, "play", "tiny", bot, bot, bot, "--replay", replay, "--json")
    document = json.loads(out)
    assert document["game"] == "tiny"
    assert len(document["players"]) == 3
    assert "ok" in arena(environment, "check", "tiny", bot)
    assert f"{replay}: ok" in arena(environment, "verify", replay)
    series = arena(environment, "play", "tiny", bot, bot, "--games", "4", "--jobs", "2", "--json")
    assert json.loads(series)["summary"]["played"] == 4
