"""The values of a league: terms, results, and what fixtures are called."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.core import Fate, Outcome, Script
from arena.core.clock import Clock
from arena.core.limits import Limits
from arena.core.registry import GAMES, find_game
from arena.core.replies import Answer, Cost, Reply, Silence, TimedReply, Violation, Why
from arena.core.rng import Stream
from arena.core.settings import parse
from arena.core.table import Table
from arena.errors import ReplayError, SettingError, UsageError
from arena.league.league import League
from arena.league.types import (
    LeagueTerms,
    block_of,
    bot_id,
    from_record,
    from_report,
    settle,
    spec_of,
)
from arena.match.play import play_match
from arena.match.spec import MatchSpec
from arena.players.inprocess import InProcessPlayer
from arena.players.player import Player, Stopped
from arena.players.terms import Terms, Timing
from arena.record.reader import Match
from arena.sandbox.levels import SandboxMode
from arena.sandbox.session import trio_run
from tests.tiny import TINY, TinyWorld


def test_a_record_tells_the_same_as_the_report(played: League) -> None:
    for one in played.results():
        result = one.result
        found = from_record(Match.read(played.record(one.fixture.number)))
        for seat, said in zip(found.seats, result.seats, strict=True):
            assert replace(seat, detail=said.detail) == said
        assert replace(found, seats=()) == replace(result, seats=())


def test_half_a_record_is_no_result(played: League) -> None:
    match = Match.read(played.folder.record(1))
    with pytest.raises(ReplayError, match="has no outcome"):
        from_record(Match(match.header, match.records[:-1]))


def test_fixtures_follow_from_league_pairing_and_meeting() -> None:
    first = block_of("1", "league", 0, ["b", "a"], 0)
    assert first == block_of("1", "league", 0, ["a", "b"], 0)
    assert [one.seats for one in first] == [("a", "b"), ("b", "a")]
    others = [
        block_of("2", "league", 0, ["a", "b"], 0),
        block_of("1", "swiss", 0, ["a", "b"], 0),
        block_of("1", "league", 0, ["a", "c"], 0),
        block_of("1", "league", 0, ["a", "b"], 1),
    ]
    blocks = {block[0].block for block in [first, *others]}
    ids = {one.id for block in [first, *others] for one in block}
    assert len(blocks) == 5
    assert {match.seed for match in first} == {""}  # the league knows it, and nobody else
    assert len(ids) == 10


def test_a_bot_is_called_by_name_and_content() -> None:
    assert len({bot_id("a", "x"), bot_id("b", "x"), bot_id("a", "y"), bot_id("ax", "")}) == 4


def test_a_league_is_strict_and_fair_unless_told_otherwise() -> None:
    terms = settle("warlight", None, {})
    assert (terms.sandbox, terms.clock, terms.seats) == ("strict", Clock.FAIR, 2)
    assert terms.mode is SandboxMode.STRICT
    assert not terms.seed  # it is drawn when the league begins
    assert settle("warlight", None, {"sandbox": "off", "clock": "cpu"}).clock is Clock.CPU


@pytest.mark.parametrize("game", ["warlight", "toroid", "hextrategic", "tncc", "codecharacter"])
def test_the_terms_give_the_same_match_again(game: str) -> None:
    terms = settle(game, None, {"seed": "7", "memory": "300M", "pondering": False})
    spec = spec_of(terms)
    assert (spec.game, spec.terms.limits.memory) == (game, 300 << 20)
    assert not spec.terms.timing.pondering
    assert settle(game, None, {"seed": "7", "settings": terms.settings}).settings == terms.settings


def test_terms_are_kept_under_the_names_of_the_first_leagues() -> None:
    kept = (
        b'{"game":"warlight","rules_version":%d,"seats":2,"seed":"7","settings":{"luck":0},'
        b'"map":null,"memory":536870912,"sandbox":"strict","clock":"wall","pondering":false,'
        b'"sequential":true,"start_up":500,"forfeit":true,"meter":"time"}'
    ) % find_game("warlight").rules_version
    terms = msgspec.json.decode(kept, type=LeagueTerms)
    assert msgspec.json.encode(terms) == kept
    assert spec_of(terms).terms == Terms(
        limits=Limits(memory=512 << 20),
        timing=Timing(Clock.WALL, pondering=False, start_up=500),
        sandbox=SandboxMode.STRICT,
        sequential=True,
        forfeit=True,
    )


def test_what_cannot_be_is_refused_at_once() -> None:
    with pytest.raises(SettingError, match="did you mean 'luck'"):
        settle("warlight", None, {"settings": {"lucky": 1}})
    with pytest.raises(UsageError, match="2"):
        settle("warlight", 3, {})


# -- the two ways to a result ----------------------------------------------------------------------


class Acting(InProcessPlayer):
    """Answers at random, until a request at which it does something else, for ever or once."""

    def __init__(self, deed: str, when: int, once: bool, seed: int) -> None:
        super().__init__("acting", lambda lines: "")
        self.deed, self.when, self.once = deed, when, once
        self.stream = Stream(str(seed), "answers")
        self.requests = 0

    def sit(self, table: Table[Any], seat: int) -> None:
        self.table, self.seat = table, seat
        if self.when == 0 and self.deed == "dies":
            self.mark_stopped(Stopped.CRASHED, "it exited with code 1")

    def poll(self) -> TimedReply:
        self.requests += 1
        due = self.requests == self.when or (self.requests > self.when and not self.once)
        if due and self.deed != "plays":
            return TimedReply(self._act(), Cost(1000))
        (ask,) = (ask for ask in self.table.asked if ask.seat == self.seat)
        answer = self.table.game.random_answer(self.table.world, ask, self.stream)
        return TimedReply(Answer(answer), Cost(1000))

    def _act(self) -> Reply:
        match self.deed:
            case "errs":
                return Answer("tea, 1 2 3, \\xff")
            case "sins":
                self.violations.append(Violation("late", "an answer came late"))
                return Answer("")
            case "is late":
                return Silence(Why.LATE)
            case "is absent":
                return Silence(Why.ABSENT)
        self.mark_stopped(Stopped.MEMORY, "used 600 MiB of 512 MiB")
        return Silence(Why.STOPPED)


class ActingEntrant:
    """Opens an `Acting` player."""

    name = command = "acting"
    is_program = untimed = False

    def __init__(self, deed: str, when: int, once: bool, seed: int) -> None:
        self.acts = deed, when, once, seed

    def __repr__(self) -> str:
        return f"ActingEntrant{self.acts}"

    @asynccontextmanager
    async def open(self, terms: object, children: object) -> AsyncIterator[Player]:
        yield Acting(*self.acts)

    def require_countable(self) -> None: ...

    def recipe(self, terms: object, keeper: object) -> None: ...


SHORT: dict[str, dict[str, int]] = {
    "warlight": {"max_rounds": 3},
    "toroid": {"normal_game_turn_per_player": 3},
    "hextrategic": {"max_rounds": 3},
    "tncc": {"max_cycles": 1},
    "codecharacter": {"num_turns": 5},
}
deeds = st.builds(
    ActingEntrant,
    st.sampled_from(["plays", "errs", "sins", "is late", "is absent", "dies"]),
    when=st.integers(0, 4),
    once=st.booleans(),
    seed=st.integers(0, 99),
)


def assert_told_alike(game: str, entrants: Sequence[ActingEntrant]) -> None:
    """Play a match, and compare its result by the report with that by the record."""
    file = io.BytesIO()
    values = parse(find_game(game).settings, SHORT.get(game, {}))
    spec = MatchSpec(game, tuple(entrants), "1", values)
    report = trio_run(lambda: play_match(spec, record=file))
    told, found = from_report(report), from_record(Match.parse(file.getvalue()))
    for mine, theirs in zip(told.seats, found.seats, strict=True):
        assert replace(mine, detail="") == replace(theirs, detail="")
    assert replace(told, seats=()) == replace(found, seats=())


@pytest.mark.parametrize("game", SHORT)
@given(entrants=st.lists(deeds, min_size=2, max_size=3))
@settings(max_examples=15, deadline=None)
def test_report_and_record_tell_the_same_result_of_any_ending(
    game: str, entrants: list[ActingEntrant]
) -> None:
    assert_told_alike(game, entrants[: max(find_game(game).seats)])


def script(world: TinyWorld) -> Script:
    """End before there is a board."""
    yield from ()
    return Outcome((1, 1), (0.5, 0.5), (Fate.SURVIVED,) * 2, "abrupt", "Nothing was played.")


ABRUPT = dataclasses.replace(TINY, name="abrupt", script=script)


def test_so_do_they_of_a_match_that_ends_before_its_board_is_set_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(GAMES, "abrupt", "tests.league.test_types:ABRUPT")
    assert_told_alike("abrupt", [ActingEntrant("plays", 0, False, seat) for seat in range(2)])
