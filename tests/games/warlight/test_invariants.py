"""What is always true, over random play: the frames are checked by a ledger of its own that knows
nothing of the rules' code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from arena.core.game import Setup
from arena.core.replies import Answer, Reply
from arena.core.rng import Stream
from arena.core.steps import Frame, Show, Tell
from arena.core.table import Table
from arena.games.warlight import GAME, words
from arena.games.warlight.orders import Move, new_notes, read_orders
from arena.games.warlight.world import NAMES, NEUTRAL, WarlightWorld
from tests.conftest import DEEP
from tests.games.warlight.helpers import ORIGINAL_MAP, Said, Talk, random_reply, settings

SEEDS = st.integers(0, 10**6).map(str)
MAPS = st.sampled_from([None, ORIGINAL_MAP])
FEW = options(derandomize=True, deadline=None, max_examples=8 * DEEP)

Watch = Callable[[Table[Any], tuple[Reply, ...]], None]


def play(seed: str, data: Any, watch: Watch | None = None, **values: Any) -> list[Frame]:
    """A match of random players; its frames. `watch` is called before each exchange."""
    table = Table(GAME, Setup(seed, 2, settings(**values), data))
    stream = Stream(seed, "answers")
    while table.outcome is None:
        replies = tuple([random_reply(table, ask, stream) for ask in table.asked])
        if watch is not None:
            watch(table, replies)
        table.answer_all(replies)
    assert sorted(table.outcome.ranks) in ([1, 2], [1, 1])
    assert sum(table.outcome.points) == 1
    return [step.frame for step in table.take() if isinstance(step, Show)]


class Ledger:
    """Owners and armies, changed only by the acts that a frame tells."""

    def __init__(self, first: Frame) -> None:
        self.board = first["board"]
        self.owner = dict(enumerate(first["owner"], start=1))
        self.armies = dict(enumerate(first["armies"], start=1))

    def income(self, seat: int) -> int:
        """5 and the bonus of each super region that the seat owns."""
        owners: dict[int, set[int]] = {}
        for region, zone in enumerate(self.board["regions"], start=1):
            owners.setdefault(zone, set()).add(self.owner[region])
        whole = [zone for zone, seats in owners.items() if seats == {seat}]
        bonus: list[int] = self.board["bonus"]
        return 5 + sum(bonus[zone - 1] for zone in whole)

    def check_round(self, frame: Frame) -> None:
        """The round of `frame` obeys the rules and leads to its state."""
        income = [self.income(0), self.income(1)]
        phases = [act[0] == "place" for act in frame["moves"]]
        assert phases == sorted(phases, reverse=True)
        for act in frame["moves"]:
            if act[0] == "place":
                income[act[1]] -= act[3]
                self.place(*act[1:])
        assert min(income) >= 0
        self.check_moves([act for act in frame["moves"] if act[0] != "place"])
        assert list(self.owner.values()) == frame["owner"]
        assert list(self.armies.values()) == frame["armies"]

    def place(self, seat: int, region: int, armies: int) -> None:
        assert self.owner[region] == seat
        assert armies >= 1
        self.armies[region] += armies

    def check_moves(self, moves: list[list[Any]]) -> None:
        start, sent, conquered = self.armies.copy(), Counter[int](), set[int]()
        assert len({(act[2], act[3]) for act in moves}) == len(moves), "no from and to twice"
        for act in moves:
            _, seat, source, target, armies = act[:5]
            assert self.owner[source] == seat
            assert target in self.board["neighbors"][source - 1]
            assert armies >= 1
            assert source not in conquered, "a conquered region sends nothing"
            sent[source] += armies
            assert sent[source] <= start[source] - 1, "one army stays, and none moves twice"
            total = sum(self.armies.values())
            if act[0] == "transfer":
                self.transfer(*act[1:])
                assert sum(self.armies.values()) == total, "transfers conserve"
            else:
                self.attack(*act[1:])
                assert sum(self.armies.values()) == total - act[5] - act[6], "only −K −L"
                conquered |= {target} if act[7] else set()
            assert min(self.armies.values()) >= 1

    def transfer(self, seat: int, source: int, target: int, armies: int) -> None:
        assert self.owner[target] == seat
        self.armies[source] -= armies
        self.armies[target] += armies

    def attack(
        self, seat: int, source: int, target: int, armies: int, lost: int, killed: int, won: bool
    ) -> None:
        assert self.owner[target] != seat
        assert 0 <= lost <= armies
        assert 0 <= killed <= self.armies[target]
        assert won == (killed == self.armies[target])
        assert won <= (lost < armies), "never both wiped out"
        if won:
            self.owner[target] = seat
            self.armies[source] -= armies
            self.armies[target] = armies - lost
        else:
            self.armies[source] -= lost
            self.armies[target] -= killed


@pytest.mark.dear
@given(SEEDS, MAPS)
@FEW
def test_every_round_obeys_the_ledger(seed: str, data: Any) -> None:
    first, *frames = play(seed, data)
    ledger = Ledger(first)
    for frame in frames:
        ledger.check_round(frame)
    assert [frame["round"] for frame in frames] == list(range(1, len(frames) + 1))


@given(SEEDS, MAPS)
@FEW
def test_both_pick_equally_often(seed: str, data: Any) -> None:
    picks = Counter(act[1] for act in play(seed, data, max_rounds=1)[0]["moves"])
    assert picks[0] == picks[1] >= 1


@given(SEEDS, MAPS)
@FEW
def test_orders_of_one_player_keep_their_sequence(seed: str, data: Any) -> None:
    def watch(table: Table[Any], replies: tuple[Reply, ...]) -> None:
        if table.asked[0].head != words.ATTACK:
            return
        after = table.world.copy()
        talk = _resume(after, replies)
        for seat in (0, 1):
            wished = iter(_wishes(table.world, seat, replies[seat]))
            done = [tuple(act[2:4]) for act in talk if act[0] != "place" and act[1] == seat]
            assert all(move in wished for move in done), "a subsequence"

    play(seed, data, watch, max_rounds=25)


def _wishes(world: WarlightWorld, seat: int, reply: Reply) -> list[tuple[int, int]]:
    text = reply.text if isinstance(reply, Answer) else ""
    orders = read_orders(text, NAMES[seat], world.board, new_notes(seat))
    return [(order.source, order.target) for order in orders if isinstance(order, Move)]


def _resume(world: WarlightWorld, replies: tuple[Reply, ...]) -> list[list[Any]]:
    """The acts when a world that waits for moves gets these replies."""
    talk = Talk(world)
    talk.reply("", "").reply(*replies)
    acts: list[list[Any]] = talk.frames[-1]["moves"]
    return acts


@given(SEEDS, MAPS)
@FEW
def test_lines_are_a_function_of_what_is_seen(seed: str, data: Any) -> None:
    """Armies and even owners out of sight change no line."""
    chance = Stream(seed, "hidden")

    def watch(table: Table[Any], replies: tuple[Reply, ...]) -> None:
        if table.asked[0].head != words.PLACE:
            return
        for seat in (0, 1):
            other: WarlightWorld = table.world.copy()
            for region in other.board.regions:
                if not other.sight[seat].count[region] and chance.permille(500):
                    other.armies[region] = 1 + chance.below(20)
                    other.hand_over(region, (NEUTRAL, 1 - seat)[chance.below(2)])
            assert told(other, seat) == told(table.world, seat)

    play(seed, data, watch, max_rounds=25)


def told(world: WarlightWorld, seat: int) -> list[str]:
    """What the seat is told at the start of a round."""
    return words.round_lines(world, words.region_texts(world), seat)


@given(SEEDS, MAPS)
@FEW
def test_free_armies_are_never_more_than_there_are(seed: str, data: Any) -> None:
    from arena.games.warlight import attack

    def watch(table: Table[Any], replies: tuple[Reply, ...]) -> None:
        if table.asked[0].head != words.ATTACK:
            return
        world = table.world.copy()
        phase = attack.AttackPhase(world, (new_notes(0), new_notes(1)))
        for seat in (0, 1):
            text = replies[seat]
            line = text.text if isinstance(text, Answer) else ""
            phase.queue(seat, read_orders(line, NAMES[seat], world.board, new_notes(seat)))
        carry_out = phase._carry_out

        def checked(seat: int, move: Move | None) -> bool:
            legal = carry_out(seat, move)
            pairs = zip(phase._free[1:], world.armies[1:], strict=True)
            assert all(free <= armies for free, armies in pairs)
            return legal

        attack.interleave(phase._queues, world.chance["order"].below, checked)

    play(seed, data, watch, max_rounds=20)


class Flipped(Said):
    """The coins of a stream, the other side up."""

    def __init__(self, stream: Stream) -> None:
        super().__init__([])
        self.stream = stream

    def below(self, n: int) -> int:
        """The other side."""
        return n - 1 - self.stream.below(n)


def mirrored(world: WarlightWorld) -> WarlightWorld:
    """The same world with the seats swapped, and its coins flipped."""
    twin = world.copy()
    for region in world.board.regions:
        owner = world.owner[region]
        twin.hand_over(region, owner if owner == NEUTRAL else 1 - owner)
    twin.chance["order"] = Flipped(Stream(world.chance.seed, "mirror"))
    world.chance["order"] = Stream(world.chance.seed, "mirror")
    return twin


def _swap_names(text: str) -> str:
    return text.replace("player1", "?").replace("player2", "player1").replace("?", "player2")


@given(SEEDS, MAPS)
@FEW
def test_swapped_names_and_coins_mirror_the_game(seed: str, data: Any) -> None:
    table = Table(GAME, Setup(seed, 2, settings(max_rounds=30), data))
    stream = Stream(seed, "answers")
    while table.asked[0].head == words.PICK:
        table.answer_all((Answer(table.asked[0].tail.split()[0]),))
    plain = Talk(table.world.copy())
    mirror = Talk(mirrored(plain.world))
    while plain.outcome is None:
        for seat in (0, 1):
            assert [_swap_names(line) for line in plain.told[seat]] == mirror.told[1 - seat]
        one, two = (_text(plain, seat, stream) for seat in (0, 1))
        plain.reply(one, two)
        mirror.reply(_swap_names(two), _swap_names(one))
        assert plain.world.armies == mirror.world.armies
        assert Counter(plain.codes(0)) == Counter(mirror.codes(1))
    assert mirror.outcome is not None
    assert mirror.outcome.ranks == plain.outcome.ranks[::-1]
    assert mirror.outcome.points == plain.outcome.points[::-1]


def _text(talk: Talk, seat: int, stream: Stream) -> str:
    return GAME.random_answer(talk.world, talk.asked[seat], stream)


@given(SEEDS)
@FEW
def test_lines_are_ascii_with_single_blanks(seed: str) -> None:
    table = Table(GAME, Setup(seed, 2, settings(max_rounds=15)))
    stream = Stream(seed, "answers")
    while table.outcome is None:
        table.answer_all(tuple([random_reply(table, ask, stream) for ask in table.asked]))
    for step in table.take():
        if isinstance(step, Tell):
            assert step.line.isascii()
            assert step.line == " ".join(step.line.split())
