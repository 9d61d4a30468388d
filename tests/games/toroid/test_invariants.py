"""What is always true, over random play: the world is watched at every request, and the frames
are checked by a ledger of its own that knows nothing of the rules' code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from arena.core.replies import Reply
from arena.core.rng import Stream
from arena.core.steps import Frame, Show, Tell
from arena.core.table import Table
from arena.games.toroid.probes import perturb_hidden
from arena.games.toroid.world import ToroidWorld
from tests.conftest import DEEP
from tests.games.toroid.helpers import Said, Talk, random_reply, table

SEEDS = st.integers(0, 10**6).map(str)
SEATS = st.integers(2, 8)
SETTINGS = st.fixed_dictionaries(
    {
        "countries_per_player": st.integers(1, 4),
        "neutrals": st.none() | st.integers(2, 6),
        "start_units": st.integers(1, 8),
        "normal_game_turn_per_player": st.integers(1, 6),
        "max_resident_units": st.sampled_from([10, 12, 20]),
        "unfriendly_transfer": st.sampled_from(["on", "off"]),
        "die": st.sampled_from(["proportional", "sum6", "none"]),
        "visibility": st.sampled_from(["neighbours", "owners", "all"]),
        "reasks": st.integers(0, 2),
    }
).map(lambda values: {key: value for key, value in values.items() if value is not None})
SOME = options(derandomize=True, deadline=None, max_examples=20 * DEEP)

Watch = Callable[[Table[Any], Reply], None]


def play(seed: str, seats: int, watch: Watch | None = None, **values: Any) -> Table[Any]:
    """A match of random players. `watch` is called before each answer."""
    match = table(seed, seats, **values)
    stream = Stream(seed, "answers")
    while match.outcome is None:
        (ask,) = match.asked
        reply = random_reply(match, ask, stream)
        if watch is not None:
            watch(match, reply)
        match.answer(ask.seat, reply)
    return match


def frames(match: Table[Any]) -> list[Frame]:
    return [step.frame for step in match.take() if isinstance(step, Show)]


# -- the world at every request --------------------------------------------------------------


@SOME
@given(SEEDS, SEATS, SETTINGS)
def test_every_country_has_one_owner_and_its_units(
    seed: str, seats: int, values: dict[str, Any]
) -> None:
    def watch(match: Table[Any], reply: Reply) -> None:
        made: ToroidWorld = match.world
        assert len(made.owner) == len(made.units) == countries
        assert all(made.names[owner] for owner in made.owner)
        assert all(1 <= units <= values["max_resident_units"] for units in made.units)
        assert made.countries == [made.owner.count(seat) for seat in range(seats)]
        assert sorted(made.fallen) == [s for s in range(seats) if not made.countries[s]]
        (ask,) = match.asked
        assert made.owner[int(ask.tail)] == ask.seat
        orders.add(made.turn_order)

    orders: set[tuple[int, ...]] = set()
    countries = len(table(seed, seats, **values).world.owner)
    play(seed, seats, watch, **values)
    assert len(orders) == 1


@SOME
@given(SEEDS, SEATS, SETTINGS)
def test_each_country_is_asked_as_often_as_allowed_and_none_that_was_conquered(
    seed: str, seats: int, values: dict[str, Any]
) -> None:
    turns: dict[tuple[int, int], list[int]] = {}
    held: dict[tuple[int, int], list[int]] = {}

    def watch(match: Table[Any], reply: Reply) -> None:
        made, (ask,) = match.world, match.asked
        turn = (made.round, ask.seat)
        own = [country for country, owner in enumerate(made.owner) if owner == ask.seat]
        held.setdefault(turn, own)
        turns.setdefault(turn, []).append(int(ask.tail))

    match = play(seed, seats, watch, **values)
    assert match.outcome is not None
    *whole, last = turns
    for turn, asked in turns.items():
        assert asked == sorted(asked)
        assert set(asked) <= set(held[turn])
        assert max(Counter(asked).values()) <= 1 + values["reasks"]
        assert len(asked) <= (1 + values["reasks"]) * len(held[turn])
    for turn in whole:
        assert sorted(set(turns[turn])) == held[turn]
    assert match.outcome.reason == "occupation" or sorted(set(turns[last])) == held[last]
    order = match.world.turn_order
    places = [(number, order.index(seat)) for number, seat in turns]
    assert places == sorted(places)


# -- the ledger ------------------------------------------------------------------------------


class Ledger:
    """Owners and units, changed only by what a frame tells."""

    def __init__(self, first: Frame, most: int) -> None:
        self.owner, self.units, self.most = first["owner"][:], first["units"][:], most
        self.order = first["board"]["turn_order"]

    def check(self, frame: Frame) -> None:
        """The game turn of `frame` obeys the rules and leads to its state."""
        turns = [self.order.index(move[1]) for move in frame["moves"]]
        assert turns == sorted(turns), "one seat after the other"
        for move in frame["moves"]:
            total, owners = sum(self.units), self.owner[:]
            change = getattr(self, move[0])(*move[1:])
            assert sum(self.units) == total + change
            assert all(1 <= units <= self.most for units in self.units)
            if move[-1] != "conquer":
                assert self.owner == owners, "owners change by conquest alone"
        assert (self.owner, self.units) == (frame["owner"], frame["units"])
        seats = range(len(self.order))
        assert frame["countries"] == [self.owner.count(seat) for seat in seats]

    def attack(self, seat: int, source: int, target: int, n: int, result: str) -> int:
        assert self.owner[source] == seat
        assert self.owner[target] != seat
        assert (target - source) % len(self.owner) in (1, len(self.owner) - 1)
        assert 1 <= n <= min(10, self.units[source] - 1)
        before: int = self.units[target]
        match result:
            case "defeat":
                self.units[source] -= n
                return -n
            case "victory":
                assert n < before
                self.units[target] -= n
                return -n
        assert result == "conquer"
        assert n >= before
        self.units[source] -= n
        self.units[target], self.owner[target] = n, seat
        return -before

    def transfer(self, seat: int, source: int, target: int, n: int) -> int:
        assert self.owner[source] == seat
        assert (target - source) % len(self.owner) in (1, len(self.owner) - 1)
        assert 1 <= n <= 10
        self.units[source] -= n
        self.units[target] += n
        return 0

    def scout(self, seat: int, source: int, target: int, counted: int) -> int:
        assert self.owner[source] == seat
        assert self.units[target] == counted
        return 0

    def build(self, seat: int, country: int) -> int:
        assert self.owner[country] == seat
        self.units[country] += 1
        return 1


@SOME
@given(SEEDS, SEATS, SETTINGS)
def test_the_ledger(seed: str, seats: int, values: dict[str, Any]) -> None:
    first, *others = frames(play(seed, seats, **values))
    ledger = Ledger(first, values["max_resident_units"])
    for frame in others:
        ledger.check(frame)


@SOME
@given(SEEDS, SEATS, SETTINGS)
def test_neutrals_never_act_and_only_lose(seed: str, seats: int, values: dict[str, Any]) -> None:
    first, *others = frames(play(seed, seats, **values))
    before = first
    for frame in others:
        assert all(move[1] >= 0 for move in frame["moves"])
        for country, owner in enumerate(frame["owner"]):
            if owner < 0:
                assert before["owner"][country] == owner, "once lost, lost for ever"
                gained = frame["units"][country] > before["units"][country]
                assert not gained or values["unfriendly_transfer"] == "on"
        before = frame


# -- the end ---------------------------------------------------------------------------------


@SOME
@given(SEEDS, SEATS, SETTINGS)
def test_the_points_add_up(seed: str, seats: int, values: dict[str, Any]) -> None:
    match = play(seed, seats, **values)
    outcome, last = match.outcome, frames(match)[-1]
    assert outcome is not None
    if outcome.reason == "occupation":
        assert sum(outcome.points) == 3
        assert len(set(last["owner"])) == 1
    else:
        most = max(last["countries"])
        assert sum(outcome.points) == last["countries"].count(most)
        assert last["round"] == last["rounds"]
    pairs = zip(outcome.ranks, last["countries"], strict=True)
    by_rank = [count for _, count in sorted(pairs)]
    assert by_rank == sorted(by_rank, reverse=True)
    out = [r for r, count in zip(outcome.ranks, last["countries"], strict=True) if not count]
    assert len(set(out)) == len(out), "no two go out at one moment"


@SOME
@given(SEEDS, SEATS, SETTINGS)
def test_every_seat_hears_the_end_once_and_nothing_after_it(
    seed: str, seats: int, values: dict[str, Any]
) -> None:
    match = play(seed, seats, **values)
    outcome, lines = match.outcome, [s for s in match.take() if isinstance(s, Tell)]
    assert outcome is not None
    for seat in range(seats):
        told = [step.line for step in lines if step.seat == seat]
        assert [line.split()[0] for line in told[-3:]] == [
            "update_map",
            "opponent_moves",
            "game_over",
        ]
        assert sum(line.startswith("game_over") for line in told) == 1
        assert told[-1] == f"game_over {outcome.ranks[seat]} {outcome.points[seat]:g}"


# -- chance and fog --------------------------------------------------------------------------


@SOME
@given(SEEDS, SEATS, SETTINGS)
def test_without_a_die_nothing_is_drawn(seed: str, seats: int, values: dict[str, Any]) -> None:
    match = table(seed, seats, **(values | {"die": "none"}))
    match.world.chance["die"] = Said([])
    stream = Stream(seed, "answers")
    while match.outcome is None:
        (ask,) = match.asked
        match.answer(ask.seat, random_reply(match, ask, stream))


@pytest.mark.parametrize("visibility", ["neighbours", "owners"])
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_units_of_others_change_no_line(seed: str, visibility: str) -> None:
    """Any number of foreign units, at any moment, changes nothing that a seat hears to the end of
    the match, as long as no player measures them by an attack, a transfer or a scout."""
    match = table(seed, 3, visibility=visibility, normal_game_turn_per_player=3)
    stream = Stream(seed, "answers")
    for exchange in range(60):
        if match.outcome is not None:
            break
        for seat in range(3) if exchange % 4 == 0 else ():
            other = match.world.copy()
            if perturb_hidden(other, seat, stream):
                plain = Talk(match.world.copy()).to_the_end()
                assert Talk(other).to_the_end().all[seat] == plain.all[seat]
        (ask,) = match.asked
        match.answer(ask.seat, random_reply(match, ask, stream))


# -- copies ----------------------------------------------------------------------------------


@options(derandomize=True, deadline=None, max_examples=15)
@given(SEEDS, st.integers(0, 60), SETTINGS)
def test_a_copy_plays_on_as_its_original(seed: str, moment: int, values: dict[str, Any]) -> None:
    """A world is all there is: from any request, a script of its copy tells the same story."""
    match, stream = table(seed, 3, **values), Stream(seed, "answers")
    for _ in range(moment):
        if match.outcome is None:
            match.answer(match.asked[0].seat, random_reply(match, match.asked[0], stream))
    if match.outcome is not None:
        return
    frames(match)
    twin = Talk(match.world.copy())
    while match.outcome is None:
        (ask,) = match.asked
        assert twin.asked == ask
        reply = random_reply(match, ask, stream)
        match.answer(ask.seat, reply)
        twin.say(reply)
    assert (twin.outcome, twin.frames) == (match.outcome, frames(match))


def test_nothing_is_random_but_the_seed() -> None:
    first, again, other = (play(seed, 4) for seed in ("1", "1", "2"))
    assert first.take() == again.take()
    assert first.take() != other.take() or other.outcome != first.outcome
