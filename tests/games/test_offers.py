"""What clicks mean in all games: whatever is offered makes orders that the rules take."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core import Draft, Setup, Stream, Table, find_game
from arena.core.offers import Offer, follow
from arena.core.registry import GAMES
from arena.core.replies import Answer
from arena.core.settings import parse
from arena.core.steps import Ask
from arena.core.view import find_view
from arena.players.human import Helper

EXCHANGES = 14
SMALL = {
    "codecharacter": {
        "map_size": 8, "base_tiles": "1,1,6,6", "num_soldiers": 3, "money_start": 2000,
    },
    "tncc": {"gold_for_war": 100, "start": "600,800,800,60,150"},
}  # fmt: skip


def table_of(name: str, seats: int = 2, **changes: Any) -> Table[Any]:
    game = find_game(name)
    settings = parse(game.settings, {**SMALL.get(name, {}), **changes})
    return Table(game, Setup("7", seats, settings))


def offered(table: Table[Any], ask: Ask, held: str, picks: Sequence[str]) -> Offer:
    """What a person can pick next. All of these must have been offered."""
    say = table.game.offers
    assert say
    offer, taken = follow(lambda picks: say(table.world, ask, held, picks), picks)
    assert taken == list(picks)
    return offer


def walk(table: Table[Any], ask: Ask, held: str, stream: Stream) -> Offer:
    """Pick at random until an order is complete, or nothing is offered."""
    picks: list[str] = []
    while True:
        offer = offered(table, ask, held, picks)
        choices = [*offer.places, *(word.pick for word in offer.words)]
        if offer.number:
            choices += map(str, offer.number)
        if offer.order or not choices:
            return offer
        assert offer.text.endswith((".", "?"))
        picks.append(stream.choice(choices))


def compose(table: Table[Any], ask: Ask, stream: Stream) -> str:
    """Up to four orders, held together; each of them is legal beside the others."""
    held: list[str] = []
    for _ in range(4):
        offer = walk(table, ask, ", ".join(held), stream)
        if not offer.order:
            break
        if offer.alone:
            return offer.order
        held.append(offer.order)
    return ", ".join(held) or "No moves"


@pytest.mark.parametrize("name", GAMES)
def test_whatever_is_picked_is_legal(name: str) -> None:
    table, stream, verbs = table_of(name), Stream("picks", name), set[str]()
    view = find_view(table.game)
    assert view
    assert view.signs
    for _ in range(EXCHANGES):
        texts = {ask: compose(table, ask, stream) for ask in table.asked}
        for ask, text in texts.items():
            assert Helper(table, ask.seat).trial(text).problems == (), text
            for sign in view.signs(table.world, ask, text):
                assert all(sign.places)
            verbs |= {word for order in text.split(",") for word in order.split() if len(word) > 2}
        for ask, text in texts.items():
            table.answer(ask.seat, Answer(text))
        if table.outcome:
            table = table_of(name)
    assert len(verbs - {"moves", "player1", "player2"}) >= VERBS[name]


# Every legal answer can be reached, and whatever is reached is legal.

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in GAMES),
    ("warlight", {"max_orders": 2}),
    ("toroid", {"unfriendly_transfer": "on", "max_resident_units": 10, "visibility": "all"}),
    ("codecharacter", {"tower_cap_rule": "final", "max_towers": 2}),
]
PIECES = st.integers(0, 10**6)


def position(name: str, changes: dict[str, Any], seed: int) -> Table[Any]:
    """A table somewhere in a match between players that answer at random."""
    stream, seats = Stream(f"{seed}", "position"), find_game(name).seats
    table = table_of(name, stream.choice(seats[:3]), **changes)
    for _ in range(stream.below(30)):
        before = table.copy()
        table.answer_all(
            tuple(Answer(table.game.random_answer(table.world, a, stream)) for a in table.asked)
        )
        if table.outcome:
            return before
    return table


@pytest.mark.parametrize(("name", "changes"), VARIANTS)
@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=PIECES)
def test_whatever_a_draft_comes_to_is_legal(name: str, changes: dict[str, Any], seed: int) -> None:
    table, stream = position(name, changes, seed), Stream(f"{seed}", "draft")
    for ask in table.asked:
        text = table.draft(ask.seat).random_answer(stream)
        assert table.try_answer(ask.seat, text).problems == (), text


@pytest.mark.dear_for("hextrategic-*", "codecharacter-*")
@pytest.mark.parametrize(("name", "changes"), VARIANTS)
@settings(max_examples=12, deadline=None, derandomize=True)
@given(seed=PIECES)
def test_every_legal_answer_can_be_reached(name: str, changes: dict[str, Any], seed: int) -> None:
    """Those of a game's own sampler, which knows nothing of offers, and others near them."""
    table, stream = position(name, changes, seed), Stream(f"{seed}", "answer")
    for ask in table.asked:
        text = table.game.random_answer(table.world, ask, stream)
        near = re.sub(r"\d+", lambda found: str(stream.below(int(found[0][:6]) + 2)), text)
        draft = table.draft(ask.seat)
        for answer in (text, near):
            if table.try_answer(ask.seat, answer).legal:
                missing = left_over(draft, [piece.strip() for piece in answer.split(",")])
                assert all(is_idle(table, one) for one in missing), (answer, missing)


def left_over(draft: Draft, orders: list[str]) -> list[str]:
    """Those of the orders to which no picks lead, in whatever sequence they are given."""
    for order in orders:
        after = draft if order == draft.answer else lead(draft, order, 0)
        if after is not None:
            return left_over(after, [one for one in orders if one is not order])
    return orders


def lead(draft: Draft, order: str, depth: int) -> Draft | None:
    """The draft after picks that make exactly this order."""
    offer = draft.offer
    told = [number for word in order.split() for number in thousands(word)]
    if offer.number:  # for more than there is, the rules take what there is
        told += [offer.number.most] if "armies" in order or "attack/" in order else []
    named = [*(word.pick for word in offer.words), *offer.places]
    if "exact" in named and order.startswith("move"):
        named = ["exact"]  # which all places are: it saves trying each tile
    for pick in (*named, *map(str, told)):
        if depth > 9 or not offer.takes(pick):
            continue
        after = draft.pick(pick)
        if after.held == draft.held and not after.done:
            found = lead(after, order, depth + 1)
        else:
            made = after.held.removeprefix(draft.held).removeprefix(", ")
            found = after if spelled(made) in (spelled(order), cut(order, offer)) else None
        if found is not None:
            return found
    return None


def cut(order: str, offer: Offer) -> str:
    """An order of Warlight for no more armies than are offered."""
    head, _, number = order.rpartition(" ")
    most = offer.number.most if offer.number else 0
    return f"{head} {most}" if number.isdigit() and int(number) > most else order


def spelled(order: str) -> str:
    """The order with its numbers in one spelling: ``7.50`` and ``7.5`` are the same."""
    return re.sub(r"(\.[0-9]*?)0+(?![0-9])", r"\1", order).replace(". ", " ").rstrip(".")


def thousands(word: str) -> tuple[int, int]:
    """The number in a word as it is, and in thousandths."""
    number = Decimal(word) if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", word) else Decimal(0)
    return abs(int(number)), abs(int(number * 1000))


def is_idle(table: Table[Any], order: str) -> bool:
    """Whether the order changes nothing."""
    match order.split():
        case ["stop", cell]:
            return bool(table.world.auto[int(cell)] < 0)
    return order == "No moves"


VERBS = {"warlight": 2, "toroid": 4, "hextrategic": 3, "tncc": 4, "codecharacter": 4}
"""So many different words at least are said."""


@pytest.mark.parametrize("name", GAMES)
def test_what_is_typed_does_no_harm(name: str) -> None:
    table = table_of(name)
    for held in ("tea", ",,,", "move 9999 x", "place_armies", "attack left -1 " * 50, "\x00"):
        assert offered(table, table.asked[0], held, []).text
        view = find_view(table.game)
        assert view
        assert view.signs
        list(view.signs(table.world, table.asked[0], held))


def say(name: str, *clicks: str, held: str = "", seat: int | None = None, **changes: Any) -> str:
    """The order that the first request makes of these picks."""
    table = table_of(name, **changes)
    ask = next(ask for ask in table.asked if seat in (None, ask.seat))
    return offered(table, ask, held, clicks).order


def test_a_turn_of_warlight() -> None:
    table = table_of("warlight")
    while table.asked[0].head == "pick_starting_region":
        ask = table.asked[0]
        region = offered(table, ask, "", []).places[0]
        table.answer(ask.seat, Answer(offered(table, ask, "", [region]).order))
    ask, name = table.asked[0], "player1"
    own = offered(table, ask, "", []).places
    assert offered(table, ask, "", [own[0]]).number == (1, 5, 5)
    placed = offered(table, ask, "", [own[0], "3"]).order
    assert placed == f"{name} place_armies {own[0]} 3"
    assert offered(table, ask, placed, [own[0]]).number == (1, 2, 2)
    full = f"{placed}, {name} place_armies {own[0]} 2"
    assert offered(table, ask, full, []) == Offer("All 5 armies are placed: end the turn.")
    table.answer(0, Answer(full))
    table.answer(1, Answer("No moves"))
    ask = table.asked[0]
    near = offered(table, ask, "", [own[0]]).places
    assert offered(table, ask, "", [own[0], near[0]]).number == (1, 6, 6)
    moved = offered(table, ask, "", [own[0], near[0], "6"]).order
    assert moved == f"{name} attack/transfer {own[0]} {near[0]} 6"
    assert own[0] not in offered(table, ask, moved, []).places


def test_auto_moves_of_hextrategic_begin_and_stop() -> None:
    table = table_of("hextrategic")
    ask = table.asked[0]
    (home,) = offered(table, ask, "", []).places
    near = offered(table, ask, "", [home]).places[0]
    assert offered(table, ask, "", [home, near]).number == (1, 10, 10)
    assert offered(table, ask, f"move {home} {near} 4", [home, near]).number == (1, 6, 6)
    assert offered(table, ask, f"move {home} {near} 10", [home, near]).number is None
    auto = offered(table, ask, "", [home, near, "auto"]).order
    assert auto == f"auto {home} {near}"
    assert not offered(table, ask, "", [home]).words
    assert offered(table, ask, auto, [home, "stop"]).order == f"stop {home}"


def test_deals_of_tncc() -> None:
    assert say("tncc", "wait") == "wait"
    assert say("tncc", "recruit", "30") == "recruit 30"
    assert say("tncc", "home", "30") == "recruit -30"
    trade = say("tncc", "player2", "trade", "gold", "100", "food", "50")
    assert trade == "trade player2 gold 100 food 50"
    assert (
        say("tncc", "player2", "trade", "food", "0", "gold", "1") == "trade player2 food 0 gold 1"
    )
    assert say("tncc", "player2", "war", "20", "0", "40") == "war player2 20 0 40"


def test_the_other_side_of_tncc_agrees_and_defends() -> None:
    table = table_of("tncc")
    table.answer(0, Answer("trade player2 gold 100 food 50"))
    ask = table.asked[0]
    assert offered(table, ask, "", []).text == "player1 gives you 100 gold and wants 50 food."
    assert offered(table, ask, "", ["no"]).order == "no"
    table.answer(1, Answer("yes"))
    table.answer(1, Answer("war player1 60 0 0"))
    ask = table.asked[0]
    assert offered(table, ask, "", ["10", "20"]).number == (0, 30, 30)
    assert offered(table, ask, "", ["10", "20", "30"]).order == "10 20 30"


@pytest.mark.parametrize("seat", [0, 1])
def test_soldiers_and_towers_of_codecharacter(seat: int) -> None:
    """Both seats have their base in the upper left."""

    def said(*clicks: str, held: str = "") -> str:
        return say("codecharacter", *clicks, held=held, seat=seat)

    first, base = 3 * seat, 6 + seat
    assert said("1,1", f"soldier {first}", "2,3") == f"move {first} 125 175"
    everyone = ", ".join(f"move {first + i} 125 175" for i in range(3))
    assert said("everyone", "2,3") == said("1,1", "soldiers", "2,3") == everyone
    rest = said("everyone", "0,0", held=f"attack {first} {3 - first}")
    assert rest == f"move {first + 1} 25 25, move {first + 2} 25 25"
    assert said("1,1", f"soldier {first}", "6,6", str(3 - first)) == f"attack {first} {3 - first}"
    assert said("1,1", f"soldier {first}", "6,6", "walk") == f"move {first} 325 325"
    assert said("1,1", "upgrade") == f"upgrade {base}"
    assert said("2,2") == "build 2 2"


def test_an_action_of_toroid() -> None:
    table = table_of("toroid", unfriendly_transfer="on")
    ask = table.asked[0]
    country = int(ask.tail)
    left, right = (str((country + step) % 10) for step in (-1, 1))
    assert offered(table, ask, "", ["build"]).order == "build"
    assert offered(table, ask, "", ["No moves"]).order == "No moves"
    for side, place in (("left", left), ("right", right)):
        if table.world.owner[int(place)] != ask.seat:
            assert offered(table, ask, "", [place, "scout"]).order == f"scout {side}"
            assert offered(table, ask, "", [place, "1"]).order == f"attack {side} 1"
            assert offered(table, ask, "", [place, "transfer", "1"]).order == f"transfer {side} 1"
        elif offered(table, ask, "", [place]).number:
            assert offered(table, ask, "", [place, "1"]).order == f"transfer {side} 1"
