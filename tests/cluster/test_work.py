"""What travels, and which matches a worker may play."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from arena import __version__
from arena.cluster.work import (
    Failed,
    Parcel,
    Task,
    decode_from_judge,
    decode_from_worker,
    encode_message,
    hello,
    keeps,
    why_unfit,
)
from arena.core.clock import Clock
from arena.core.limits import Limits
from arena.core.replies import Why
from arena.errors import BotError, MachineError
from arena.match.spec import MatchSpec
from arena.players.terms import Terms, Timing
from arena.record.position import PastReply, Position
from arena.sandbox.levels import Level, SandboxMode
from arena.text import size_text
from tests.cluster.played import match_of, stored

STRONG = hello(Level.CGROUP, Level.SANDBOX)
BEHIND_WALLS = Terms(sandbox=SandboxMode.STRICT)


def test_a_parcel_of_more_than_any_bot_has_is_not_decoded() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_from_judge(encode_message(Parcel(1 << 30)))


def test_a_worker_of_this_release_is_fit() -> None:
    assert STRONG.release == __version__
    assert why_unfit(STRONG, "warlight", BEHIND_WALLS, 2) == ""


def test_O10_another_release_is_not_fit() -> None:
    assert "release 0.0.1" in why_unfit(
        replace(STRONG, release="0.0.1"), "warlight", BEHIND_WALLS, 2
    )


def test_O10_other_rules_are_not() -> None:
    older = replace(STRONG, rules={**STRONG.rules, "warlight": 0})
    assert "version 0 of the rules of warlight" in why_unfit(older, "warlight", BEHIND_WALLS, 2)
    assert "lacks the rules" in why_unfit(replace(STRONG, rules={}), "warlight", BEHIND_WALLS, 2)


def test_O10_weaker_walls_are_not() -> None:
    weak = hello(Level.GUARD, Level.OFF)
    why = why_unfit(weak, "warlight", BEHIND_WALLS, 2)
    assert why.startswith("its level is guard, but the matches need strict: arena doctor")


def test_the_memory_of_a_worker_is_compared_with_that_of_all_bots_of_a_match() -> None:
    terms = Terms(limits=Limits(memory=1 << 30))
    small = replace(STRONG, memory=(3 << 30) - 1, least=Level.OFF)
    assert why_unfit(small, "warlight", terms, 2) == ""
    why = why_unfit(small, "warlight", terms, 3)
    assert why == (
        "it has 3 GiB of memory, but the 3 bots of a match may use 3 GiB: give it more, or begin "
        "the league with a lower --memory"
    ).replace("it has 3 GiB", f"it has {size_text(small.memory)}")
    assert why_unfit(small, "warlight", Terms(limits=Limits(memory=None)), 6) == ""


def test_the_fair_clock_needs_a_worker_that_counts_waits() -> None:
    blind = replace(STRONG, counts_delay=False, least=Level.OFF)
    for clock in Clock:
        why = why_unfit(blind, "warlight", Terms(timing=Timing(clock=clock)), 2)
        assert ("begin the league with --clock cpu" in why) is (clock is Clock.FAIR)


@pytest.mark.parametrize(
    ("least", "mode", "plays"),
    [
        (Level.SANDBOX, Level.OFF, False),
        (Level.SANDBOX, SandboxMode.AUTO, True),
        (Level.SANDBOX, SandboxMode.STRICT, True),
        (Level.CGROUP, Level.OFF, False),
        (Level.OFF, Level.OFF, True),
        (Level.OFF, SandboxMode.STRICT, True),
    ],
)
def test_a_worker_plays_nothing_with_fewer_walls_than_it_was_told(
    least: Level, mode: Level | SandboxMode, plays: bool
) -> None:
    why = why_unfit(replace(STRONG, least=least), "warlight", Terms(sandbox=mode), 2)
    assert (why == "") is plays
    assert plays or why.endswith(
        "but the matches need off: if you trust all bots, start it with --sandbox off"
    )


def test_failures_travel_as_values() -> None:
    void, broken = MachineError("no room"), BotError("does not build", "line 1: no")
    again = [Failed.of(error).as_error() for error in (void, broken)]
    assert [type(error) for error in again] == [MachineError, BotError]
    assert [str(error) for error in again] == ["no room", "does not build"]
    assert getattr(again[1], "output", "") == "line 1: no"
    long = Failed.of(BotError("x" * 10**7, "y" * 10**7))
    assert decode_from_worker(encode_message(long)) == long
    with pytest.raises(msgspec.ValidationError):
        decode_from_worker(encode_message(replace(long, error="x" * 10**6)))
    with pytest.raises(msgspec.ValidationError):
        decode_from_worker(encode_message(replace(long, output="x" * 10**6)))


def test_a_match_comes_as_it_was_sent(tmp_path: Path) -> None:
    spec = stored(tmp_path, sandbox=SandboxMode.STRICT, forfeit=True, sequential=True)
    task = match_of(spec).task
    came = decode_from_judge(encode_message(task))
    assert came == task
    assert isinstance(came, Task)
    assert came.spec(spec.entrants, tmp_path) == replace(spec, replay=tmp_path)
    assert [(seat.command, seat.name) for seat in came.seats] == [("ann", "ann"), ("ben", "ben")]


def test_nothing_that_a_match_depends_on_is_left_behind() -> None:
    # A league's game is an installed one, and it has no listeners and no variables of a caller.
    here = {"entrants", "replay", "keep_files", "given_game", "listen", "pass_env"}
    travels = {*Task.__struct_fields__} - {"seats"}
    assert {*MatchSpec.__struct_fields__} - here == travels


def test_walls_that_there_are_not_cannot_be_asked_for(tmp_path: Path) -> None:
    task = match_of(stored(tmp_path)).task
    sent = encode_message(task)
    assert sent.count(b"sandbox\xa3off") == 1
    with pytest.raises(msgspec.ValidationError, match="sandbox"):
        decode_from_judge(sent.replace(b"sandbox\xa3off", b"sandbox\xa3non"))


@pytest.mark.parametrize(
    ("level", "wanted", "kept"),
    [
        (Level.SANDBOX, SandboxMode.STRICT, True),
        (Level.GUARD, SandboxMode.STRICT, False),
        (Level.OFF, SandboxMode.AUTO, True),
        (Level.OFF, Level.OFF, True),
        (Level.SANDBOX, Level.CGROUP, False),
        (Level.CGROUP, Level.SANDBOX, True),
    ],
)
def test_what_a_level_keeps(level: Level, wanted: Level | SandboxMode, kept: bool) -> None:
    assert keeps(level, wanted) is kept


def test_a_match_from_a_position_travels_with_it(tmp_path: Path) -> None:
    position = Position("tiny", 1, 2, "7", answers=("1", PastReply(silence=Why.LATE)))
    task = decode_from_judge(
        encode_message(match_of(replace(stored(tmp_path), position=position)).task)
    )
    assert isinstance(task, Task)
    assert task.position == position
    assert task.spec((), tmp_path).position == position
