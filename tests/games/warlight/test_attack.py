"""The attack/transfer phase: turns, legality, free armies, fights, witnesses."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from arena.games.warlight.attack import AttackPhase, interleave
from arena.games.warlight.orders import new_notes, read_orders
from arena.games.warlight.world import NAMES, NEUTRAL, Attacked, Transferred, WarlightWorld
from tests.games.warlight.helpers import Said, standing, world

# -- whose turn ----------------------------------------------------------------------------


def turns(queues: Sequence[str], coins: Sequence[int]) -> tuple[str, int]:
    """The orders in the sequence in which they are carried out (capital letters are illegal), and
    how many coins were not used."""
    said, done = Said(coins), []

    def carry_out(seat: int, order: str) -> bool:
        assert order in queues[seat]
        done.append(order)
        return order.islower()

    interleave(queues, said.below, carry_out)
    return "".join(done), len(said.left)


@pytest.mark.parametrize(
    ("queues", "coins", "sequence"),
    [
        (("", ""), [], ""),
        (("a", ""), [0], "a"),
        (("a", ""), [1], "a"),
        (("", "x"), [0], "x"),
        (("ab", "xy"), [0, 0], "axby"),
        (("ab", "xy"), [0, 1], "axyb"),
        (("ab", "xy"), [1, 0], "xaby"),
        (("ab", "xy"), [1, 1], "xayb"),
        (("abc", ""), [1, 0], "abc"),
        (("abcd", "x"), [0, 1, 0], "axbcd"),
        (("a", "wxyz"), [1, 0, 1], "waxyz"),
        # an illegal order: the same player goes on, without a coin
        (("Abc", "x"), [0, 1], "Abxc"),
        (("ABCd", "x"), [0], "ABCdx"),
        (("ab", "Xy"), [0, 1], "aXyb"),
        (("a", "XYz"), [0], "aXYz"),
        (("AB", "xy"), [0], "ABxy"),
        (("AB", "XY"), [0], "ABXY"),
        (("AB", "XY"), [1], "XYAB"),
        (("A", "x"), [1], "xA"),
        (("aB", "xyz"), [0, 0], "axByz"),
    ],
)
def test_orders_are_interleaved(queues: tuple[str, str], coins: list[int], sequence: str) -> None:
    assert turns(queues, coins) == (sequence, 0)


def test_example_8() -> None:
    assert turns(("Abc", "x"), [0, 1]) == ("Abxc", 0)


def test_the_coin_is_thrown_even_when_one_queue_is_empty() -> None:
    assert turns(("abcd", ""), [1, 1]) == ("abcd", 0)


queues = st.text("abcABC", max_size=12)


@given(queues, queues, st.lists(st.integers(0, 1), min_size=30, max_size=30))
@options(derandomize=True, deadline=None)
def test_turns_are_fair_and_keep_the_sequence(one: str, two: str, coins: list[int]) -> None:
    waiting, legal, said = [list(one), list(two)], [0, 0], Said(coins)
    log: list[tuple[int, str]] = []

    def carry_out(seat: int, order: str) -> bool:
        assert waiting[seat].pop(0) == order
        log.append((seat, order))
        legal[seat] += order.islower()
        if waiting[0] and waiting[1]:
            assert abs(legal[0] - legal[1]) <= 1
        return order.islower()

    interleave((one, two), said.below, carry_out)
    assert waiting == [[], []]
    assert len(coins) - len(said.left) <= sum(legal) // 2 + 1


@pytest.mark.dear
@given(queues, queues, st.lists(st.integers(0, 1), min_size=30, max_size=30))
@options(derandomize=True, deadline=None)
def test_swapped_coins_mirror_the_turns(one: str, two: str, coins: list[int]) -> None:
    logs: list[list[tuple[int, str]]] = []
    for flip in (0, 1):
        log: list[tuple[int, str]] = []

        def carry_out(
            seat: int, order: str, log: list[tuple[int, str]] = log, flip: int = flip
        ) -> bool:
            log.append((seat ^ flip, order))
            return order.islower()

        pair = (two, one) if flip else (one, two)
        interleave(pair, Said([coin ^ flip for coin in coins]).below, carry_out)
        logs.append(log)
    assert logs[0] == logs[1]


# -- a phase -------------------------------------------------------------------------------


def orders(seat: int, *moves: str) -> str:
    """``3>4 5`` as an order of the seat."""
    texts = [move.replace(">", " ") for move in moves]
    return ",".join(f"{NAMES[seat]} attack/transfer {text}" for text in texts)


def fight(made: WarlightWorld, one: str = "", two: str = "") -> list[list[str]]:
    """Play the phase; the codes for each seat, remarks in brackets."""
    faults = new_notes(0), new_notes(1)
    phase = AttackPhase(made, faults)
    for seat, text in enumerate((one, two)):
        phase.queue(seat, read_orders(text, NAMES[seat], made.board, faults[seat]))
    phase.run()
    assert all(armies >= 1 for armies in made.armies[1:])
    return [[n.code if n.fault else f"({n.code})" for n in one.close()] for one in faults]


def test_a_transfer_moves_armies() -> None:
    made = world({1: 0, 2: 0, 8: 1}, {1: 5}, coins=[0])
    assert fight(made, orders(0, "1>2 3")) == [[], []]
    assert (made.armies[1], made.armies[2]) == (2, 5)
    assert made.acts == [Transferred(0, 1, 2, 3)]


def test_more_than_there_is_sends_all_but_one() -> None:
    made = world({1: 0, 2: 0, 8: 1}, {1: 5}, coins=[0])
    fight(made, orders(0, "1>2 99"))
    assert (made.armies[1], made.armies[2]) == (1, 6)
    assert made.acts == [Transferred(0, 1, 2, 4)]


def test_example_1_a_region_is_taken() -> None:
    made = world({2: 0, 8: 1}, {2: 4}, coins=[0], hits=[0, 2])
    assert fight(made, orders(0, "2>3 3")) == [[], []]
    assert standing(made)[2] == (0, 1)
    assert standing(made)[3] == (0, 2)
    assert made.acts == [Attacked(0, 2, 3, 3, 1, 2, True)]


def test_example_2_an_attack_fails() -> None:
    made = world({2: 0, 8: 1}, {2: 5}, coins=[0], hits=[2, 0])
    fight(made, orders(0, "2>3 2"))
    assert standing(made)[2] == (0, 4)
    assert standing(made)[3] == (NEUTRAL, 1)
    assert made.acts == [Attacked(0, 2, 3, 2, 1, 1, False)]


def test_example_3_a_wasteland_is_taken() -> None:
    made = world({2: 0, 8: 1}, {2: 11, 3: 6}, coins=[0], hits=[5, 4])
    fight(made, orders(0, "2>3 10"))
    assert standing(made)[3] == (0, 6)
    assert standing(made)[2] == (0, 1)


def test_example_4_survivors_come_home_and_rest() -> None:
    made = world({2: 0, 8: 1}, {2: 10, 3: 6}, coins=[0, 0], hits=[5, 4])
    assert fight(made, orders(0, "2>3 9", "2>1 1")) == [["frozen"], []]
    assert standing(made)[2] == (0, 6)
    assert standing(made)[3] == (NEUTRAL, 1)


def test_example_5_one_against_one() -> None:
    made = world({2: 0, 8: 1}, {2: 2, 3: 1}, coins=[0], hits=[1, 1])
    fight(made, orders(0, "2>3 1"))
    assert standing(made)[2] == (0, 1)
    assert standing(made)[3] == (NEUTRAL, 1)
    assert made.acts == [Attacked(0, 2, 3, 1, 1, 0, False)]


def test_example_6_what_arrives_stays() -> None:
    made = world({1: 0, 2: 0, 8: 1}, {1: 11, 2: 5, 3: 9}, coins=[0, 0], hits=[2, 6])
    fight(made, orders(0, "1>2 10", "2>3 12"))
    assert made.acts[1] == Attacked(0, 2, 3, 4, 4, 2, False)
    assert standing(made)[2] == (0, 11)


def test_both_wiped_out_leaves_one_defender() -> None:
    made = world({2: 0, 3: 1}, {2: 4, 3: 5}, coins=[1], hits=[4, 4], luck=1000)
    fight(made, two=orders(1, "3>2 4"))
    assert made.acts == [Attacked(1, 3, 2, 4, 4, 3, False)]
    assert (standing(made)[2], standing(made)[3]) == ((0, 1), (1, 1))


def test_an_army_moves_once() -> None:
    """1 sends 3 to 2, and 2 sends its own two free ones, not the three that came."""
    made = world({1: 0, 2: 0, 3: 0, 8: 1}, {1: 4, 2: 3}, coins=[0, 0])
    assert fight(made, orders(0, "1>2 3", "2>3 9")) == [[], []]
    assert made.acts == [Transferred(0, 1, 2, 3), Transferred(0, 2, 3, 2)]


def test_a_conquered_region_sends_nothing() -> None:
    """It was not owned when the answers came in, so the order is illegal from the start."""
    made = world({2: 0, 8: 1}, {2: 9}, coins=[0], hits=[5, 1])
    assert fight(made, orders(0, "2>3 8", "3>4 1")) == [["not_owned"], []]
    assert standing(made)[3] == (0, 7)


def test_a_region_that_is_lost_and_won_back_sends_nothing() -> None:
    """8 take 2 and 6 stand there; 14 take it back and 10 stand there, none of them free."""
    made = world({2: 0, 5: 0, 3: 1}, {2: 3, 3: 9, 5: 15}, coins=[1, 0], hits=[5, 1, 9, 5])
    codes = fight(made, orders(0, "5>2 14", "2>1 1"), orders(1, "3>2 8"))
    assert made.acts == [
        Attacked(1, 3, 2, 8, 2, 3, True),
        Attacked(0, 5, 2, 14, 4, 6, True),
    ]
    assert standing(made)[2] == (0, 10)
    assert codes == [["(frozen)"], []]


def test_from_and_to_once_a_round() -> None:
    made = world({1: 0, 2: 0, 8: 1}, {1: 9}, coins=[0])
    assert fight(made, orders(0, "1>2 1", "1>2 1", "1>2 3")) == [["repeated", "repeated"], []]
    assert made.acts == [Transferred(0, 1, 2, 1)]


def test_the_same_way_back_is_another_way() -> None:
    made = world({1: 0, 2: 0, 8: 1}, {1: 9, 2: 9}, coins=[0, 0])
    assert fight(made, orders(0, "1>2 1", "2>1 1")) == [[], []]


def test_repeated_comes_before_frozen() -> None:
    made = world({1: 0, 2: 0, 8: 1}, {1: 3}, coins=[0])
    assert fight(made, orders(0, "1>2 2", "1>2 1")) == [["repeated"], []]


def test_one_army_stays() -> None:
    made = world({2: 0, 8: 1}, {2: 1}, coins=[0])
    assert fight(made, orders(0, "2>1 1")) == [["frozen"], []]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (orders(0, "3>4 1"), "not_owned"),
        (orders(0, "8>7 1"), "not_owned"),
        (orders(0, "2>4 1"), "not_adjacent"),
        (orders(0, "2>2 1"), "not_adjacent"),
        (orders(0, "2>1 0"), "amount"),
        (orders(0, "2>1 -4"), "amount"),
        (orders(0, "3>8 0"), "not_owned"),
        (orders(0, "2>8 0"), "not_adjacent"),
        ("player1 place_armies 2 1", "phase"),
        ("player1 place_armies 8 0", "phase"),
    ],
)
def test_orders_are_marked_illegal_when_the_answers_are_in(text: str, code: str) -> None:
    made = world({2: 0, 8: 1}, {2: 9}, coins=[0])
    before = standing(made)
    assert fight(made, text) == [[code], []]
    assert standing(made) == before
    assert made.acts == []


def test_what_was_marked_stays_illegal_though_things_change() -> None:
    made = world({2: 0, 8: 1}, {2: 9, 1: 1}, coins=[0], hits=[5, 1])
    assert fight(made, orders(0, "2>3 8", "3>2 1")) == [["not_owned"], []]


def test_a_marked_order_keeps_its_place_in_the_queue() -> None:
    """Player 1 begins, its first order is illegal, so its second comes before player 2's."""
    made = world({1: 0, 2: 0, 7: 1, 8: 1}, {1: 3, 7: 3}, coins=[0])
    fight(made, orders(0, "1>8 1", "1>2 1"), orders(1, "7>8 1"))
    assert [act.seat for act in made.acts] == [0, 1]


def test_void_orders_do_not_reach_the_queue() -> None:
    """With the void order in the queue player 1 would go on without a coin; so there are two."""
    made = world({1: 0, 2: 0, 7: 1, 8: 1}, {1: 3, 7: 3}, coins=[1])
    codes = fight(made, "tea," + orders(0, "1>2 1"), orders(1, "7>8 1"))
    assert codes == [["syntax"], []]
    assert [act.seat for act in made.acts] == [1, 0]


def test_an_order_from_a_region_that_was_lost_is_no_fault() -> None:
    made = world({2: 0, 5: 0, 3: 1}, {2: 3, 3: 9}, coins=[1], hits=[5, 1])
    assert fight(made, orders(0, "2>1 2"), orders(1, "3>2 8")) == [["(lost)"], []]


def test_an_attack_takes_from_the_free_armies() -> None:
    """Two of five are killed, so three are free and two can go."""
    made = world({1: 0, 2: 0, 3: 1}, {2: 5, 3: 4}, coins=[1], hits=[1, 3])
    fight(made, orders(0, "2>1 4"), orders(1, "3>2 3"))
    assert made.acts == [Attacked(1, 3, 2, 3, 3, 2, False), Transferred(0, 2, 1, 2)]


def test_frozen_by_an_attack_is_no_fault() -> None:
    made = world({2: 0, 3: 1}, {2: 3, 3: 4}, coins=[1], hits=[1, 2])
    assert fight(made, orders(0, "2>1 2"), orders(1, "3>2 3")) == [["(frozen)"], []]
    assert made.armies[2] == 1


def test_losses_are_charged_to_the_free_armies_first() -> None:
    """5 arrive at 2 before the attack kills two: of its own three one is left, none can go."""
    made = world({1: 0, 2: 0, 3: 1}, {1: 6, 2: 3, 3: 4}, coins=[0, 0], hits=[1, 5])
    assert fight(made, orders(0, "1>2 5", "2>5 1"), orders(1, "3>2 3")) == [["(frozen)"], []]
    assert made.armies[2] == 6


def test_a_target_that_changed_hands_decides_what_an_order_is() -> None:
    """Ordered as an attack on 3; when its turn comes 3 is already taken: a transfer."""
    made = world({2: 0, 4: 0, 8: 1}, {2: 5, 4: 5}, coins=[0, 0], hits=[2, 1])
    fight(made, orders(0, "2>3 4", "4>3 4"))
    assert isinstance(made.acts[1], Transferred)
    assert standing(made)[3] == (0, 7)


def test_a_transfer_into_a_region_that_was_lost_attacks() -> None:
    made = world({1: 0, 2: 0, 3: 1}, {1: 5, 2: 2, 3: 5}, coins=[1], hits=[2, 1, 2, 2])
    fight(made, orders(0, "1>2 4"), orders(1, "3>2 4"))
    assert [act.seat for act in made.acts if isinstance(act, Attacked)] == [1, 0]


def test_dice_are_thrown_for_attackers_then_defenders() -> None:
    made, asked = world({2: 0, 8: 1}, {2: 10, 3: 6}, coins=[0]), []

    class Dice(Said):
        """Notes what it is asked."""

        def hits(self, tries: int, p: int) -> int:
            asked.append((tries, p))
            return 0

    made.chance["combat"] = Dice([])
    fight(made, orders(0, "2>3 9"))
    assert asked == [(9, 600), (6, 700)]


# -- who sees what -------------------------------------------------------------------------


def seen_by(made: WarlightWorld, seat: int) -> list[tuple[int, int]]:
    return [
        (act.source, act.target)
        for act in made.witnessed[seat]
        if isinstance(act, Attacked | Transferred)
    ]


def test_moves_out_of_sight_are_not_witnessed() -> None:
    made = world({1: 0, 2: 0, 8: 1}, {1: 5}, coins=[0])
    fight(made, orders(0, "1>2 3"))
    assert seen_by(made, 1) == []


@pytest.mark.parametrize(
    ("watcher", "seen"),
    [
        (8, []),  # sees 7 and 8
        (7, [(5, 6)]),  # sees 6, the target
        (4, [(5, 6)]),  # sees 5, the source
        (2, [(5, 6)]),
        (3, []),  # sees 2 and 4
    ],
)
def test_an_end_in_sight_shows_the_whole_move(watcher: int, seen: list[tuple[int, int]]) -> None:
    made = world({5: 0, 6: 0, watcher: 1}, {5: 3}, coins=[0])
    fight(made, orders(0, "5>6 2"))
    assert seen_by(made, 1) == seen


def test_the_loser_of_a_region_is_told_though_it_sees_nothing_there_any_more() -> None:
    """7 was the only region of player 2 near 6 and 7; it sees neither end afterwards."""
    made = world({6: 0, 7: 1, 1: 1}, {6: 9}, coins=[0], hits=[5, 1])
    fight(made, orders(0, "6>7 8"))
    assert made.sight[1].count[6] == made.sight[1].count[7] == 0
    assert seen_by(made, 1) == [(6, 7)]


def test_what_is_seen_is_judged_right_after_the_move() -> None:
    """Player 2 takes 7 first and then sees 6 when player 1 moves from 6 to 5."""
    early = world({5: 0, 6: 0, 8: 1}, {6: 3, 8: 5}, coins=[1], hits=[2, 1])
    fight(early, orders(0, "6>5 2"), orders(1, "8>7 4"))
    assert seen_by(early, 1) == [(6, 5)]
    late = world({5: 0, 6: 0, 8: 1}, {6: 3, 8: 5}, coins=[0], hits=[2, 1])
    fight(late, orders(0, "6>5 2"), orders(1, "8>7 4"))
    assert seen_by(late, 1) == []


def test_no_seat_is_told_of_own_or_illegal_moves() -> None:
    made = world({2: 0, 3: 1}, {2: 5, 3: 5}, coins=[0], hits=[])
    fight(made, orders(0, "2>2 3", "2>8 1"), orders(1, "3>3 1"))
    assert made.witnessed == ([], [])
