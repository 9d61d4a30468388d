"""What is always true, over random play with fights, razed towers and careless orders."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from arena.core.rng import Stream
from arena.games.codecharacter import rules, words
from arena.games.codecharacter.checks import check
from arena.games.codecharacter.orders import Plan
from arena.games.codecharacter.settings import CodecharacterSettings
from arena.games.codecharacter.world import CodecharacterWorld, Soldier
from tests.games.codecharacter.helpers import careless_answer, fresh, settings, small

SEEDS = st.integers(0, 10**6).map(str)
RICH: dict[str, Any] = {"money_start": 4000, "tower_hp": "300 500 700", "suicide_refund": "table"}
GIVEN = st.sampled_from(
    [
        small(num_soldiers=5),
        small(num_soldiers=6, max_towers=4, **RICH),
        small(num_soldiers=4, respawn_turns=2, tower_cap_rule="source", **RICH),
        settings(num_soldiers=6, tile_size=11, tower_costs="200 300 400"),
    ]
)
FEW = options(derandomize=True, deadline=None, max_examples=8)
TURNS = 120


@dataclass
class Turn:
    """One turn: the world before, what counted, the world after."""

    before: CodecharacterWorld
    plans: tuple[Plan, Plan]
    after: CodecharacterWorld


def play(seed: str, given: CodecharacterSettings) -> Iterator[Turn]:
    """The turns of a match."""
    made, stream = fresh(given), Stream(seed, "answers")
    for made.round in range(1, TURNS + 1):
        answers = [careless_answer(made, seat, stream) for seat in (0, 1)]
        plans = check(made, [words.read_orders(made, seat, answers[seat]) for seat in (0, 1)])
        before = made.copy()
        rules.play(made, plans)
        yield Turn(before, plans, made)


def changes(turn: Turn) -> Iterator[tuple[Soldier, Soldier]]:
    """Each soldier before and after."""
    return zip(turn.before.soldiers, turn.after.soldiers, strict=True)


@given(SEEDS, GIVEN)
@FEW
def test_soldiers(seed: str, given: CodecharacterSettings) -> None:
    edge = given.map_size * given.tile_size * 1000
    for turn in play(seed, given):
        seats = [one.seat for one in turn.after.soldiers]
        assert seats == [0] * given.num_soldiers + [1] * given.num_soldiers
        for was, one in changes(turn):
            assert 0 <= one.hp <= given.soldier_hp
            assert (one.hp == 0) == (one.state == "dead")
            assert 0 <= one.x <= edge
            assert 0 <= one.y <= edge
            assert one.destination is None or one.target is None
            if was.state != "dead":
                assert hypot(one.x - was.x, one.y - was.y) <= given.soldier_speed * 1000 + 1
            elif one.state == "dead":
                assert (one.x, one.y) == (was.x, was.y)
            if was.immune:
                assert one.hp == was.hp
            if one.hp != was.hp:
                assert one.hp < was.hp or (was.state, one.hp) == ("dead", given.soldier_hp)


@given(SEEDS, GIVEN)
@FEW
def test_towers(seed: str, given: CodecharacterSettings) -> None:
    known: set[int] = set()
    for turn in play(seed, given):
        before, after = turn.before, turn.after
        known |= before.towers.keys()
        assert list(after.towers) == sorted(after.towers)
        for seat in (0, 1):
            own = [one for one in after.towers.values() if one.seat == seat]
            assert len(own) <= given.max_towers
            assert [one.id for one in own if one.base] == [2 * given.num_soldiers + seat]
        for id, one in after.towers.items():
            assert 0 < one.hp <= given.tower_hp[one.level - 1]
            if id in before.towers:
                was = before.towers[id]
                assert one.level in (was.level, was.level + 1)
                assert (one.tile, one.seat) == (was.tile, was.seat)
                assert not one.base or one.hp >= was.hp
            else:
                assert id not in known, "an id is given once"
                assert before.controls(one.seat, *one.tile)
                assert not before.controls(1 - one.seat, *one.tile)


@pytest.mark.dear
@given(SEEDS, GIVEN)
@FEW
def test_territory_is_the_union_of_squares(seed: str, given: CodecharacterSettings) -> None:
    size = given.map_size
    for turn in play(seed, given):
        for seat in (0, 1):
            tiles = set()
            for one in turn.after.towers.values():
                reach = given.tower_ranges[one.level - 1]
                if one.seat == seat:
                    (x, y), steps = one.tile, range(-reach, reach + 1)
                    tiles |= {(x + a, y + b) for a in steps for b in steps}
            tiles = {(x, y) for x, y in tiles if 0 <= x < size and 0 <= y < size}
            assert turn.after.tiles()[seat] == len(tiles)
            assert all(turn.after.controls(seat, *tile) for tile in tiles)


@given(SEEDS, GIVEN)
@FEW
def test_money_changes_by_costs_refunds_and_rewards(
    seed: str, given: CodecharacterSettings
) -> None:
    kills = razed = 0
    for turn in play(seed, given):
        before, after = turn.before, turn.after
        for seat in (0, 1):
            plan, other = turn.plans[seat], turn.plans[1 - seat]
            costs = len(plan.builds) * given.tower_costs[0]
            costs += sum(given.tower_costs[before.towers[id].level] for id in plan.upgrades)
            assert plan.money == before.money[seat] - costs >= 0
            refunds = sum(rules.refund(before, before.towers[id]) for id in plan.suicides)
            deaths = [
                one.id
                for was, one in changes(turn)
                if one.seat != seat and was.state != "dead" and one.state == "dead"
            ]
            gone = before.towers.keys() - after.towers.keys() - set(other.suicides)
            lost = [before.towers[id] for id in gone if before.towers[id].seat != seat]
            levels = [one.level + (one.id in other.upgrades) for one in lost]
            rewards = sum(given.tower_kill_reward[level - 1] for level in levels)
            rewards += given.soldier_reward * len(deaths)
            assert after.money[seat] == plan.money + refunds + rewards
            kills, razed = kills + len(deaths), razed + len(lost)
    assert kills, "there were fights"


def test_random_play_razes_towers() -> None:
    """The games above have everything in them."""
    given = small(num_soldiers=6, **RICH)
    gone = [
        turn.before.towers.keys() - turn.after.towers.keys() - {*one.suicides, *two.suicides}
        for turn in play("1", given)
        for one, two in [turn.plans]
    ]
    assert any(gone)


# -- what is told --------------------------------------------------------------------------


@pytest.mark.dear
@given(SEEDS, GIVEN)
@FEW
def test_lines_do_not_depend_on_the_enemys_money_and_orders(
    seed: str, given: CodecharacterSettings
) -> None:
    chance = Stream(seed, "hidden")
    for turn in play(seed, given):
        for seat in (0, 1):
            other = turn.after.copy()
            other.money[1 - seat] = chance.below(10**6)
            for one in other.soldiers:
                if one.seat != seat:
                    one.destination, one.target = (chance.below(100), 0), None
            assert words.News(other).turn_lines()[seat] == words.News(turn.after).turn_lines()[seat]


@given(SEEDS, GIVEN)
@FEW
def test_lines_are_in_form(seed: str, given: CodecharacterSettings) -> None:
    for turn in play(seed, given):
        one, two = words.News(turn.after).turn_lines()
        for line in [*one, *two]:
            assert line.isascii()
            assert line == " ".join(line.split())


# -- mirrors -------------------------------------------------------------------------------


class Mirror:
    """The match with the players exchanged, beside the plain one."""

    def __init__(self, given: CodecharacterSettings) -> None:
        self.plain, self.twin = fresh(given), fresh(given)
        count = given.num_soldiers
        self._ids = {id: (id + count) % (2 * count) for id in range(2 * count)}

    def ids(self) -> dict[int, int]:
        """The ids of the plain match, of now and before, as they are in the other."""
        last = self.plain.settings.map_size - 1
        tiles = {one.tile: one.id for one in self.twin.towers.values()}
        for one in self.plain.towers.values():
            x, y = one.tile
            self._ids[one.id] = tiles[last - x, last - y]
        return self._ids

    def renamed(self, answer: str) -> str:
        """The same answer with the ids of the other match."""
        ids = self.ids()
        return ", ".join(_renamed(order.strip(" "), ids) for order in answer.split(","))

    def play(self, one: str, two: str) -> None:
        """One turn of both."""
        renamed = self.renamed(two), self.renamed(one)
        plans = [self._play(self.plain, one, two), self._play(self.twin, *renamed)]
        for seat in (0, 1):
            codes = [
                [(void.number, void.refusal.code) for void in plan[place].void]
                for plan, place in zip(plans, (seat, 1 - seat), strict=True)
            ]
            assert codes[0] == codes[1]

    def _play(self, made: CodecharacterWorld, one: str, two: str) -> tuple[Plan, Plan]:
        plans = check(made, [words.read_orders(made, 0, one), words.read_orders(made, 1, two)])
        rules.play(made, plans)
        return plans

    def check(self) -> None:
        """Each is told what the other would have been, but for names and ids."""
        ids = self.ids()
        told, swapped = words.News(self.plain).turn_lines(), words.News(self.twin).turn_lines()
        for seat in (0, 1):
            for line, other in zip(told[seat], swapped[1 - seat], strict=True):
                assert _swapped(line, ids) == other
        for one in self.plain.soldiers:
            self.check_order(one, self.twin.soldiers[ids[one.id]], ids)

    def check_order(self, one: Soldier, two: Soldier, ids: dict[int, int]) -> None:
        """Hidden things are mirrored too."""
        edge = self.plain.edge
        assert (one.immune, one.dead) == (two.immune, two.dead)
        assert two.target == (None if one.target is None else ids[one.target])
        if one.destination is None:
            assert two.destination is None
        else:
            assert two.destination == (edge - one.destination[0], edge - one.destination[1])


def _renamed(order: str, ids: dict[int, int]) -> str:
    verb, *rest = order.split(" ")
    named = {"move": 1, "attack": 2, "upgrade": 1, "suicide": 1}.get(verb, 0)
    for i, word in enumerate(rest[:named]):
        if word.isdecimal() and str(int(word)) == word:  # one that does not exist, stays so
            rest[i] = str(ids.get(int(word), 10**6 + int(word)))
    return " ".join([verb, *rest])


def _swapped(line: str, ids: dict[int, int]) -> str:
    """A line with the names exchanged and the ids of the other match."""
    words = line.split(" ")
    if words[1] in ("soldiers", "towers"):
        for i in range(2, len(words), 7):
            words[i] = str(ids[int(words[i])])
            words[i + 1] = {"player1": "player2", "player2": "player1"}[words[i + 1]]
    return " ".join(words)


@pytest.mark.dear
@given(SEEDS, GIVEN)
@FEW
def test_exchanged_answers_give_the_mirrored_game(seed: str, given: CodecharacterSettings) -> None:
    mirror, stream = Mirror(given), Stream(seed, "answers")
    for _ in range(TURNS):
        mirror.play(*[careless_answer(mirror.plain, seat, stream) for seat in (0, 1)])
        mirror.check()


def test_chance_has_no_part_in_it() -> None:
    """Nothing but the answers at random for checks reads a stream."""
    folder = Path(inspect.getfile(rules)).parent
    readers = [path.name for path in folder.glob("*.py") if "Stream" in path.read_text("utf-8")]
    assert readers == ["probes.py"]
