"""Matches from positions, and books of them: what may be asked, and what is played."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import arena
from arena.api.conditions import Conditions
from arena.api.positions import Book, find_book, find_position, prove_book, spec_at
from arena.core.replies import Why
from arena.errors import UsageError
from arena.record.position import PastReply, Position, cut, position_line
from tests.support.past import bots, played


@pytest.fixture(scope="module")
def book() -> list[Position]:
    """Four positions of two matches of toroid."""
    return [cut(played("toroid", seed), round) for seed in (1, 2) for round in (2, 4)]


WRONG: list[tuple[Conditions, str]] = [
    ({"seed": 7}, "the seed comes with the position: leave out --seed"),
    ({"map": {}}, "the map comes with the position: leave out --map"),
    ({"settings": {"die": "x"}}, "the setting die comes with the position: only timebank and"),
    ({"settings": {"timebank": 0}}, "timebank=0 is not allowed"),
    ({"settings": 3}, "settings=3 is not allowed"),  # type: ignore[typeddict-item]  # wrong on purpose
]


@pytest.mark.parametrize(("conditions", "error"), WRONG)
def test_what_comes_with_a_position(
    book: list[Position], conditions: Conditions, error: str
) -> None:
    with pytest.raises(UsageError, match=error):
        spec_at("toroid", bots(), book[0], conditions)


def test_the_game_and_the_seats_are_those_of_the_position(book: list[Position]) -> None:
    with pytest.raises(UsageError, match="the position is one of toroid, not of warlight"):
        arena.play("warlight", bots(), position=book[0])
    with pytest.raises(UsageError, match="has 2 seats, and 1 bot is given: name 2"):
        arena.play("toroid", bots()[:1], position=book[0])


def test_a_position_is_named_by_its_line(book: list[Position], tmp_path: Path) -> None:
    file = tmp_path / "book.jsonl"
    file.write_bytes(b"".join(map(position_line, book)))
    assert find_position(f"{file}:3") == book[2]
    with pytest.raises(UsageError, match="has 4 positions: name one by its line"):
        find_position(file)
    with pytest.raises(UsageError, match="has 4 positions: give"):
        find_position(f"{file}:5")
    with pytest.raises(UsageError, match="cannot read the positions"):
        find_position(tmp_path / "none:1")


def test_each_position_is_played_once_from_all_sides(book: list[Position]) -> None:
    series = arena.series("toroid", bots(), book=book, seed=5)
    assert series.games == 8
    began = Counter[str]()
    for game, report in enumerate(series):
        assert report.position is not None
        began[report.position.sha256] += 1
        order = series.schedule[game].order
        assert [player.name for player in report.players] == [series.names[one] for one in order]
    assert sorted(began.values()) == [2, 2, 2, 2]
    orders = Counter(series.schedule[game].order for game in range(8))
    assert orders == {(0, 1): 4, (1, 0): 4}


def test_the_seed_shuffles(book: list[Position]) -> None:
    def order(seed: str) -> list[int]:
        return [Book(tuple(book), seed).index(block) for block in range(8)]

    assert order("1") == order("1")
    assert len({tuple(order(str(seed))) for seed in range(20)}) > 5
    assert sorted(order("1")[:4]) == sorted(order("1")[4:]) == [0, 1, 2, 3]


def test_all_groups_of_a_round_robin_play_the_same_positions(book: list[Position]) -> None:
    three = [*bots(), *bots()[:1]]
    series = arena.series("toroid", three, book=book, games=4, seed=5)
    begins = [(series.schedule[i].group, series.spec(i).position) for i in range(series.games)]
    by_group = {
        group: [position for one, position in begins if one == group] for group, _ in begins
    }
    assert len(by_group) == 3
    assert len({repr(positions) for positions in by_group.values()}) == 1


def test_compare_ends_with_its_book(book: list[Position]) -> None:
    comparison = arena.compare("toroid", *bots(), book=book, seed=1)
    assert comparison.series.games == 8
    assert len(list(comparison)) <= 8


BOOKS: list[tuple[dict[str, Any], str]] = [
    ({"games": 9}, "the book has 4 positions, each played from 2 sides: give at most 8"),
    ({"games": 0}, "games=0 is not allowed"),
    ({"seats": 3}, "seats=3 is not allowed: the book is for 2"),
    ({"book": []}, "there are no positions: give some"),
    ({"settings": {"die": "x"}}, "the setting die comes with the position"),
]


@pytest.mark.parametrize(("changes", "error"), BOOKS)
def test_wrong_books(book: list[Position], changes: dict[str, Any], error: str) -> None:
    with pytest.raises(UsageError, match=error):
        arena.series("toroid", bots(), **{"book": book, **changes})


def test_a_book_of_another_game(book: list[Position]) -> None:
    with pytest.raises(UsageError, match="position 1 of the book is one of toroid, not of tncc"):
        find_book(book, "tncc")
    with pytest.raises(UsageError, match="the book is for 2 seats, and 1 bot is given"):
        arena.series("toroid", bots()[:1], book=book)


def test_the_positions_of_a_book_are_proved(book: list[Position]) -> None:
    prove_book(book)
    with pytest.raises(UsageError, match="position 2 of the book: the digest of the position"):
        prove_book([book[0], replace(book[1], digest="00")])
    gone = tuple(PastReply(silence=Why.DEAD) for _ in book[1].answers)
    with pytest.raises(UsageError, match=r"position 1 of the book: the program of player\d was"):
        prove_book([replace(book[1], answers=gone, digest="", round=None)])


def test_without_a_book_the_number_of_games_is_asked_for() -> None:
    with pytest.raises(UsageError, match="games=None is not allowed"):
        arena.series("toroid", bots())
