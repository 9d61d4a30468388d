"""What the digests of a match go over."""

from __future__ import annotations

from msgspec.structs import replace

from arena.core.clock import Clock
from arena.core.replies import Answer, Silence, Why
from arena.record.format import FORMAT, Chain, Header, digested, said

HEADER = Header(FORMAT, "nim", 1, "7", {}, ["a"])


def digest(*replies: tuple[int, Answer | Silence, int | None]) -> str:
    chain = Chain(HEADER)
    for reply in replies:
        chain.add(said(*reply))
    return chain.hexdigest()


def test_the_digest_goes_over_seats_words_and_counts() -> None:
    a = Answer("a")
    digests = {
        digest((0, a, None)),
        digest((1, a, None)),
        digest((0, Answer("b"), None)),
        digest((0, Silence(Why.LATE), None)),
        digest((0, Silence(Why.DEAD), None)),
        digest((0, Answer("(late)"), None)),
        digest((0, Answer("late"), None)),
        digest((0, a, 0)),
        digest((0, a, 1)),
    }
    assert len(digests) == 9


def test_the_clock_is_no_part_of_the_digest() -> None:
    assert digested(replace(HEADER, clock=Clock.CPU)) == digested(HEADER)
    assert digested(replace(HEADER, untimed=[0])) == digested(HEADER)
    assert Chain(replace(HEADER, clock=Clock.CPU)).hexdigest() == Chain(HEADER).hexdigest()


def test_the_digest_goes_over_the_header_and_every_step() -> None:
    other = Chain(replace(HEADER, seed="8"))
    assert other.hexdigest() != Chain(HEADER).hexdigest()
    before = other.hexdigest()
    assert other.hexdigest() == before
    other.add(b"x")
    assert other.hexdigest() != before
