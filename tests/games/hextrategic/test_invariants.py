"""What is always true, over random play: the frames are checked by a ledger of its own that knows
nothing of the rules' code."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from arena.core.game import Setup
from arena.core.replies import Answer, Reply
from arena.core.rng import Stream
from arena.core.steps import Frame, Outcome, Show, Tell
from arena.core.table import Table
from arena.games.hextrategic import GAME
from arena.games.hextrategic.board import SYMMETRIES
from arena.games.hextrategic.world import HexWorld
from tests.conftest import DEEP
from tests.games.hextrategic.helpers import Talk, fresh, random_reply, settings

SEEDS = st.integers(0, 10**6).map(str)
SEATS = st.sampled_from([2, 3, 4, 6])
FEW = options(derandomize=True, deadline=None, max_examples=10 * DEEP)
INCOME = {"normal": 1, "bronze": 2, "silver": 5, "gold": 10}


def small(seats: int) -> dict[str, Any]:
    """A board on which players meet soon, and a match that is not long."""
    return {"radius": 2 if seats < 4 else 3, "max_rounds": 40}


def play(seed: str, seats: int, **values: Any) -> tuple[Table[Any], list[Frame]]:
    """A match of random players, who are often wrong and sometimes silent; its frames."""
    table = Table(GAME, Setup(seed, seats, settings(**small(seats) | values)))
    stream, frames = Stream(seed, "answers"), []
    while table.outcome is None:
        replies = [random_reply(table.world, ask, stream) for ask in table.asked]
        frames += [step.frame for step in table.take() if isinstance(step, Show)]
        table.answer_all(tuple(replies))
    return table, frames + [step.frame for step in table.take() if isinstance(step, Show)]


class Ledger:
    """Owners and units, changed only by the moves that a frame tells."""

    def __init__(self, first: Frame) -> None:
        self.board = first["board"]
        self.owner: list[int] = first["owner"][:]
        self.units: list[int] = first["units"][:]
        self.fate: list[str] = first["fate"]

    def check_round(self, frame: Frame) -> None:
        """The round of `frame` obeys the rules and leads to its state."""
        self.go_out(frame["fate"])
        if self.fate.count("survived") > 1:
            self.check_moves(frame["moves"])
            self.fight(frame["moves"])
            self.earn()
        else:
            assert frame["moves"] == []
        assert self.owner == frame["owner"]
        assert self.units == frame["units"]
        assert min(self.units) >= 0
        self.check_fates(frame)

    def go_out(self, fates: list[str]) -> None:
        """The cells of who was removed or gave up are neutral from now on."""
        gone = [seat for seat, fate in enumerate(fates) if fate in ("removed", "surrendered")]
        self.fate = ["survived" if f == "eliminated" and old == "survived" else f
                     for f, old in zip(fates, self.fate, strict=True)]  # fmt: skip
        self.owner = [-1 if owner in gone else owner for owner in self.owner]

    def check_moves(self, moves: list[list[int]]) -> None:
        sent = Counter[int]()
        assert moves == sorted(moves)
        assert len({(source, target) for _, source, target, _ in moves}) == len(moves)
        for seat, source, target, units in moves:
            assert self.owner[source] == seat, "from a cell owned at the start of the round"
            assert target in self.board["neighbors"][source]
            assert units >= 1
            sent[source] += units
            assert sent[source] <= self.units[source], "no cell sends more than there was"

    def fight(self, moves: list[list[int]]) -> None:
        present = [Counter({owner: units})
                   for owner, units in zip(self.owner, self.units, strict=True)]  # fmt: skip
        total = sum(self.units)
        for seat, source, target, units in moves:
            present[source][seat] -= units
            present[target][seat] += units
        assert sum(sides.total() for sides in present) == total, "moves conserve units"
        for cell, sides in enumerate(present):
            strong = sorted(((n, side) for side, n in sides.items() if n), reverse=True)
            if len(strong) == 1:
                self.units[cell], self.owner[cell] = strong[0]
            elif len(strong) > 1 and strong[0][0] == strong[1][0]:
                self.units[cell], self.owner[cell] = 0, -1
            elif len(strong) > 1:
                self.units[cell], self.owner[cell] = strong[0][0] - strong[1][0], strong[0][1]
            else:
                self.units[cell] = 0

    def earn(self) -> None:
        for cell, (_, _, kind) in enumerate(self.board["cells"]):
            if self.owner[cell] >= 0:
                self.units[cell] += INCOME[kind]

    def check_fates(self, frame: Frame) -> None:
        fates = frame["fate"]
        for seat, fate in enumerate(fates):
            assert (frame["position"][seat] == 0) == (fate == "survived")
            assert (seat in self.owner) == (fate == "survived")
            assert frame["survived"][seat] <= frame["round"]
        self.fate = fates


@given(SEEDS, SEATS)
@FEW
def test_every_round_obeys_the_ledger(seed: str, seats: int) -> None:
    first, *frames = play(seed, seats)[1]
    ledger = Ledger(first)
    for frame in frames:
        ledger.check_round(frame)
    assert [frame["round"] for frame in frames] == list(range(1, len(frames) + 1))


@given(SEEDS, SEATS)
@FEW
def test_owned_cells_change_hands_only_when_others_arrive(seed: str, seats: int) -> None:
    frames = play(seed, seats)[1]
    for before, after in itertools.pairwise(frames):
        visited = {(target, seat) for seat, _, target, _ in after["moves"]}
        for cell, (was, now) in enumerate(zip(before["owner"], after["owner"], strict=True)):
            if was not in (now, -1) and after["fate"][was] in ("survived", "eliminated"):
                assert any((cell, seat) in visited for seat in range(seats) if seat != was)


@given(SEEDS, SEATS)
@FEW
def test_autos_are_those_of_owners_and_go_to_neighbours(seed: str, seats: int) -> None:
    first, *frames = play(seed, seats)[1]
    for frame in frames:
        for cell, target in enumerate(frame["auto"]):
            if target >= 0:
                assert frame["owner"][cell] >= 0
                assert target in first["board"]["neighbors"][cell]


@given(SEEDS, SEATS)
@FEW
def test_points_fall_with_the_position(seed: str, seats: int) -> None:
    table, frames = play(seed, seats)
    outcome, last = table.outcome, frames[-1]
    assert outcome is not None
    assert all(rank == 1 + sum(r < rank for r in outcome.ranks) for rank in outcome.ranks)
    ordered = sorted(zip(outcome.ranks, outcome.points, last["survived"], strict=True))
    points = [points for _, points, _ in ordered]
    assert points == sorted(points, reverse=True)
    for rank, points_, survived in ordered:
        assert points_ == 10 * (seats - rank) + survived
        assert survived <= last["round"]
    for position, rank in zip(last["position"], outcome.ranks, strict=True):
        assert position in (0, rank), "a position that was told is final"
    assert [fate.value for fate in outcome.fates] == last["fate"]


@given(SEEDS, SEATS)
@FEW
def test_lines_are_ascii_with_single_blanks(seed: str, seats: int) -> None:
    table = Table(GAME, Setup(seed, seats, settings(**small(seats))))
    stream = Stream(seed, "answers")
    while table.outcome is None:
        table.answer_all(tuple([random_reply(table.world, ask, stream) for ask in table.asked]))
    told = [step for step in table.take() if isinstance(step, Tell)]
    for step in told:
        assert step.line.isascii()
        assert step.line == " ".join(step.line.split())
    for seat in range(seats):
        lines = [step.line for step in told if step.seat == seat]
        ends = [line for line in lines if line.startswith("game_over ")]
        assert ends == lines[-1:], "once, and nothing after it"


@given(SEEDS, SEATS)
@FEW
def test_the_order_of_answers_is_nothing(seed: str, seats: int) -> None:
    tables = [Table(GAME, Setup(seed, seats, settings(**small(seats)))) for _ in range(2)]
    stream = Stream(seed, "answers")
    while tables[0].outcome is None:
        replies = [(ask.seat, random_reply(tables[0].world, ask, stream))
                   for ask in tables[0].asked]  # fmt: skip
        for seat, reply in replies:
            tables[0].answer(seat, reply)
        stream.shuffle(replies)
        for seat, reply in replies:
            tables[1].answer(seat, reply)
        assert tables[0].take() == tables[1].take()
    assert tables[0].outcome == tables[1].outcome


# -- symmetry ------------------------------------------------------------------------------


class Relabelling:
    """A symmetry of the start: where each cell and each seat goes."""

    def __init__(self, made: HexWorld, number: int) -> None:
        cells = made.board.cells
        symmetry = SYMMETRIES[len(made.names)][number]
        self.cell = [cells.index(symmetry.image(at)) for at in cells]
        starts = [made.owner.index(seat) for seat in range(len(made.names))]
        self.seat = [made.owner[self.cell[start]] for start in starts]

    def reply(self, reply: Reply) -> Reply:
        """The same answer about the images of its cells."""
        if not isinstance(reply, Answer):
            return reply
        return Answer(",".join(self._piece(piece) for piece in reply.text.split(",")))

    def _piece(self, piece: str) -> str:
        words = piece.strip(" ").split(" ")
        for place, word in enumerate(words):
            is_units = words[0] == "move" and place == 3
            if word in map(str, range(len(self.cell))) and not is_units:
                words[place] = str(self.cell[int(word)])
        return " ".join(words)

    def frame(self, frame: Frame) -> Frame:
        """The same state with other names."""
        owner = {-1: -1} | dict(enumerate(self.seat))
        auto = {-1: -1} | dict(enumerate(self.cell))
        return frame | {
            "owner": self.move([owner[seat] for seat in frame["owner"]], self.cell),
            "units": self.move(frame["units"], self.cell),
            "auto": self.move([auto[target] for target in frame["auto"]], self.cell),
            "moves": sorted(
                [self.seat[seat], self.cell[source], self.cell[target], units]
                for seat, source, target, units in frame["moves"]
            ),
            **{
                key: self.move(frame[key], self.seat)
                for key in ("fate", "position", "survived", "missed")
            },
        }

    @staticmethod
    def move(items: list[Any], places: list[int]) -> list[Any]:
        """Each item to its new place."""
        moved = items[:]
        for item, place in zip(items, places, strict=True):
            moved[place] = item
        return moved


@pytest.mark.dear
@given(SEEDS, SEATS, st.integers(0, 5))
@FEW
def test_relabelling_the_start_relabels_the_game(seed: str, seats: int, number: int) -> None:
    plain, other = (Talk(fresh(seats, seed, **small(seats))) for _ in range(2))
    names = Relabelling(plain.world, number % seats)
    stream = Stream(seed, "answers")
    while plain.outcome is None:
        playing = [ask.seat for ask in plain.asked]
        replies = [random_reply(plain.world, ask, stream) for ask in plain.asked]
        images = {names.seat[seat]: names.reply(reply)
                  for seat, reply in zip(playing, replies, strict=True)}  # fmt: skip
        results = {seat: plain.codes(seat) for seat in range(seats)}
        assert all(other.codes(names.seat[seat]) == codes for seat, codes in results.items())
        plain.reply(*replies)
        other.reply(*[images[ask.seat] for ask in other.asked])
        shown = other.frames[-1]
        assert shown | {"moves": sorted(shown["moves"])} == names.frame(plain.frames[-1])
    check_ends(plain.outcome, other.outcome, names)


def check_ends(plain: Outcome, other: Outcome | None, names: Relabelling) -> None:
    assert other is not None
    for mine, theirs in zip(
        (plain.ranks, plain.points, plain.fates),
        (other.ranks, other.points, other.fates),
        strict=True,
    ):
        assert names.move(list(mine), names.seat) == list(theirs)
    assert other.reason == plain.reason
