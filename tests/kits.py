"""Test of all starter kits: ``python -m tests.kits [GAME…]``.

All kits of a game are the same bot, written in several languages. So each of them must play the
same match against the Python kit as the Python kit against itself, without a fault: the records
have the same digest.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import arena
from arena.api.games import kits, new_bot
from arena.api.play import PlayedMatch
from arena.core.registry import find_game

GAMES = ("warlight", "toroid", "hextrategic", "tncc", "codecharacter")
TOOLS = {
    "cpp": ("g++", "g++"),
    "go": ("go", "golang-go"),
    "java": ("javac", "default-jdk-headless"),
    "javascript": ("node", "nodejs"),
    "python": ("python3", "python3"),
    "rust": ("rustc", "rustc"),
}
"""By kit: the program that it needs, and the Debian package that has it."""
SHORT = {"codecharacter": {"num_turns": 60}}


def match_of(game: str, language: str, folder: Path) -> PlayedMatch:
    """The kit in `language` against the one in Python, in new folders below `folder`."""
    bots = []
    for name, one in (("first", language), ("second", "python")):  # their names are in the record
        new_bot(game, one, folder / game / language / name)
        bots.append(folder / game / language / name)
    settings = {"timebank": 60_000, **SHORT.get(game, {})}
    return arena.play(game, bots, seed=3, settings=settings, sandbox="off")


def problem(game: str, language: str, folder: Path, wanted: str | None) -> str:
    """What is wrong with a kit, or nothing."""
    report = match_of(game, language, folder / "again").report
    for player in report.players:
        if player.faults:
            return f"faults: {player.faults}"
    return "" if wanted in (None, report.digest) else "it plays another match than Python's"


def main() -> None:
    """Print a line for each kit. Exit 1 when one does not play, or cannot be tried."""
    failed = False
    for game in sys.argv[1:] or GAMES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            wanted = match_of(game, "python", folder).report.digest
            for language in kits(find_game(game)):
                program, package = TOOLS[language]
                text = f"{program} is not installed: apt-get install {package}"
                if shutil.which(program):
                    text = problem(game, language, folder, wanted)
                failed |= bool(text)
                print(f"{game:13} {language:10} {text or 'ok'}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
