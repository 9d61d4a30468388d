"""The record of a match: its lines, as types.

One replay is one file of JSON lines (compressed when its name ends with ``.gz``). Each line is an
object with a ``type``:

``header``   format, game, rules version, seed, settings, map, the names of the players, the clock
``tell`` ``ask`` ``show`` ``note`` ``stop``   the steps of the script (`arena.core.steps`)
``answer`` ``silence``   the reply of a seat, with its time bank before and the times it took (ms)
``digest``   after each ``show``: the SHA-256 over everything so far except the times
``outcome``  how it ended
``fault``    a breach of the protocol that the arena noticed (it may depend on the time)
``conditions``  the walls around the bots, and what enforced the limits
``stderr``   at the end, for each seat: the end of its stderr
``drawn``    at the end, for each seat: its drawings in the replay
``player``   at the end, for each seat: totals
``seal``     the last line of a finished record: the SHA-256 over all bytes before it

A killed arena leaves a readable prefix without a seal: lines are written out whenever the arena
waits for a program, and at the end of a round every 50 ms. Nothing in a replay names a path, a host
or a user, unless a bot writes it to stderr.

Records may come from strangers: unknown keys are refused, and so are numbers that no match can
produce (`Milliseconds`, `Number`).
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from arena.core.clock import NS_PER_MS, Clock, from_ms, to_ms
from arena.core.game import AnyGame, Setup
from arena.core.registry import find_game
from arena.core.replies import Answer, Cost, Reply, Silence, TimedReply, Why
from arena.core.settings import Settings, parse
from arena.core.steps import Ask, Note, Outcome, Show, Stop, Tell
from arena.core.tally import SeatTotals
from arena.errors import ReplayError
from arena.sandbox.enforcement import Enforcement

FORMAT = 3
Milliseconds: TypeAlias = Annotated[float, Meta(ge=-1e12, le=1e12)]
"""At most 31 years. (May be negative: a CPU clock read in two ways may seem to run backwards.)"""
Number: TypeAlias = Annotated[int, Meta(ge=-(2**53), le=2**53)]
"""An integer that any program can read from JSON."""
Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**53)]


class Line(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The base of lines that only records have; the script's steps are in `arena.core.steps`."""


class Origin(Struct, frozen=True, forbid_unknown_fields=True):
    """The position from which a match was played. The record holds the whole match: the rounds
    before the position, with the answers that the position gives, and those that were played."""

    round: Number
    """The first round that was played."""
    replies: Count
    """How many replies, the first of the record, are those of the position. They cost nothing, and
    are no reply of these players."""
    sha256: str
    """The SHA-256 of the position, in hexadecimal (`arena.record.position`)."""


class Header(Line, frozen=True, tag="header"):
    """What a match depends on, and who played it."""

    format: Number
    game: str
    rules_version: Number
    seed: str
    settings: dict[str, Any]
    players: list[str]
    map: Any = None
    clock: Clock | UnsetType = UNSET
    """The clock by which replies were charged, if not the wall clock."""
    start_up: Count | UnsetType = UNSET
    """Milliseconds from the start of a program to its first answer that were not charged to its
    time bank, if any."""
    forfeit: bool | UnsetType = UNSET
    """True if a seat whose program was stopped ranks below all others."""
    untimed: list[Number] | UnsetType = UNSET
    """The seats without a clock (persons, bots under a debugger), if any."""
    position: Origin | UnsetType = UNSET
    """The position from which the match was played, if not from its start."""

    def find_game(self) -> AnyGame:
        """The game. Raises UsageError if it is not installed, ReplayError if its rules are of
        another version."""
        game = find_game(self.game)
        if problem := game.other_version("the match", self.rules_version):
            raise ReplayError(problem)
        return game

    def setup(self, game: AnyGame) -> Setup[Settings]:
        """The set-up of the match. Raises UsageError for settings that the game does not have."""
        settings = parse(game.settings, self.settings)
        return Setup(self.seed, len(self.players), settings, self.map, self.forfeit is True)


class ReplyLine(Line, frozen=True, kw_only=True, omit_defaults=True):
    """The base of replies: the time bank of the request, and what the reply cost."""

    bank: Number
    ms: Milliseconds
    wall_ms: Milliseconds | None = None
    cpu_ms: Milliseconds | None = None
    delay_ms: Milliseconds | None = None
    instructions: Count | None = None
    held_up_ms: Milliseconds | None = None
    stalled_ms: Milliseconds | None = None

    @property
    def cost(self) -> Cost:
        """The cost of the reply."""
        charged = from_ms(self.ms)
        return Cost(
            charged=charged,
            wall=charged if self.wall_ms is None else from_ms(self.wall_ms),
            cpu=from_ms(self.cpu_ms),
            delay=from_ms(self.delay_ms),
            instructions=self.instructions,
            held_up=from_ms(self.held_up_ms),
            stalled=from_ms(self.stalled_ms),
        )


class Answered(ReplyLine, frozen=True, tag="answer"):
    """An answer: `bank` is the time bank shown in the request (ms), `ms` the charge.

    `wall_ms` is the real time, if it differs from the charge. `cpu_ms` is the CPU time of the
    program's tree, and `delay_ms` the time in which it was ready but the machine did not run it;
    both from the end of the request to the answer. None if not measured: the CPU time of an answer
    that came within a millisecond is not measured separately (`PlayerTotals.prompt_ms`).
    `held_up_ms` is the time that the answer then waited unread because the arena was held up; it is
    charged to no player. `stalled_ms` is the part of a long request in which the whole program
    waited for a disk or for memory. `instructions` is their count, where they are counted.
    """

    seat: Number
    text: str

    @property
    def reply(self) -> Answer:
        """The answer itself."""
        return Answer(self.text)


class Silent(ReplyLine, frozen=True, tag="silence"):
    """A reply without an answer; the times are as in `Answered`."""

    seat: Number
    why: Why

    @property
    def reply(self) -> Silence:
        """The reply itself."""
        return Silence(self.why)


class ProtocolFault(Line, frozen=True, tag="fault"):
    """A breach of the protocol, committed `count` times, or a mere remark."""

    seat: Number
    code: str
    detail: str
    count: Annotated[int, Meta(ge=1, le=2**53)]
    fault: bool


class Digest(Line, frozen=True, tag="digest"):
    """The digest of everything up to the end of this round, in hexadecimal."""

    round: Number
    sha256: str


class Stderr(Line, frozen=True, tag="stderr"):
    """What a program wrote to stderr from one request (0: its start) to the next."""

    seat: Number
    request: Count
    text: str


class Drawn(Line, frozen=True, tag="drawn", omit_defaults=True):
    """The drawings of a program from one request (0: its start) to the next: their lines without
    `@viz`, and the number of lines over the budget. Their content is not checked."""

    seat: Number
    request: Count
    text: str
    left_out: Count = 0


class RecordConditions(Line, frozen=True, tag="conditions"):
    """The conditions under which the programs ran. Not part of the match, which may be replayed
    under others."""

    means: Enforcement
    counted_by: str | None = None
    """What counted the instructions, with its release, on which the counts depend."""
    debugged: Number | UnsetType = UNSET
    """The seat whose bot ran under a debugger, if any."""


class PlayerTotals(Line, frozen=True, tag="player", omit_defaults=True):
    """The totals of what a seat used and did wrong."""

    seat: Number
    stopped: str | None
    faults: dict[str, Count]
    requests: Count
    total_ms: Milliseconds
    max_ms: Milliseconds
    cpu_ms: Milliseconds | None
    peak_memory: Count | None
    delay_ms: Milliseconds | None = None
    thought_ms: Milliseconds | None = None
    """CPU time during requests."""
    prompt_ms: Milliseconds | None = None
    """The part of `thought_ms` that belongs to answers without a `cpu_ms` of their own: each came
    within a millisecond of its request, and their usage was measured over several."""
    pondered_ms: Milliseconds | None = None
    """CPU time between requests, from the first request to the last."""
    start_up_ms: Milliseconds | None = None
    """How much of `start_up` was used: the time from the start to the first answer, at most that.
    """
    instructions: Count | None = None
    max_instructions: Count | None = None
    held_up_ms: Milliseconds | None = None
    """Time that its answers waited unread because the arena was held up."""


class Seal(Line, frozen=True, tag="seal"):
    """The last line of a finished record: the SHA-256 of all bytes before this line, in
    hexadecimal."""

    sha256: str


Record: TypeAlias = (
    Header
    | Tell
    | Ask
    | Show
    | Note
    | Stop
    | Answered
    | Silent
    | ProtocolFault
    | Digest
    | Outcome
    | RecordConditions
    | Stderr
    | Drawn
    | PlayerTotals
    | Seal
)
ReplyRecord: TypeAlias = Answered | Silent

_ENCODER = msgspec.json.Encoder()
encode = _ENCODER.encode
"""A record as its line, without the newline."""
encode_lines = _ENCODER.encode_lines
"""Records as their lines, each with its newline."""


def reply_record(seat: int, timed: TimedReply, bank_ms: int) -> ReplyRecord:
    """The record of a reply to a request that had shown `bank_ms`."""
    reply, cost = timed.reply, timed.cost
    ms, cpu, delay = cost.charged / NS_PER_MS, to_ms(cost.cpu), to_ms(cost.delay)
    wall = None if cost.wall == cost.charged else to_ms(cost.wall)
    held_up, stalled = to_ms(cost.held_up), to_ms(cost.stalled)
    if type(reply) is Answer:  # spelt out twice: to pass a dict takes 0.8 µs more for each reply
        return Answered(
            seat=seat,
            text=reply.text,
            bank=bank_ms,
            ms=ms,
            wall_ms=wall,
            cpu_ms=cpu,
            delay_ms=delay,
            instructions=cost.instructions,
            held_up_ms=held_up,
            stalled_ms=stalled,
        )
    assert type(reply) is Silence
    return Silent(
        seat=seat,
        why=reply.why,
        bank=bank_ms,
        ms=ms,
        wall_ms=wall,
        cpu_ms=cpu,
        delay_ms=delay,
        instructions=cost.instructions,
        held_up_ms=held_up,
        stalled_ms=stalled,
    )


def player_totals(totals: SeatTotals) -> PlayerTotals:
    """The record of what a seat used and did wrong."""
    tally = totals.tally
    charged, delay, cpu, counts = tally.charged, tally.delay, tally.cpu, tally.instructions
    return PlayerTotals(
        seat=totals.seat,
        stopped=totals.stopped,
        faults={code: known.count for code, known in tally.faults.items()},
        requests=tally.requests,
        total_ms=to_ms(charged.total),
        max_ms=to_ms(charged.most),
        cpu_ms=totals.cpu_ms,
        peak_memory=totals.peak_memory,
        delay_ms=to_ms(delay.total) if delay else None,
        thought_ms=to_ms(cpu.total) if cpu else None,
        prompt_ms=to_ms(tally.prompt_cpu) if tally.prompt_cpu else None,
        pondered_ms=totals.pondered_ms,
        start_up_ms=totals.start_up_ms,
        instructions=counts.total if counts else None,
        max_instructions=counts.most if counts else None,
        held_up_ms=to_ms(tally.held_up.total) if tally.held_up else None,
    )


def same_kind(one: ProtocolFault, other: ProtocolFault) -> bool:
    """Whether two breaches differ only in count and example."""
    return (one.seat, one.code, one.fault) == (other.seat, other.code, other.fault)


# The digests of a match, and the seal of its record.
#
# A *digest* covers what was said, without times: two matches with the same seed and the same
# answers have the same digests, on any machine. Each digest includes the previous one, so the last
# covers the whole match. The *seal* covers every byte of one record.


class Chain:
    """The running digest. Feed it every step, and every reply as it is `said`, in order."""

    def __init__(self, header: Header) -> None:
        self._hash = hashlib.sha256(digested(header))
        self.add = self._hash.update
        """Add the line of a step, or a reply."""

    def hexdigest(self) -> str:
        """The digest of everything so far."""
        return self._hash.hexdigest()


def said(seat: int, reply: Reply, instructions: int | None = None) -> bytes:
    """A reply as digests cover it: without its time, but with its counted instructions."""
    word = f">{reply.text}" if isinstance(reply, Answer) else f"!{reply.why}"
    if instructions is None:
        return f"\n{seat}{word}\n".encode()
    return f"\n{seat}{word}\n{instructions}\n".encode()


def digested(header: Header) -> bytes:
    """The part of a header that digests cover: everything except how the match was timed, and where
    its players began: who plays on from a position as was played before gets the same digests."""
    return encode(
        msgspec.structs.replace(header, clock=UNSET, start_up=UNSET, untimed=UNSET, position=UNSET)
    )
