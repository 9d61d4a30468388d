"""What bots read and write."""

from __future__ import annotations

import re
from typing import Any

import pytest

from arena.core import Answer, Note, Reply, Silence, Table, Why
from arena.testing import at_random, play
from tests.games.openspiel.tables import table_of
from tests.structure import ROOT
from tests.support.tools import needs_open_spiel

pytestmark = pytest.mark.dear
needs_open_spiel()

from arena.games.openspiel import words  # noqa: E402  # needs the library
from arena.games.openspiel.world import legal_of  # noqa: E402


def unescaped(row: str) -> str:
    return row.replace("\\s", " ").encode().decode("unicode_escape")


@pytest.mark.parametrize(
    "text", ["a b", "  a", "a   b  c", "♠7 ♥", "", "\tx", " . . x\n  . o .\n", "\x1b[31mred\x1b[0m"]
)
def test_rows_read_back(text: str) -> None:
    rows = list(words.rows(text))
    for row in rows:
        line = f"observe {row}".rstrip()
        assert line.isascii()
        assert line.isprintable()
        assert line == " ".join(line.split())
    plain = words.plain(text).replace("\t", " ").split("\n")
    assert [unescaped(row) for row in rows] == [row.rstrip() for row in plain]


class SameWords:
    """A state whose actions have texts that are the same word."""

    def legal_actions(self, seat: int) -> list[int]:
        return [3, 5, 8]

    def action_to_string(self, seat: int, action: int) -> str:
        return {3: "take one", 5: "take_one", 8: "\n"}[action]


def test_each_legal_action_has_a_word_of_its_own() -> None:
    world = table_of("tic_tac_toe").world.copy()
    world.state = SameWords()
    assert legal_of(world, 0) == {"take_one": 3, "take_one#5": 5, "_": 8}


def test_very_many_actions_go_on_in_further_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "FULL_LINE", 30)
    world = table_of("tic_tac_toe").world
    lines = list(words.legal_lines(world, world.reading.legal[0]))
    assert len(lines) > 1
    assert max(map(len, lines)) < 40
    assert [word for line in lines for word in line.split()[1:]] == [
        f"x({row},{column})" for row in range(3) for column in range(3)
    ]


def test_the_example_of_the_protocol() -> None:
    protocol = (ROOT / "protocol.md").read_text("utf-8").split("## Games of OpenSpiel")[1]
    (example,) = re.findall(r"```\n(.*?)\n```", protocol, re.DOTALL)
    heard = [line[2:] for line in example.split("\n") if line[0] == ">"]
    said = [line[2:] for line in example.split("\n") if line[0] == "<"]
    table, mine = table_of("tic_tac_toe"), iter(said)
    theirs = iter(re.findall(r"opponent_moves player1 (\S+)", example))
    while table.outcome is None:
        seat = table.asked[0].seat
        table.answer(seat, Answer(next(mine if seat == 1 else theirs)))
    assert table.lines(1) == heard


def faults(table: Table[Any]) -> list[str]:
    return [step.code for step in table.take() if isinstance(step, Note)]


def test_without_a_legal_answer_the_first_legal_action_is_taken() -> None:
    cases: dict[Reply, tuple[str, list[str]]] = {
        Answer("x(1,2)"): ("x(1,2)", []),
        Answer("x(9,9)"): ("x(0,0)", ["not_offered"]),
        Answer("4"): ("x(0,0)", ["not_offered"]),
        Answer("No moves"): ("x(0,0)", ["not_offered"]),
        Answer(""): ("x(0,0)", ["not_offered"]),
        Answer("x(1,2) x(1,1)"): ("x(0,0)", ["not_offered"]),
        Silence(Why.LATE): ("x(0,0)", []),
    }
    for reply, found in cases.items():
        table = table_of("tic_tac_toe")
        table.answer(0, reply)
        assert (table.world.moves, faults(table)) == ([(0, found[0])], found[1])


def test_who_moves_at_the_same_time_is_asked_at_the_same_time() -> None:
    table = table_of("matrix_rps")
    assert [ask.seat for ask in table.asked] == [0, 1]
    table.answer(1, Answer("Rock"))
    table.answer(0, Answer("Paper"))
    assert table.outcome
    assert (table.outcome.ranks, table.outcome.points) == ((1, 2), (1.0, -1.0))
    assert "opponent_moves player2 Rock" in table.lines(0)


def test_hidden_moves_and_cards_are_not_told() -> None:
    """Of two matches that differ in what the second seat holds, the first reads the same."""
    for name in ("kuhn_poker", "phantom_ttt"):
        table = table_of(name)
        play(table, at_random("1"), 50)
        assert not any("opponent_moves" in line for line in table.lines(0))
    tables = [table_of("kuhn_poker", str(seed)) for seed in range(40)]
    own = [[line for line in table.lines(0) if "observe" in line] for table in tables]
    assert {" ".join(lines) for lines in own} == {"observe 0", "observe 1", "observe 2"}
    assert len({str(table.world.state) for table in tables}) == 6


def test_without_a_past_in_the_text_each_change_is_told() -> None:
    table = table_of("crazy_eights", seats=5)
    play(table, at_random("1"), 3)
    rounds = [line for line in table.lines(0) if line.startswith("round ")]
    assert len(rounds) > 2


def test_the_match_ends_at_the_latest_after_max_moves() -> None:
    table = table_of("chess", max_moves=3)
    play(table, at_random("1"), 10)
    assert table.outcome
    assert (table.outcome.reason, table.outcome.points) == ("moves", (0.0, 0.0))
    assert table.lines(0)[-1] == "game_over 1 0"


def test_chance_comes_from_the_seed() -> None:
    for name in ("backgammon", "leduc_poker", "tarok", "negotiation"):
        texts = [
            str(table_of(name, seed, seats=3 if name == "tarok" else 2).world.state)
            for seed in ("1", "1", "2", "3", "4")
        ]
        assert texts[0] == texts[1]
        assert len(set(texts)) > 1
