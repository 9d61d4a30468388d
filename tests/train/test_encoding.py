"""Arrays say what the lines say, and masks what the rules say, in random matches of every game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arena.core import ArrayLayout, Stream, game_names
from arena.core.arrays import TEXT_ROWS
from arena.train.episode import EpisodePlan, TableEpisode
from arena.train.spaces import END, ActionTable, Coder, Writer
from tests.train import GAMES, LIBRARY, QUICK

ENCODED_REQUESTS = 40
MORE_SEATS = (("toroid", 4), ("tncc", 3), ("hextrategic", 3))


def lines_of(lines: list[str], *begin: str) -> list[str]:
    """The words of the last line that begins so."""
    found = [line.split() for line in lines if line.split()[: len(begin)] == list(begin)]
    return found[-1][len(begin) :] if found else []


def decoded_owned(layout: ArrayLayout, rows: Any, seat: int) -> Any:
    """Place, owner and count of each place that is seen."""
    seats = layout.columns.index("neutral")
    owners = [f"player{(seat + i) % seats + 1}" for i in range(seats)] + ["neutral"]
    return {
        (place, owners[int(row[: seats + 1].argmax())], int(row[seats + 1]))
        for place, row in zip(layout.places, rows, strict=True)
        if row[: seats + 1].any()
    }


def told_owned(lines: list[str], seat: int) -> Any:
    words = lines_of(lines, "update_map")
    triples = zip(words[::3], words[1::3], map(int, words[2::3]), strict=True)
    return {
        (place, "neutral" if owner.startswith("neutral") else owner, max(0, count))
        for place, owner, count in triples
    }


def decoded_countries(layout: ArrayLayout, rows: Any, seat: int) -> Any:
    assert [row[0] for row in rows] == [float(i == seat) for i in range(len(rows))]
    return [[f"{number:g}" for number in row[2:8]] for row in rows]


def told_countries(lines: list[str], seat: int) -> Any:
    words = lines_of(lines, "update_map")
    parts = [words[at : at + 7] for at in range(0, len(words), 7)]
    return [[*part[1:6], f"{int(part[6] == 'alive')}"] for part in parts]


def decoded_tiles(layout: ArrayLayout, rows: Any, seat: int) -> Any:
    sums = {name: float(rows[:, at].sum()) for at, name in enumerate(layout.columns)}
    letters = {(0, 0): ".", (1, 0): "m", (0, 1): "e", (1, 1): "b"}
    land = "".join(letters[int(row[8]), int(row[9])] for row in rows)
    return sums["soldiers"], sums["enemies"], sums["hp"] + sums["enemy hp"], land


def told_tiles(lines: list[str], seat: int) -> Any:
    words = lines_of(lines, "update_map", "soldiers")
    soldiers = [words[at : at + 7] for at in range(0, len(words), 7)]
    alive = [one for one in soldiers if one[5] != "dead"]
    mine = Counter(one[1] == f"player{seat + 1}" for one in alive)
    land = "".join(lines_of(lines, "update_map", "territory"))
    return mine[True], mine[False], sum(float(one[4]) for one in alive), land


def decoded_codes(layout: ArrayLayout, rows: Any, seat: int) -> Any:
    return bytes(rows[:, 0].astype(np.uint8)).rstrip(b"\0").decode()


def told_codes(lines: list[str], seat: int) -> Any:
    return "".join(f"{line}\n" for line in lines)[-TEXT_ROWS:]


Pair = tuple[Callable[[ArrayLayout, Any, int], Any], Callable[[list[str], int], Any]]
OWNED: Pair = decoded_owned, told_owned
DECODERS: dict[str, Pair] = {
    "toroid": OWNED,
    "warlight": OWNED,
    "hextrategic": OWNED,
    "tncc": (decoded_countries, told_countries),
    "codecharacter": (decoded_tiles, told_tiles),
    **dict.fromkeys(LIBRARY, (decoded_codes, told_codes)),
}


def plan_of(name: str, seats: int = 2) -> EpisodePlan:
    return EpisodePlan.of(name, {"settings": QUICK.get(name, {}), "seats": seats})


@pytest.mark.dear_for("openspiel:*")
@pytest.mark.parametrize(("name", "seats"), [*((name, 2) for name in DECODERS), *MORE_SEATS])
def test_arrays_say_what_the_lines_say(name: str, seats: int) -> None:
    """And encoders, which change their arrays in place, forget nothing of them and keep nothing."""
    plan, stream = plan_of(name, seats=seats), Stream("1", name)
    layout, (decode, tell) = plan.layout, DECODERS[name]
    coder, asked, match = Coder(layout, ActionTable(layout, 11)), 0, 0
    while asked < ENCODED_REQUESTS:
        match += 1
        episode = TableEpisode(plan, f"{match}", encode=True)
        while episode.ask is not None and asked < ENCODED_REQUESTS:
            seat, lines = episode.ask.seat, episode.table.lines(episode.ask.seat)
            rows = coder.told(episode.encoders[seat]).cells[:, :-2]
            assert decode(layout, rows, seat) == tell(lines, seat)
            fresh = plan.arrays.encoder(plan.setup(""), seat)
            for line in lines:
                fresh.hear(line)
            assert np.array_equal(coder.told(fresh).cells[:, :-2], rows)
            assert list(fresh.scalars()) == list(episode.encoders[seat].scalars())
            world = episode.table.world
            episode.answer(plan.game.random_answer(world, episode.ask, stream))
            asked += 1


def test_every_game_of_ours_is_decoded() -> None:
    assert set(GAMES) == {name for name in game_names() if ":" not in name} & set(DECODERS)


@pytest.mark.dear_for("openspiel:*")
@pytest.mark.parametrize("name", DECODERS)
def test_masks_say_what_the_rules_say(name: str) -> None:
    """A mask has what is offered, and what is made of it is legal. (That whatever is legal is
    offered, `tests.games.test_offers` says.)"""
    plan, stream, tried, match = plan_of(name), Stream("2", name), 0, 0
    actions = ActionTable(plan.layout, 11)
    while tried < ENCODED_REQUESTS // 2:
        match += 1
        episode = TableEpisode(plan, f"{match}")
        while episode.ask is not None and tried < ENCODED_REQUESTS // 2:
            seat, table = episode.ask.seat, episode.table
            writer = Writer(table, seat, actions)
            while writer.answer is None:
                draft, picks = writer._draft, dict(writer.picks)
                assert (END in picks) == (draft.answer is not None)
                mask = actions.mask(picks)
                assert list(np.flatnonzero(mask)) == sorted(picks)
                offered = [*draft.offer.places, *(word.pick for word in draft.offer.words)]
                named = [picks[at] for at in picks if 0 < at < actions.size - 11]
                assert sorted(named) == sorted(set(offered))
                numbers = [int(picks[at]) for at in picks if at >= actions.size - 11]
                assert all(draft.offer.takes(f"{one}") for one in numbers)
                if number := draft.offer.number:
                    assert {numbers[0], numbers[-1]} == {number.least, number.most}
                end = END in picks and stream.below(3) == 0
                writer.act(END if end else stream.choice(list(picks)))
            assert table.try_answer(seat, writer.answer).problems == (), writer.answer
            episode.answer(writer.answer)
            tried += 1


def test_an_amount_for_each_number_of_a_short_range() -> None:
    actions = ActionTable(ArrayLayout((), (), ()), 5)
    assert actions.size == 6
    assert [actions.meaning(at) for at in (0, 1, 5)] == [
        "end",
        "0 of 4 parts of the range",
        "4 of 4 parts of the range",
    ]
