"""Openings from EPD and PGN, and matches as PGN."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.errors import UsageError
from arena.record.pgn import parse_epd, parse_pgn, pgn_of
from arena.record.position import parse_positions, prefix_of, read_positions
from arena.record.reader import Match
from tests.support.past import played
from tests.support.tools import needs_open_spiel

pytestmark = pytest.mark.dear
needs_open_spiel()

BEGINNING = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SICILIAN = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6"
EPD = f"""# openings
{SICILIAN} hmvc 0; fmvn 2; id "Sicilian";

{SICILIAN} 0 2
{SICILIAN}
"""
PGN = r"""[Event "x"]
[Opening "Ruy \"Lopez\""]

1. e4 e5 {a (comment} 2. Nf3! (2. f4 exf4 (2... d5)) 2... Nc6 ; to the end
3. Bb5 a6 $1 1/2-1/2
% this line is not read
1.d4 *

[FEN "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 3"]

3... Nc6 4. Nf3g5 d5
"""


def mover(name: str, moves: str) -> Callable[[list[str]], str]:
    """A bot whose moves are given. (Without one, it answers nothing that is legal.)"""
    left = iter(moves.split())

    def move(lines: list[str]) -> str:
        return next(left, "none")

    move.__name__ = name
    return move


def match_of(black: str, white: str, **conditions: Any) -> Match:
    """A match of given moves."""
    return arena.play("openspiel:chess", [mover("B", black), mover("W", white)], **conditions)


def test_epd() -> None:
    found = parse_epd(EPD, "o.epd")
    assert [one.fen for one in found] == [f"{SICILIAN} 0 2", f"{SICILIAN} 0 2", f"{SICILIAN} 0 1"]
    assert [one.name for one in found] == ["Sicilian", "", ""]


def test_pgn() -> None:
    found = parse_pgn(PGN, "o.pgn")
    assert [" ".join(one.moves) for one in found] == [
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
        "d2d4",
        "b8c6 f3g5 d7d5",
    ]
    assert found[0].name == 'Ruy "Lopez"'
    assert found[2].fen.endswith("b KQkq - 0 3")


def test_openings_are_positions(tmp_path: Path) -> None:
    for name, text in (("o.epd", EPD), ("o.PGN", PGN)):
        (tmp_path / name).write_text(text)
        positions = read_positions(tmp_path / name)
        assert len(positions) == 3
        assert [len(prefix_of(one).exchanges) for one in positions] == (
            [0, 0, 0] if name == "o.epd" else [6, 1, 3]
        )


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("o.epd", "", "there is no opening in o.epd"),
        ("o.epd", "\ne4 e5", "o.epd, line 2: no position in EPD or FEN: e4 e5"),
        ("o.pgn", "", "there is no opening in o.pgn"),
        ("o.pgn", "1. e4 e5 2. Ke3 *", "o.pgn, game 1, after 2 moves: 'Ke3' is no legal move"),
        ("o.pgn", '[FEN "x"] 1. e4 *', "o.pgn, game 1: fen='x' is not allowed .* six fields"),
        ("o.pgn", "(" * 9000, "there is no opening"),
        ("o.pgn", "\x00\xff{", "after|no legal move"),
    ],
)
def test_files_that_are_none(name: str, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_positions(text.encode("latin1"), name)


def test_two_players_of_one_name_are_told_apart() -> None:
    twins = [mover("fish", "e7e5 d8h4"), mover("fish", "f2f3 g2g4")]
    text = pgn_of(arena.play("openspiel:chess", twins))
    assert '[White "fish #2"]\n[Black "fish #1"]\n[Result "0-1"]\n' in text


def test_the_rules_prove_openings() -> None:
    (position,) = parse_positions(f"{'k7/' * 7}8 w - - 0 1".encode(), "o.epd")
    with pytest.raises(UsageError, match="one king of each colour"):
        prefix_of(position)


def test_a_match_that_is_won() -> None:
    match = match_of("e7e5 d8h4", "f2f3 g2g4")
    text = pgn_of(match)
    assert '[White "W"]\n[Black "B"]\n[Result "0-1"]\n' in text
    assert '[TimeControl "10+0.1"]\n[Termination "normal"]\n' in text
    moves = re.sub(
        r"\{\[%clk 0:00:(09|10)\.\d{3}\]\} ", "", text.split("\n\n")[1].replace("\n", " ")
    )
    assert moves.strip() == ("1. f3 1... e5 2. g4 2... Qh4# {player1 won after 4 moves.} 0-1")
    assert [" ".join(one.moves) for one in parse_pgn(text, "")] == ["f2f3 e7e5 g2g4 d8h4"]


@pytest.mark.parametrize(
    ("black", "white", "changes", "ended"),
    [
        ("", "e2e4", {}, ("1-0", "rules infraction")),
        ("e7e5", "e2e4", {"max_moves": 2}, ("1/2-1/2", "adjudication")),
        ("g8f6 f6g8 " * 3, "g1f3 f3g1 " * 3, {}, ("1/2-1/2", "normal")),
    ],
)
def test_how_a_match_ends(
    black: str, white: str, changes: dict[str, Any], ended: tuple[str, str]
) -> None:
    text = pgn_of(match_of(black, white, settings=changes), 7)
    assert f'[Result "{ended[0]}"]\n' in text
    assert f'[Termination "{ended[1]}"]\n' in text
    assert text.endswith(f"{ended[0]}\n")
    assert '[Round "7"]\n' in text


def test_a_match_from_an_opening() -> None:
    position = parse_positions(PGN.encode(), "o.pgn")[2]
    match = match_of("b8c6 d7d5 f6d5", "f3g5 e4d5", position=position)
    text = pgn_of(match)
    assert '[SetUp "1"]\n[FEN "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b' in text
    assert "\n\n3... Nc6 4. Ng5 d5 5. exd5 {[%clk" in text
    assert [one.moves[:5] for one in parse_pgn(text, "")] == [
        ("b8c6", "f3g5", "d7d5", "e4d5", "f6d5")
    ]


def test_other_games_are_refused() -> None:
    with pytest.raises(UsageError, match="the match is one of tncc: only openspiel:chess"):
        pgn_of(played("tncc"))
