"""What the documents say is so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.languages import LANGUAGES
from arena.cli import COMMANDS
from arena.game import Setup, find_game, game_names
from arena.players import Stopped
from arena.settings import keys
from arena.steps import Answer, Step, Tell
from arena.table import Table

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PROTOCOL = (ROOT / "protocol.md").read_text("utf-8")


def test_the_first_bot_of_the_readme_plays_without_a_fault(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(code.splitlines()) <= 20
    bot = tmp_path / "my_bot.py"
    bot.write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "arena", "check", "warlight", str(bot)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert done.stdout.count("\n") == done.stdout.count("ok  ") == 6


def test_the_readme_begins_with_two_commands() -> None:
    first, second = re.findall(r"```sh\n(.*?)\n```", README, re.DOTALL)[:2]
    assert first.startswith("python3 -m venv .venv && ")
    assert "arena play warlight" in first
    assert second.startswith("python3 -m venv .venv && ")
    assert "pytest" in second


def test_the_readme_has_every_command_and_every_ending() -> None:
    assert all(f"`arena {name} " in README or f"`arena {name}`" in README for name in COMMANDS)
    main_endings = {language.endings[0] for language in LANGUAGES}
    assert all(ending in README for ending in main_endings)


def test_the_protocol_has_every_reason_for_which_a_program_is_ended() -> None:
    assert all(f"`{why}`" in PROTOCOL for why in Stopped)


def test_the_example_dialogue_is_what_the_arena_says() -> None:
    """The lines of the example in protocol.md, from a match on that very map."""
    example = re.findall(r"```\n(> settings timebank.*?)```", PROTOCOL, re.DOTALL)[0]
    lines = [line[2:] for line in example.splitlines() if line.startswith("> ")]
    neighbours = {1: [2, 3], 2: [4], 3: [4, 5], 4: [6], 5: [6], 6: [7], 7: [8], 8: []}
    regions = [
        {"id": i, "superRegion": (i + 1) // 2, "neighbors": near} for i, near in neighbours.items()
    ]
    bonus = [{"id": i, "bonus": b} for i, b in enumerate([2, 1, 2, 1], 1)]
    game = find_game("warlight")
    data = {"Regions": regions, "SuperRegions": bonus}
    table = Table(game, Setup("3", 2, game.settings(), data))
    told = lines_to_player1(table.take())
    assert told == lines[:11]
    answers = iter(["2", "8", "5", "4"])
    while len(table.asked) == 1:
        assert table.asked[0].head == "pick_starting_region"
        table.answer(table.asked[0].seat, Answer(next(answers)))
    told += lines_to_player1(table.take())
    assert told[11:] == [line for line in lines[13:17] if not line.startswith("go")]


def lines_to_player1(steps: list[Step]) -> list[str]:
    return [step.line for step in steps if isinstance(step, Tell) and step.seat == 0]


@pytest.mark.parametrize("name", game_names())
def test_the_rules_of_a_game_have_every_setting(name: str) -> None:
    game = find_game(name)
    assert all(f"| {key.name} |" in game.rules for key in keys(game.settings))


def test_documents_and_code_speak_of_the_project_alone() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    for name in listed:
        path = ROOT / name
        if path.suffix in (".py", ".md", ".toml", ".sh") and path != Path(__file__):
            text = path.read_text("utf-8")
            assert "../shared" not in text
            assert "/work/" not in text, name
