"""The numbers that a `bot.toml` declares, and how the program gets them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.bots.find import find_bot
from arena.bots.numbers import read_numbers
from arena.errors import BotError
from arena.sandbox.levels import Level
from tests.hostile.arena_runs import strongest
from tests.sandbox.programs import open_to_all

FORCE: dict[str, Any] = {"type": "float", "start": 1.5, "min": 0, "max": 5, "step": 0.3}
STAY: dict[str, Any] = {"type": "int", "start": 1, "min": 0, "max": 8, "step": 1}


def test_the_program_gets_the_start_values_in_every_match(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("print()")
    (tmp_path / "bot.toml").write_text(
        'main = "bot.py"\n'
        '[tune.force]\ntype="float"\nstart=1.5\nmin=0\nmax=5\nstep=0.3\n'
        '[tune.stay]\ntype="int"\nstart=1\nmin=0\nmax=8\nstep=1\n'
    )
    program = find_bot(str(tmp_path))
    assert program.argv[-2:] == ("--force=1.5", "--stay=1")
    assert [number.name for number in program.numbers] == ["force", "stay"]
    other = program.with_numbers([0.25, 3])
    assert other.argv == (*program.argv[:-2], "--force=0.25", "--stay=3")
    assert other.with_numbers([1.5, 1]) == program


DECLARED = '[tune.force]\ntype="float"\nstart=1.5\nmin=0\nmax=5\nstep=0.3\n'
READS = """
import pathlib, sys
print(sys.argv[1:], repr(pathlib.Path("n.txt").read_text()), file=sys.stderr, flush=True)
for line in sys.stdin:
    if line.startswith("go "):
        print("No moves", flush=True)
"""


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("sandbox", [Level.OFF, strongest()])
def test_a_program_can_get_them_in_a_file(tmp_path: Path, sandbox: Level, kept: bool) -> None:
    """Instead of a file of that name in its folder, which holds what it plays with elsewhere."""
    (tmp_path / "bot.py").write_text(READS)
    (tmp_path / "n.txt").write_text("by hand")
    (tmp_path / "bot.toml").write_text(f'main = "bot.py"\nnumbers_file = "n.txt"\n{DECLARED}')
    open_to_all(tmp_path, Path(tempfile.gettempdir()))
    for path in tmp_path.iterdir():
        path.chmod(0o644)
    program = find_bot(str(tmp_path))
    assert program.words == program.argv[:-1]
    assert program.with_numbers([2]).numbers_text == "force=2\n"
    played = arena.play(
        "toroid",
        [tmp_path, tmp_path],
        seed=1,
        settings={"normal_game_turn_per_player": 1},
        sandbox=sandbox,
        keep_files=tmp_path.with_name(f"{tmp_path.name}-kept") if kept else None,
    )
    for player in played.report.players:
        assert player.stopped is None
        assert player.stderr[0].text.strip() == "[] 'force=1.5\\n'"


@pytest.mark.parametrize("name", ["a/b", "..", "n\\u0000", "x" * 101])
def test_wrong_files_of_numbers(tmp_path: Path, name: str) -> None:
    (tmp_path / "bot.py").write_text("print()")
    toml = tmp_path / "bot.toml"
    toml.write_text(f'main = "bot.py"\nnumbers_file = "{name}"\n{DECLARED}')
    with pytest.raises(BotError, match=r"bot\.toml: numbers_file must be the name of a file"):
        find_bot(str(tmp_path))
    toml.write_text('main = "bot.py"\nnumbers_file = "n.txt"\n')
    with pytest.raises(BotError, match="numbers_file is for numbers: declare some"):
        find_bot(str(tmp_path))


def test_whole_numbers_are_rounded_by_luck_as_often_as_their_fraction_says() -> None:
    (stay,) = read_numbers({"stay": STAY})
    rounded = [stay.rounded(2.3, luck / 100) for luck in range(100)]
    assert (rounded.count(2.0), rounded.count(3.0)) == (70, 30)
    assert [stay.rounded(value, 0.5) for value in (2.4, 2.6, 9.0, -1.0)] == [2.0, 3.0, 8.0, 0.0]
    assert stay.rounded(8.0, 0.999) == 8.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"type": "bool"}, 'type must be "int" or "float"'),
        ({"start": "1"}, 'type must be "int" or "float"'),
        ({"start": 9}, "start 9 must lie from min 0 to max 8"),
        ({"max": 0, "start": 0}, "and these must differ"),
        ({"step": 0}, "step 0 must be above 0"),
        ({"step": 9}, "at most max - min"),
        ({"step": 0.1}, "step must be at least 0.5"),
        ({"start": 1.5}, "must be whole"),
        ({"max": float("inf")}, "too large"),
        ({"least": 0}, "has no key 'least'"),
    ],
)
def test_wrong_declarations(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BotError, match=said):
        read_numbers({"stay": STAY | change})


def test_other_wrong_declarations(tmp_path: Path) -> None:
    for tune, said in (
        ({"Stay": STAY}, "is no name"),
        ({"stay": 5}, "must be a table"),
        ({"stay": {"type": "int"}}, "lacks start"),
        ({f"n{i}": STAY for i in range(65)}, "at most 64"),
    ):
        with pytest.raises(BotError, match=said):
            read_numbers(tune)
    (tmp_path / "bot.py").write_text("print()")
    (tmp_path / "bot.toml").write_text('main = "bot.py"\ntune = 5\n')
    with pytest.raises(BotError, match="tune must be tables of numbers"):
        find_bot(str(tmp_path))
    (tmp_path / "bot.toml").write_text('main = "bot.py"\n[tune.x]\nstart = 1\n')
    with pytest.raises(BotError, match=r"bot\.toml: \[tune\.x\] lacks type"):
        find_bot(str(tmp_path))
