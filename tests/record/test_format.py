"""The lines of a record: what stands in them, and what cannot."""

from __future__ import annotations

import json
from typing import get_args

import msgspec
import pytest

from arena.core.replies import Answer, Cost, Silence, TimedReply, Why
from arena.core.tally import SeatTotals, Tally
from arena.record.format import (
    Answered,
    ProtocolFault,
    Record,
    encode,
    player_totals,
    reply_record,
    same_kind,
)

FULL = Cost(1_500_000, 2_000_001, 3, 4, 5, 6)


def test_a_reply_as_its_line() -> None:
    line = encode(reply_record(1, TimedReply(Answer("x"), FULL), 1000))
    assert line == (
        b'{"type":"answer","seat":1,"text":"x","bank":1000,"ms":1.5,"wall_ms":2.000001,'
        b'"cpu_ms":3e-6,"delay_ms":4e-6,"instructions":5,"held_up_ms":6e-6}'
    )
    late = encode(reply_record(0, TimedReply(Silence(Why.LATE), Cost(7, 7)), 0))
    assert late == b'{"type":"silence","seat":0,"why":"late","bank":0,"ms":7e-6}'


@pytest.mark.parametrize("reply", [Answer(""), Silence(Why.ABSENT)])
@pytest.mark.parametrize("cost", [FULL, Cost(0, 0), Cost(8, 9, 0, 0)])
def test_a_reply_and_its_cost_come_back(reply: Answer | Silence, cost: Cost) -> None:
    record = reply_record(0, TimedReply(reply, cost), 1)
    assert record.reply == reply
    assert record.cost == cost


def test_totals_as_their_line() -> None:
    tally = Tally(counted=True)
    tally.costs += [FULL, Cost(500_000, None, 10**6, 2 * 10**6, 9)]
    tally.count_fault("bid", "x", 1, 3)
    line = encode(player_totals(SeatTotals(2, "cpu", tally, 1.5, 4096, 2.5)))
    assert msgspec.json.decode(line) == {
        "type": "player",
        "seat": 2,
        "stopped": "cpu",
        "faults": {"bid": 3},
        "requests": 2,
        "total_ms": 2.0,
        "max_ms": 1.5,
        "cpu_ms": 1.5,
        "peak_memory": 4096,
        "delay_ms": 2.000004,
        "thought_ms": 1.000003,
        "pondered_ms": 2.5,
        "instructions": 14,
        "max_instructions": 9,
        "held_up_ms": 6e-6,
    }
    empty = encode(player_totals(SeatTotals(0, None, Tally(), None, None, None)))
    assert empty == (
        b'{"type":"player","seat":0,"stopped":null,"faults":{},"requests":0,"total_ms":0.0,'
        b'"max_ms":0.0,"cpu_ms":null,"peak_memory":null}'
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ms", 1e308),
        ("ms", -1e308),
        ("wall_ms", 2e12),
        ("cpu_ms", "1"),
        ("delay_ms", -2e12),
        ("instructions", -1),
        ("instructions", 1.5),
        ("bank", 10**20),
        ("seat", -(10**20)),
        ("text", None),
        ("unknown", 1),
    ],
)
def test_what_no_reply_can_have_is_refused(field: str, value: object) -> None:
    line = {"type": "answer", "seat": 0, "text": "x", "bank": 1, "ms": 1.5, field: value}
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(json.dumps(line), type=Answered)


def test_the_largest_numbers() -> None:
    line = {"type": "answer", "seat": 0, "text": "x", "bank": 1, "ms": 1e12, "instructions": 2**53}
    assert msgspec.json.decode(json.dumps(line), type=Answered).instructions == 2**53
    fault = {"type": "fault", "seat": 0, "code": "x", "detail": "", "count": 2**53, "fault": True}
    assert msgspec.json.decode(json.dumps(fault), type=ProtocolFault).count == 2**53
    for kind, wrong in (
        (Answered, line | {"instructions": 2**53 + 1}),
        (Answered, line | {"bank": 2**53 + 1}),
        (Answered, line | {"bank": -(2**53) - 1}),
        (ProtocolFault, fault | {"count": 2**53 + 1}),
        (ProtocolFault, fault | {"count": 0}),
    ):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(json.dumps(wrong), type=kind)


@pytest.mark.parametrize("kind", get_args(Record))
def test_only_the_steps_of_scripts_take_unknown_keys(kind: type[msgspec.Struct]) -> None:
    """And those are compared with the bytes that the rules give."""
    strict = kind.__struct_config__.forbid_unknown_fields
    assert strict != (kind.__module__ == "arena.core.steps")


def test_the_sum_of_breaches_is_over_those_of_a_kind() -> None:
    one = ProtocolFault(0, "late", "x", 1, True)
    assert same_kind(one, ProtocolFault(0, "late", "y", 7, True))
    for other in (
        ProtocolFault(1, "late", "x", 1, True),
        ProtocolFault(0, "excess", "x", 1, True),
        ProtocolFault(0, "late", "x", 1, False),
    ):
        assert not same_kind(one, other)
