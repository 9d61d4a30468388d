"""What a page shows in the view of a seat follows from what the seat was told.

Every game with a `view.py` is tested in two ways. Wherever two worlds are told alike to a seat, its
view of both must be the same: so nothing in it can come from elsewhere. And for our games a small
reader of the told lines gives the numbers anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import pytest

from arena.core.game import AnyGame, Setup
from arena.core.registry import find_game, game_names, installed_game
from arena.core.replies import Answer, Reply, Silence, Why
from arena.core.rng import Stream
from arena.core.settings import parse
from arena.core.steps import Ask, Frame, Script, Show, Tell
from arena.core.table import Table
from arena.core.view import find_view

SMALL: Mapping[str, Mapping[str, Any]] = {
    "hextrategic": {"radius": 2, "income": [0, 0, 0, 0], "max_missed": 1, "max_rounds": 12},
    "codecharacter": {
        "map_size": 12, "num_soldiers": 4, "base_tiles": (1, 1, 10, 10), "num_turns": 12,
        "soldier_speed": 200, "tower_hp": (100, 100, 100), "respawn_turns": 2,
    },
}  # fmt: skip
"""Settings under which much happens in a few rounds."""
EXCHANGES = 10
"""So many times all are asked at once; games in which one is asked after the other take more."""
MOST_SEATS = 3
"""More take more time and show nothing new; with two, little is hidden in some games."""

See: TypeAlias = Callable[[Any, int, Frame], Frame]
Answerer: TypeAlias = Callable[[Table[Any], Ask], Reply]


def cases(names: Mapping[str, object] | None = None) -> Iterator[Any]:
    """Every game (of these) with a view."""
    for game in map(installed_game, game_names()):
        if game is None or (names is not None and game.name not in names):
            continue
        if find_view(game):
            yield pytest.param(game, seats_of(game), id=game.name)


def seats_of(game: AnyGame) -> int:
    """How many play in these tests."""
    return max([seats for seats in game.seats if seats <= MOST_SEATS], default=game.seats[0])


def see(game: AnyGame) -> See:
    """What a seat sees of a frame."""
    view = find_view(game)
    assert view
    return view.seen or (lambda world, seat, frame: frame)


# -- a match that is watched -----------------------------------------------------------------


@dataclass
class Span:
    """All from some replies to the next requests."""

    told: list[list[str]]
    """The lines of each seat, its requests included."""
    shown: list[bytes] = field(default_factory=list)
    """Each frame of spectators, as JSON."""
    seen: list[list[bytes]] = field(default_factory=list)
    """For each frame what each seat sees of it, as JSON."""

    def extend(self, more: Span) -> None:
        """What has happened next, too."""
        for lines, others in zip(self.told, more.told, strict=True):
            lines += others
        self.shown += more.shown
        self.seen += more.seen


class Watched:
    """A table that takes down what each seat sees at the moment of each frame."""

    def __init__(self, game: AnyGame, see: See, seats: int, world: Any | None = None) -> None:
        self._see, self._seats = see, seats
        self._shown: list[bytes] = []
        self._seen: list[list[bytes]] = []
        watched = replace(game, script=lambda world: self._watch(game, world))
        settings = parse(game.settings, SMALL.get(game.name, {}))
        self.table: Table[Any] = (
            Table(watched, Setup("seen", seats, settings))
            if world is None
            else Table.at(watched, world)
        )

    def _watch(self, game: AnyGame, world: Any) -> Script:
        script, replies = game.script(world), None
        while True:
            try:
                step = script.send(replies) if replies else next(script)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            if isinstance(step, Show):
                self._take(world, step.frame)
            replies = yield step

    def _take(self, world: Any, frame: Frame) -> None:
        views = [self._see(world, seat, frame) for seat in range(self._seats)]
        self._shown.append(plain(frame))
        self._seen.append([plain(one) for one in views])

    def span(self) -> Span:
        """What has happened since the last call."""
        told: list[list[str]] = [[] for _ in range(self._seats)]
        for step in self.table.take():
            if isinstance(step, Tell):
                told[step.seat].append(step.line)
        for ask in self.table.asked:
            told[ask.seat].append(ask.line(0))
        span = Span(told, self._shown, self._seen)
        self._shown, self._seen = [], []
        return span


def playing(seed: str) -> Answerer:
    """Plausible answers, and now and then one that is late."""
    stream = Stream(seed, "answers")

    def answer(table: Table[Any], ask: Ask) -> Reply:
        if stream.below(30) == 0:
            return Silence(Why.LATE)
        return Answer(table.game.random_answer(table.world, ask, stream))

    return answer


def plain(frame: Frame) -> bytes:
    """A frame as it is now."""
    return json.dumps(frame, sort_keys=True).encode()


# -- nothing but what was told ---------------------------------------------------------------


def late(table: Table[Any], ask: Ask) -> Reply:
    """No answer, for which no line need be told."""
    return Silence(Why.LATE)


@dataclass
class Replies:
    """What each seat has answered in one world, to be given again in the other."""

    more: Answerer
    """Answers what nobody has answered yet."""
    given: dict[int, list[Reply]] = field(default_factory=dict)
    used: dict[int, int] = field(default_factory=dict)

    def answer(self, table: Table[Any], ask: Ask) -> Reply:
        """The next of the seat."""
        given, used = self.given.setdefault(ask.seat, []), self.used.get(ask.seat, 0)
        self.used[ask.seat] = used + 1
        if used == len(given):
            given.append(self.more(table, ask))
        return given[used]


def play_round(watched: Watched, seat: int, own: Answerer, others: Answerer) -> Span:
    """Play until a round has been shown, and on to the next request to `seat`, to the next frame or
    to the end."""
    table, span = watched.table, watched.span()
    while table.asked and not (span.shown and any(ask.seat == seat for ask in table.asked)):
        if len(span.shown) > 1:
            break
        for ask in table.asked:
            table.answer(ask.seat, (own if ask.seat == seat else others)(table, ask))
        span.extend(watched.span())
    return span


def compare(seat: int, one: Span, other: Span) -> bool:
    """If the seat was told the same in both, it must see the first frame alike. Returns whether
    something was hidden from it."""
    if one.told[seat] != other.told[seat] or not one.shown:
        return False
    assert one.seen[0][seat] == other.seen[0][seat], f"seat {seat} sees what is hidden"
    return one.shown[0] != other.shown[0]


def ways(game: AnyGame, exchange: int) -> Iterator[tuple[bool, Answerer | None]]:
    """Ways in which a world can be another: changed where the seat cannot see it (if the game says
    how), and with others who answer otherwise."""
    if game.perturb_hidden:
        yield True, None
    yield False, late
    yield False, playing(f"elsewhere {exchange}")


def secrets(game: AnyGame, see: See, seats: int) -> int:
    """Compare the views of many pairs of worlds. Returns in how many frames of them something was
    hidden."""
    main, answer, found = Watched(game, see, seats).table, playing("main"), 0
    together = len(main.asked) > 1
    for exchange in range(EXCHANGES * (1 if together else 4)):
        everyone = range(seats) if together else [exchange // seats % seats]
        for seat in everyone:
            for perturbed, elsewhere in ways(game, exchange):
                worlds = main.world.copy(), main.world.copy()
                if perturbed and game.perturb_hidden:
                    game.perturb_hidden(worlds[1], seat, Stream("seen", str(exchange)))
                one, other = [Watched(game, see, seats, world) for world in worlds]
                found += differ(one, other, seat, exchange, elsewhere)
        for ask in main.asked:
            main.answer(ask.seat, answer(main, ask))
        if main.outcome is not None:
            break
    return found


def differ(
    one: Watched, other: Watched, seat: int, exchange: int, elsewhere: Answerer | None
) -> bool:
    """Play a round of both worlds, with the same replies but for those of `elsewhere`, and compare
    them."""
    first = Replies(playing(f"here {exchange}"))
    again = Replies(playing(f"there {exchange}"), first.given)
    ours = play_round(one, seat, first.answer, first.answer)
    theirs = play_round(other, seat, again.answer, elsewhere or again.answer)
    return compare(seat, ours, theirs)


@pytest.mark.parametrize(("game", "seats"), [*cases()])
def test_a_view_shows_nothing_that_was_not_told(game: AnyGame, seats: int) -> None:
    found = secrets(game, see(game), seats)
    view = find_view(game)
    assert view
    assert found or not view.seen, "nothing was hidden in any of these worlds: play longer"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("hextrategic", "auto"),
        ("hextrategic", "missed"),
        ("hextrategic", "owner"),
        ("codecharacter", "money"),
        ("toroid", "owner"),
        ("toroid", "units"),
        ("toroid", "countries"),
        ("toroid", "moves"),
        ("warlight", "armies"),
        ("tncc", "moves"),
    ],
)
def test_the_test_finds_a_view_that_shows_too_much(name: str, key: str) -> None:
    game = find_game(name)
    good = see(game)
    with pytest.raises(AssertionError, match="sees what is hidden"):
        secrets(
            game,
            lambda world, seat, frame: good(world, seat, frame) | {key: frame[key]},
            seats_of(game),
        )


# -- what was told, read anew ----------------------------------------------------------------


def last(lines: list[str], start: str) -> list[str]:
    """The words after the last of the lines that start so; none when there is no such line."""
    found = [line.removeprefix(start).split() for line in lines if line.startswith(start)]
    return found[-1] if found else []


def seat_of(name: str) -> int:
    """A seat by its name on the wire, -1 for the neutral."""
    return int(name.removeprefix("player")) - 1 if name.startswith("player") else -1


def chunks(words: list[str], length: int) -> list[list[str]]:
    """The words in groups."""
    return [words[start : start + length] for start in range(0, len(words), length)]


def read_hextrategic(lines: list[str], seat: int, seen: Frame) -> None:
    """The whole map, and the moves of the others; nothing for a seat that is out."""
    if seen["owner"][0] is None:
        assert {*seen["owner"], *seen["units"], *seen["auto"]} == {None}
        assert seen["moves"] == []
        return
    cells = chunks(last(lines, "update_map "), 3)
    assert seen["owner"] == [seat_of(owner) for _, owner, _ in cells]
    assert seen["units"] == [int(units) for *_, units in cells]
    told = chunks(last(lines, "opponent_moves"), 5)
    assert [move for move in seen["moves"] if move[0] != seat] == [
        [seat_of(name), *map(int, numbers)] for name, _, *numbers in told
    ]


def read_codecharacter(lines: list[str], seat: int, seen: Frame) -> None:
    """All on the map, but the orders of the enemy; the own money."""

    def turned(value: float, most: int) -> int:
        return round(most - value if seat else value)

    money = last(lines, "settings money ")
    assert seen["money"][seat] == (int(money[0]) if money else None)
    assert seen["money"][1 - seat] is None
    told = sorted(chunks(last(lines, "update_map soldiers "), 7), key=lambda one: int(one[0]))
    for soldier, (id_, owner, x, y, hp, state, immune) in zip(seen["soldiers"], told, strict=True):
        places = [turned(1000 * float(value), 12 * 50_000) for value in (x, y)]
        assert soldier[:6] == [int(id_), seat_of(owner), *places, int(hp), state]
        assert (soldier[6] > 0) == (immune == "1")
        assert soldier[8] is None or soldier[1] == seat
    told = sorted(chunks(last(lines, "update_map towers "), 7), key=lambda one: int(one[0]))
    for tower, (id_, owner, x, y, hp, level, base) in zip(seen["towers"], told, strict=True):
        places = [turned(float(value) // 50, 11) for value in (x, y)]
        assert tower == [int(id_), seat_of(owner), *places, int(hp), int(level), int(base)]
    land = "".join(last(lines, "update_map territory "))
    counts = [land.count("m") + land.count("b"), land.count("e") + land.count("b")]
    assert seen["tiles"] == counts[:: -1 if seat else 1]


def read_warlight(lines: list[str], seat: int, seen: Frame) -> None:
    """The regions in sight, and the moves of the other that were seen."""
    told = {int(region): rest for region, *rest in chunks(last(lines, "update_map "), 3)}
    regions = list(zip(seen["owner"], seen["armies"], strict=True))
    assert {region: value for region, value in enumerate(regions, 1) if value[0] is not None} == {
        region: (seat_of(owner), int(armies)) for region, (owner, armies) in told.items()
    }
    if seen["round"] > 0:
        others = [move for move in seen["moves"] if move[1] != seat]
        assert " ".join(map(warlight_words, others)) == " ".join(last(lines, "opponent_moves"))


def warlight_words(move: list[Any]) -> str:
    """A seen move as the line says it."""
    kind, seat, *numbers = move
    verb, length = ("place_armies", 2) if kind == "place" else ("attack/transfer", 3)
    return " ".join([f"player{seat + 1}", verb, *map(str, numbers[:length])])


READERS: Mapping[str, Callable[[list[str], int, Frame], None]] = {
    "hextrategic": read_hextrategic,
    "codecharacter": read_codecharacter,
    "warlight": read_warlight,
}
"""Compare what a seat sees of a frame with the lines that it was told from its last replies before
the frame to the first requests after it."""


@pytest.mark.parametrize(("game", "seats"), [*cases(READERS)])
def test_a_view_is_what_the_lines_tell(game: AnyGame, seats: int) -> None:
    watched, answer = Watched(game, see(game), seats), playing("told")
    read, views = READERS[game.name], 0
    while True:
        span = watched.span()
        for seen in span.seen:
            for seat in range(seats):
                read(span.told[seat], seat, json.loads(seen[seat]))
                views += 1
        if watched.table.outcome is not None:
            break
        for ask in watched.table.asked:
            watched.table.answer(ask.seat, answer(watched.table, ask))
    assert views > seats
