"""Requests arrive at the keeper as they left the arena."""

from __future__ import annotations

import pytest

from arena.sandbox.keeper.messages import (
    GroupLimits,
    KillRequest,
    ProcessLimits,
    Request,
    Sandbox,
    SelfWalls,
    SpawnRequest,
    decode_request,
    encode_request,
)

LIMITS = ProcessLimits(files=1, file_size=2, processes=3)
SPAWN = SpawnRequest(("a", "b c"), "/x", {"A": "1"})


@pytest.mark.parametrize(
    "request_",
    [
        SPAWN,
        SpawnRequest((), "", {}),
        SPAWN._replace(walls=SelfWalls(LIMITS, ("flock",), ("/usr", "/bin"), ("/tmp/x",))),
        SPAWN._replace(walls=Sandbox(LIMITS, (), ("bwrap", "--"))),
        SPAWN._replace(walls=Sandbox(LIMITS, ("flock",), ("bwrap",), GroupLimits(1 << 40, 5))),
        SPAWN._replace(walls=Sandbox(LIMITS, (), (), GroupLimits(None, None))),
        KillRequest(4711),
    ],
)
def test_a_request_travels_as_one_line(request_: Request) -> None:
    line = encode_request(request_)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    arrived = decode_request(line)
    assert arrived == request_
    assert type(arrived) is type(request_)
    if isinstance(arrived, SpawnRequest) and isinstance(request_, SpawnRequest):
        assert type(arrived.walls) is type(request_.walls)


def test_words_of_any_kind_arrive() -> None:
    """Line ends, quotes, and bytes of file names that are not UTF-8."""
    words = ("new\nline", '"', "naïve", b"\xff\xfe".decode(errors="surrogateescape"))
    request = SpawnRequest(words, words[-1], {"A": words[-1]})
    assert decode_request(encode_request(request)) == request


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[]",
        b'["spawn"]',
        b'["kill"]',
        b'["dance", 1]',
        b'["spawn", [], "/", {}, ["Moat", [1, 2, 3], [], []]]',
        b'["spawn", [], "/", {}, []]',
    ],
)
def test_what_is_no_request_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"not a request|no such walls|Expecting value"):
        decode_request(line)
