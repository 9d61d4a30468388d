"""The field of a league as a whole: its text, CSV and page; positions of a book; likeness."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from arena.cli.text.league import field_text
from arena.errors import UsageError
from arena.league.bots import hand_in
from arena.league.league import League
from arena.league.likeness import LEAST_TELLING, league_likeness, likeness
from arena.league.meta import LeagueField, field_csv, field_page, league_field
from arena.league.plan import Meetings
from arena.league.types import SeedAccount, settle
from arena.record.position import Position
from arena.tournament.meta import (
    Cycle,
    FieldBot,
    FieldReport,
    MapEffect,
    SeatEffect,
)
from tests.league.making import ANSWERS, lay_out, passes, play

BOOK = [Position("tiny", 1, 2, str(seed), answers=("1", "2", "3", "4")) for seed in (5, 6)]
SEVERAL = [Position("tiny", 1, 2, str(seed), seat=seed % 2) for seed in range(4)]


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of three bots, two of which answer alike, that played four rounds of a book."""
    from tests.league.conftest import tiny_known

    path = tmp_path_factory.mktemp("field") / "cup.league"
    with tiny_known():
        terms = settle("tiny", None, {"seed": "1", "sandbox": "off"}, BOOK)
        with League.begin(path, terms, BOOK) as league:
            for name, answer in (("ann", "1"), ("bob", "3"), ("<b>", "3")):
                code = f"{ANSWERS.format(answer=answer)}# {name}\n"
                bot = lay_out(path.with_name("sources"), name, code)
                hand_in(league, bot, test=passes)
            play(league, Meetings(4))
    return path


@pytest.mark.dear
def test_a_league_with_a_book(cup: Path) -> None:
    with League(cup) as league:
        found = league_field(league)
    assert (found.field.games, found.field.blocks, found.field.pairs) == (24, 12, 3)
    seats = {(one.map, one.seat): one.blocks for one in found.field.seats}
    assert seats == {
        ("", 0): 12, ("", 1): 12,
        ("book.jsonl:1", 0): 6, ("book.jsonl:1", 1): 6,
        ("book.jsonl:2", 0): 6, ("book.jsonl:2", 1): 6,
    }  # fmt: skip


def test_likeness(cup: Path) -> None:
    with League(cup) as league:
        found = league_likeness(league, SEVERAL)
    assert (found.positions, found.telling) == (4, 4)
    first, *rest = found.pairs
    assert (set(first.bots), first.share, first.same) == ({"bob", "<b>"}, 1.0, 4)
    assert not first.clones  # four positions are few
    assert [pair.share for pair in rest] == [0.0, 0.0]


def test_wrong_positions(cup: Path) -> None:
    with League(cup) as league:
        with pytest.raises(UsageError, match="position 1 does not say whose it is"):
            league_likeness(league, [Position("tiny", 1, 2, "1")])
        with pytest.raises(UsageError, match="position 1 is one of warlight, the league of tiny"):
            league_likeness(league, [Position("warlight", 1, 2, "1", seat=0)])


def test_clones_are_named() -> None:
    some = [str(at) for at in range(LEAST_TELLING)]
    other = [*some[1:], "x"]
    found = likeness({"a": some, "b": other, "c": list(some), "d": [None, *some[1:]]})
    clones = {pair.bots for pair in found.pairs if pair.clones}
    assert clones == {("a", "c")}
    assert found.pairs[0].bots == ("a", "c")
    few = likeness({"a": some[1:], "b": other[1:], "c": some[1:]})
    assert not any(pair.clones for pair in few.pairs)
    assert likeness({"a": ["1"], "b": ["1"]}).pairs[0].positions == 0


FIELD = LeagueField(
    "tiny",
    SeedAccount("5ea1", None),
    "d1ge57",
    FieldReport(
        games=600,
        blocks=300,
        pairs=3,
        cyclic=0.25,
        low=0.2,
        high=0.31,
        luck=0.012,
        chance=0.001,
        cycles=[Cycle(("rock", "<i>", "paper"), (0.7, 0.65, 0.72), 110.0, 70.0, 150.0)],
        bots=[
            FieldBot("rock", 10.0, 0.4, 0.3, 0.5, 0.5, 0.48, 0.5),
            FieldBot("<i>", -12.0, 0.25, 0.2, 0.3, 0.5, 0.47, 0.5),
            FieldBot("paper", 2.0, 0.35, None, None, 0.5, None, None),
        ],
        seats=[SeatEffect("", 0, 300, 0.52, 0.5, 0.54), SeatEffect("", 1, 300, 0.48, 0.46, 0.5)],
        maps=MapEffect(300, 0.2, 0.1, 0.3),
        confidence=0.95,
        notes=["a note"],
    ),
    likeness({"rock": ["1", "2"], "<i>": ["1", "3"]}),
)


def test_the_text() -> None:
    assert field_text(FIELD).splitlines() == [
        "tiny, league seed SHA-256 5ea1, 600 matches in 300 blocks, 3 pairs",
        "",
        "ratings do not explain this field alone: they leave 25.0 % (20.0 to 31.0) of the squared "
        "log odds of all pairs unexplained, after the 1.2 % that luck alone makes are taken off; "
        "in fields that ratings explain, luck leaves as much in 0.1 % of all cases",
        "",
        "each beats the next                  scores  beyond ratings, Elo",
        "rock > <i> > paper > rock  70 %, 65 %, 72 %   +110 (+70 to +150)",
        "",
        "bot    Elo    part of the mixture       score against it",
        "rock    10  40.0 % (30.0 to 50.0)  50.0 % (48.0 to 50.0)",
        "paper    2                 35.0 %                 50.0 %",
        "<i>    -12  25.0 % (20.0 to 30.0)  50.0 % (47.0 to 50.0)",
        "",
        "from         seat     blocks    share of the points",
        "all matches  player1     300  52.0 % (50.0 to 54.0)",
        "all matches  player2     300  48.0 % (46.0 to 50.0)",
        "",
        "correlation of the first seat's results in both games on a map: +0.20 (+0.10 to +0.30): "
        "maps favour a seat, now this one, now that one",
        "",
        "the same answers at 1 of 2 positions, which are those at which not all bots answer alike",
        "",
        "bot   and         same answers  positions",
        "rock  <i>  0.0 % (0.0 to 79.3)          1",
        "",
        "a note",
        "",
        "digest d1ge57",
    ]


def test_the_csv() -> None:
    lines = list(csv.reader(io.StringIO(field_csv(FIELD))))
    assert lines[0] == ["kind", "name", "of", "value", "low", "high"]
    assert {len(line) for line in lines} == {6}
    assert ["cycle", "rock > <i> > paper", "Elo", "110.0", "70.0", "150.0"] in lines
    assert ["nash", "paper", "", "0.35", "", ""] in lines
    assert ["seat", "player2", "", "0.48", "0.46", "0.5"] in lines
    assert lines[-1][:4] == ["likeness", "rock", "<i>", "0.0"]


def test_the_page_loads_nothing_and_escapes_names() -> None:
    page = field_page(FIELD)
    assert "<i>" not in page
    assert page.count("&lt;i&gt;") == 3
    assert "http" not in page.replace("http-equiv", "")
    assert "<script" not in page
    assert "Ratings do not explain this field alone: they leave 25.0 % (20.0 to 31.0)" in page
