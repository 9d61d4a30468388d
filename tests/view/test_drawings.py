"""What bots draw, line by line."""

from __future__ import annotations

import pytest

from arena.core.steps import Ask, Show
from arena.core.tally import Drawing
from arena.record.format import FORMAT, Answered, Drawn, Header, Record
from arena.record.reader import Match
from arena.text import quote
from arena.view.drawings import Drawings, Shape, Value, Words, complaints, read_drawings


def drawn(text: str, request: int = 1, left_out: int = 0) -> Drawings:
    """What is understood of these lines, in a match of three rounds with a request in each."""
    rounds: list[Record] = [
        step
        for number in range(1, 4)
        for step in (
            Ask(0, "go"),
            Answered(0, "x", bank=9, ms=1.0),
            Show({"round": number, "rounds": 3}),
        )
    ]
    start: list[Record] = [
        Header(FORMAT, "nim", 1, "7", {}, ["ann"]),
        Show({"round": 0, "rounds": 3}),
    ]
    return read_drawings(Match.of([*start, *rounds, Drawn(0, request, text, left_out)]))


@pytest.mark.parametrize(
    ("line", "shape"),
    [
        ("text 12 a word <b>", Shape(0, "text", ["12"], "", "a word <b>")),
        ("mark 12", Shape(0, "mark", ["12"], "info")),
        ("mark #3 bad", Shape(0, "mark", ["#3"], "bad")),
        ("arrow 1 2 plan", Shape(0, "arrow", ["1", "2"], "plan")),
        ("path 1 2 3", Shape(0, "path", ["1", "2", "3"], "info")),
        ("heat 1:0.5 2:7 3:-1", Shape(0, "heat", ["1", "2", "3"], values=[0.5, 1.0, 0.0])),
        ("text 1 " + "y" * 500, Shape(0, "text", ["1"], "", "y" * 120)),
        ("text 1 \u202ea\x1b", Shape(0, "text", ["1"], "", "?a?")),
    ],
)
def test_shapes(line: str, shape: Shape) -> None:
    assert drawn(line).shapes == {1: [shape]}


def test_what_stands_beside_the_board() -> None:
    found = drawn("value hope 1e400\nside a b\nmoment now", request=3)
    assert found.values == [Value(3, 0, "hope", 1e12)]
    assert (found.sides, found.moments) == ([Words(3, 0, "a b")], [Words(3, 0, "now")])


def test_a_line_may_name_its_round() -> None:
    assert drawn("side a\nat 2\nside b\nside c").sides == [
        Words(1, 0, "a"),
        Words(2, 0, "b"),
        Words(2, 0, "c"),
    ]


@pytest.mark.parametrize("request_number", [0, 1, 99])
def test_lines_before_the_first_request_and_after_the_last_have_a_round(
    request_number: int,
) -> None:
    (words,) = drawn("side a", request=request_number).sides
    assert words.frame == {0: 0, 1: 1, 99: 3}[request_number]


@pytest.mark.parametrize(
    "line",
    ["", "sing", "mark", "mark 1 2", "arrow 1", "path 1", "heat", "heat 1", "heat :1", "at 9",
     "at x", "value a", "value a nan", "value a b", "side", "text 1", "mark " + "x" * 33,
     "value " + "x" * 33 + " 1", "path " + "1 " * 65],
)  # fmt: skip
def test_a_line_that_is_not_understood_is_counted_and_changes_nothing(line: str) -> None:
    found = drawn(f"{line}\nside a")
    assert (found.shapes, found.values, len(found.sides)) == ({}, [], 1)
    assert found.notes[0].text.startswith("player1: 1 line of @viz not understood, first '")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("arow 1 2", "did you mean 'arrow'?"),
        ("arrow 1", "write @viz arrow FROM TO [STYLE]"),
        ("value a b", "write @viz value NAME NUMBER"),
        ("at 9", "there is no round 9"),
        ("path " + "1 " * 65, "more than 64 places"),
        ("mark " + "x" * 33, "a name or place of more than 32 characters"),
    ],
)
def test_an_author_hears_what_is_wrong_with_the_first_line(line: str, why: str) -> None:
    lines = (Drawing(1, "side a"), Drawing(2, f"{line}\nnonsense"))
    (note,) = complaints(lines, rounds=3)
    assert note.startswith(f"2 lines of @viz not understood, first {quote(line)}: ")
    assert note.endswith(why)
    assert complaints(lines[:1], rounds=3) == []


def test_only_the_line_that_is_told_is_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot may write some 150,000 of them."""
    looked: list[str] = []
    monkeypatch.setattr("arena.view.drawings.did_you_mean", lambda verb, _: looked.append(verb))
    (note,) = complaints([Drawing(1, "\n".join(["sing"] * 64))] * 100, rounds=3)
    assert (note.startswith("6400 lines of @viz"), looked) == (True, ["sing"])


def test_what_was_over_the_budget_is_told() -> None:
    assert drawn("side a", left_out=3).notes == [
        (0, "player1: 3 lines of @viz left out: over the limit.")
    ]
