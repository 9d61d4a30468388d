"""Chess engines as bots."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.api.conditions import make_spec
from arena.bots import uci, uci_adapter
from arena.bots.find import find_bot
from arena.bots.uci import read_table, split_word
from arena.errors import BotError, UsageError
from arena.record.position import read_positions
from arena.record.verify import verify
from tests.bots import engine
from tests.support.tools import needs_open_spiel, needs_tool

ENGINE = str(Path(engine.__file__))
TOLD = b"""\
settings time_per_move 50
position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves g1f3
go move 1000
position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
go move 4
"""


def talk(
    tmp_path: Path, word: str, told: bytes = TOLD
) -> tuple[subprocess.CompletedProcess[bytes], list[str]]:
    """What an engine's bot says to these lines, and what the engine reads meanwhile."""
    log = tmp_path / "log"
    log.write_text("")
    ran = subprocess.run(
        find_bot(word).argv,
        input=told,
        capture_output=True,
        env={**os.environ, "ENGINE_LOG": str(log)},
        timeout=60,
        check=False,
    )
    return ran, log.read_text().splitlines()


def test_a_conversation(tmp_path: Path) -> None:
    ran, log = talk(tmp_path, f"uci:{sys.executable} {ENGINE} option.hash=4 'option.Skill Level=3'")
    assert ran.stdout == b"e7e5\nf2f3\n"
    assert ran.stderr == b"depth 1 score cp 7\n" * 2
    assert ran.returncode == 0
    start = TOLD.decode().splitlines()
    assert log == [
        *("uci", "setoption name Hash value 4", "setoption name Skill Level value 3"),
        *("ucinewgame", "isready", start[1], "go wtime 990 btime 990 winc 50 binc 50"),
        *(start[3], "go wtime 1 btime 1 winc 50 binc 50", "quit"),
    ]


def test_an_engine_gives_its_score_where_that_counts(tmp_path: Path) -> None:
    for setting in ("resign_moves 3", "draw_moves 8"):
        told = f"settings {setting}\n".encode() + TOLD
        ran, _ = talk(tmp_path, f"uci:{sys.executable} {ENGINE}", told)
        assert ran.stdout == b"e7e5 cp 7\nf2f3 cp 7\n"
        assert ran.stderr == b"depth 1 score cp 7\n" * 2
    ran, _ = talk(tmp_path, f"uci:{sys.executable} {ENGINE}", b"settings draw_moves 0\n" + TOLD)
    assert ran.stdout == b"e7e5\nf2f3\n"


def test_an_overhead_and_chess960(tmp_path: Path) -> None:
    told = b"settings chess960 true\n" + TOLD
    _, log = talk(tmp_path, f"uci:{sys.executable} {ENGINE} overhead=250", told)
    assert "go wtime 750 btime 750 winc 50 binc 50" in log
    assert "setoption name UCI_Chess960 value true" in log


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ("dies", 7, "has ended"),
        ("killed", -9, ""),
        ("option.Hsh=4", 1, "no option 'Hsh': did you mean 'Hash'?"),
        ("option.Threads=4", 1, "no option 'Threads': it has Hash, Skill Level"),
    ],
)
def test_a_bot_ends_as_its_engine(tmp_path: Path, words: str, status: int, says: str) -> None:
    ran, _ = talk(tmp_path, f"uci:{sys.executable} {ENGINE} {words}")
    assert (ran.returncode, ran.stdout) == (status, b"")
    assert says in ran.stderr.decode()


def test_other_games_and_no_engines_are_refused(tmp_path: Path) -> None:
    ran, _ = talk(tmp_path, f"uci:{sys.executable} {ENGINE}", b"go move 100\n")
    assert b"engines play openspiel:chess alone" in ran.stderr
    ran, _ = talk(tmp_path, "uci:true")
    assert (ran.returncode, ran.stderr) == (1, b"uci: true has ended\n")


def test_an_engine_that_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problems = list[str]()

    def give_up(problem: str, status: int = 1) -> None:
        problems.append(problem)
        raise SystemExit

    monkeypatch.setattr(uci_adapter, "UCI_PATIENCE", 0.05)
    monkeypatch.setattr(uci_adapter, "UCI_DOUBT", 0.01)
    monkeypatch.setattr(uci_adapter, "give_up", give_up)
    monkeypatch.setattr(sys, "argv", ["", "3", sys.executable, ENGINE, "deaf", "10"])
    with pytest.raises(SystemExit):
        uci_adapter.main()
    assert "does not say uciok" in problems[0]
    name = Path(sys.executable).name
    said = f"uci: {name} has not said uciok within 0.01 s: does it speak UCI?\n"
    assert capsys.readouterr().err == said


def test_words() -> None:
    assert split_word("stockfish") == ("stockfish", 10, ())
    assert split_word("'my engine' overhead=0 option.Ponder") == ("my engine", 0, ("Ponder",))
    assert split_word("java -jar 'a b.jar'")[0] == "java -jar 'a b.jar'"


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("", "names no engine"),
        ("option.Hash=3", "names no engine"),
        ("x overhead=-1", "overhead=-1 is not allowed"),
        ("x overhead=99999999", "overhead=99999999 is not allowed"),
        ("x option.=3", "sets no option"),
        ("'x", "no closing quotation"),
    ],
)
def test_words_that_are_refused(word: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        split_word(word)


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("uci:there/is/none", "there is no folder 'there/is': give the path of an engine"),
        ("uci:nothere option.Hash=4", "no program of that name is installed: install the engine"),
        ("uci:./nothere", "there is no file './nothere': install the engine, or give its path"),
        ("uci:my_engin", "there is no file 'my_engin', .*: did you mean uci:my_engine?"),
        ("uci:chessmastr", "did you mean uci:chessmaster?"),
    ],
)
def test_an_engine_that_is_not_there(
    word: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_engine").write_text("")
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "chessmaster").write_text("")
    monkeypatch.setattr(uci, "ENGINE_FOLDERS", (str(tmp_path / "games"),))
    with pytest.raises(UsageError, match=says):
        find_bot(word)


def test_a_folder_of_an_engine(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(Path(ENGINE).read_text())
    (tmp_path / "bot.toml").write_text(
        'main = "engine.py"\n[uci]\nHash = 4\noverhead = 300\n'
        "[tune.skill-level]\ntype='int'\nstart=3\nmin=0\nmax=20\nstep=2\n"
    )
    _, log = talk(tmp_path, str(tmp_path))
    assert log[1:3] == ["setoption name Hash value 4", "setoption name Skill Level value 3"]
    assert "go wtime 700 btime 700 winc 50 binc 50" in log
    assert find_bot(str(tmp_path)).with_numbers([7]).argv[-1] == "--skill-level=7"


def test_tables() -> None:
    assert read_table({"A b": True, "C": "x", "D": 1.5}) == (10, ("A b=true", "C=x", "D=1.5"))
    refused: list[dict[str, Any]] = [{"A": []}, {"overhead": -1}, {"": 1}, {"A": "x\ny"}]
    for wrong in refused:
        with pytest.raises(BotError, match=r"\[uci\]"):
            read_table(wrong)


@pytest.mark.dear
def test_a_match(tmp_path: Path) -> None:
    needs_open_spiel()
    fool = f"uci:{sys.executable} {ENGINE}"
    match = arena.play("openspiel:chess", [fool, fool], sandbox="off")
    assert match.outcome is not None
    assert match.outcome.sentence == "player1 won after 4 moves."
    match = arena.play("openspiel:chess", [f"{fool} illegal", fool], sandbox="off")
    assert match.outcome is not None
    assert match.outcome.sentence == "player2 won after 3 moves, since player1 gave no legal move."


@pytest.mark.dear
def test_a_match_from_an_opening_is_adjudicated(tmp_path: Path) -> None:
    needs_open_spiel()
    book, replay = tmp_path / "o.epd", tmp_path / "r.jsonl"
    book.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
    fool = f"uci:{sys.executable} {ENGINE}"  # it scores each move with 7
    (opening,) = read_positions(book)
    settings = {"draw_moves": 1, "draw_from": 0}
    match = arena.play(
        "openspiel:chess", [fool, fool], position=opening, settings=settings, replay=replay
    )
    assert match.outcome is not None
    assert (match.outcome.reason, match.outcome.points) == ("level", (0, 0))
    assert verify(replay).ok
    with pytest.raises(UsageError, match="max_moves comes with the position"):
        arena.play("openspiel:chess", [fool] * 2, position=opening, settings={"max_moves": 3})


@pytest.mark.dear
def test_stockfish(tmp_path: Path) -> None:
    needs_open_spiel()
    path = needs_tool("stockfish", "stockfish")
    bots = ["uci:stockfish", f"uci:{path} option.Hash=1"]
    settings = {"max_moves": 6, "timebank": 1000, "time_per_move": 5}
    match = arena.play("openspiel:chess", bots, sandbox="off", settings=settings)
    assert match.outcome is not None
    assert match.outcome.reason == "moves"
    assert match.players == ("stockfish", "stockfish")


@pytest.mark.dear
def test_the_clocks_of_engines_begin_when_they_are_ready() -> None:
    needs_open_spiel()
    bots = [f"uci:{sys.executable} {ENGINE}"] * 2
    assert make_spec("openspiel:chess", bots, {}).terms.timing.start_up == 10_000
    assert make_spec("openspiel:chess", bots, {"start_up": 0}).terms.timing.start_up == 0
    bots = [f"{sys.executable} {ENGINE}"] * 2
    assert make_spec("openspiel:chess", bots, {}).terms.timing.start_up == 0
