"""The time bank: worked examples and its invariants."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given, settings

from arena.core.clock import NS_PER_MS, TimeBank, from_ms, open_bank, to_ms

MS = NS_PER_MS


def test_an_answer_is_charged_and_the_increment_added() -> None:
    bank = TimeBank(10000, 500)
    bank.spend(700 * MS)
    assert bank.left_ms == 9800


def test_a_bank_is_in_nanoseconds() -> None:
    assert TimeBank(3, 0).left == 3_000_000


def test_no_answer_leaves_the_increment() -> None:
    bank = TimeBank(10000, 500)
    bank.spend(bank.left)
    assert bank.left_ms == 500


def test_the_bank_is_never_over_full() -> None:
    bank = TimeBank(10000, 500)
    bank.spend(100 * MS)
    assert bank.left_ms == 10000


def test_the_deadline_itself_is_late() -> None:
    bank = TimeBank(1000, 0)
    assert bank.in_time(1000 * MS - 1)
    assert not bank.in_time(1000 * MS)


def test_what_is_shown_is_rounded_down() -> None:
    bank = TimeBank(1000, 0)
    bank.spend(1)
    assert bank.left_ms == 999


def test_bank_minus_one_for_ten_thousand_moves_does_not_drift() -> None:
    bank = TimeBank(1000, 100)
    for _ in range(10_000):
        assert bank.in_time(bank.left - 1 * MS)
        bank.spend(bank.left - 1 * MS)
        assert bank.left == 101 * MS


@settings(derandomize=True, deadline=None)
@given(st.integers(1, 5000), st.integers(0, 5000), st.lists(st.integers(0, 10**11), max_size=30))
def test_it_stays_between_nothing_and_full(full: int, increment: int, times: list[int]) -> None:
    bank = TimeBank(full, increment)
    for elapsed in times:
        bank.spend(elapsed)
        assert min(increment, full) * MS <= bank.left <= full * MS


def test_a_standing_bank_is_always_full() -> None:
    bank = open_bank(10000, 500, runs=False)
    bank.spend(7000 * MS)
    assert bank.left_ms == 10000
    assert type(open_bank(10000, 500, runs=True)) is TimeBank


@settings(derandomize=True, deadline=None)
@given(st.integers(0, 10**15))
def test_milliseconds_keep_every_nanosecond(ns: int) -> None:
    assert from_ms(to_ms(ns)) == ns


def test_what_is_not_known_stays_so() -> None:
    assert to_ms(None) is None
    assert from_ms(None) is None
