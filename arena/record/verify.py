"""Verifies a record: the rules, run again on its answers, must give the same match.

Also checks the time banks and totals, and the seal over every byte."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from arena.core.budget import Budget
from arena.core.clock import Clock, from_ms, open_bank
from arena.core.replies import Answer, Cost, Reply, Silence, TimedReply
from arena.core.settings import Settings
from arena.core.steps import Ask, Note, Outcome, Show, Step
from arena.core.table import Table
from arena.core.tally import SeatTotals, Tally
from arena.errors import ArenaFault, ReplayError, UsageError
from arena.record.format import (
    Answered,
    Chain,
    Digest,
    Drawn,
    Header,
    Origin,
    PlayerTotals,
    ProtocolFault,
    Record,
    RecordConditions,
    ReplyRecord,
    Seal,
    Silent,
    Stderr,
    encode,
    encode_lines,
    player_totals,
    reply_record,
    said,
)
from arena.record.position import position_id
from arena.record.source import RecordLines, decode, decode_header, is_canonical, read_blocks

# The lines that follow from the rules.


class Expected:
    """The lines that must come next, in parts that end with a digest or before a reply."""

    def __init__(self, chain: Chain) -> None:
        """`chain` receives all steps."""
        self.lines = b""
        """The next part; empty if a reply comes next, or nothing."""
        self._chain = chain
        self._digest: Digest | None = None
        """The last of these lines, if it is a digest."""
        self._later: deque[tuple[bytes, Digest | None]] = deque()
        """The parts after the next one."""

    def add(self, steps: Sequence[Step | Ask | Outcome], ended: int | None = None) -> None:
        """Expect these steps next, followed by the digest of the round that they ended, if any."""
        lines, digest = encode_lines(steps), None
        self._chain.add(lines.replace(b"\n", b""))
        if ended is not None:
            digest = Digest(ended, self._chain.hexdigest())
            lines += encode_lines((digest,))
        self._later.append((lines, digest))
        if not self.lines:
            self._next()

    def first(self) -> bytes:
        """The first of the lines. Each line is a separate part from now on."""
        self.lines, *rest = self.lines.splitlines(keepends=True)
        for line in reversed(rest):
            self._later.appendleft((line, self._digest))
            self._digest = None
        return self.lines

    def take(self) -> Digest | None:
        """Take the lines, which were found. Returns the digest, if the last line is one."""
        digest = self._digest
        self._next()
        return digest

    def _next(self) -> None:
        self.lines, self._digest = self._later.popleft() if self._later else (b"", None)


# The clock, the counts and the totals of one seat, recomputed from its recorded replies.


class Mismatch(Exception):
    """The record and the rules disagree; the text says how."""


class Recount:
    """The time bank and tally of one seat so far. Each method raises Mismatch."""

    def __init__(
        self,
        seat: int,
        settings: Settings,
        budget: Budget | None,
        *,
        untimed: bool = False,
        start_up: int = 0,
    ) -> None:
        """`start_up`: start-up time allowed, in milliseconds."""
        self._untimed = untimed
        self._start_up = start_up
        self.tally = Tally(counted=budget is not None)
        self._seat = seat
        self._name = f"player{seat + 1}"
        self._budget = budget
        runs = budget is None
        self._bank = open_bank(settings.timebank, settings.time_per_move, runs=runs)

    def charge(self, record: ReplyRecord, reply: Reply, cost: Cost, round_number: int) -> None:
        """Check and charge one reply: whether it came in time, and the bank that the request had
        shown."""
        if record.bank != self._bank.left_ms:
            raise Mismatch(
                f"{self._name} was shown {record.bank} ms and had {self._bank.left_ms} ms"
            )
        missed, asked = _was_due(reply)
        if self._untimed and cost.charged:
            raise Mismatch(f"{self._name} has no clock, and is charged {record.ms} ms")
        if self._budget is not None:
            self._check_count(record, self._budget, asked)
        elif asked and missed == self._bank.in_time(cost.charged):
            raise Mismatch(
                f"{self._name} took {record.ms} of {record.bank} ms, "
                f"recorded as {'late' if missed else 'in time'}"
            )
        self._bank.spend(cost.charged)
        self.tally.costs.append(cost)
        if missed:
            self.tally.count_fault("timeout", "", round_number)

    def give(self, record: ReplyRecord, reply: Reply) -> None:
        """Check one reply that a position gave: it cost nothing, and the bank stays full."""
        free = reply_record(
            self._seat,
            TimedReply(reply, Cost(0, instructions=record.cost.instructions)),
            self._bank.left_ms,
        )
        if record != free:
            raise Mismatch(f"a reply that the position gives {self._name} has a cost")
        if self._budget is not None:
            self._check_count(record, self._budget, _was_due(reply)[1])
        self.tally.past += 1

    def _check_count(self, record: ReplyRecord, budget: Budget, asked: bool) -> None:
        count = record.instructions
        if (count is not None) != asked:
            raise Mismatch(f"a reply of {self._name} has a count that is missing or too many")
        if count is not None:
            found = record.why if isinstance(record, Silent) else None
            if found != budget.verdict(count):
                raise Mismatch(
                    f"{self._name} took {count} instructions, limits {budget.turn} and "
                    f"{budget.game}, recorded as {found or 'in time'}"
                )

    def close(self, record: PlayerTotals) -> None:
        """Check the totals: all but six of their values are sums over the previous lines."""
        took = record.start_up_ms
        if took is not None and not (self._start_up and 0 <= took <= self._start_up):
            raise Mismatch(f"the start of {self._name} took {took:g} of {self._start_up} ms")
        self.tally.prompt_cpu = from_ms(record.prompt_ms) or 0
        totals = player_totals(
            SeatTotals(
                seat=self._seat,
                stopped=record.stopped,
                tally=self.tally,
                cpu_ms=record.cpu_ms,
                peak_memory=record.peak_memory,
                pondered_ms=record.pondered_ms,
                start_up_ms=record.start_up_ms,
            )
        )
        counts = totals.instructions, totals.max_instructions
        if (record.instructions, record.max_instructions) != counts:
            raise Mismatch(f"the instructions of {self._name} do not match the record")
        if record != totals:
            raise Mismatch(f"the totals of {self._name} do not match the record")


def _was_due(reply: Reply) -> tuple[bool, bool]:
    """Whether a reply is a missed answer, and whether its program was there to be asked."""
    missed = type(reply) is Silence and reply.missed
    return missed, missed or type(reply) is Answer


# Replaying the match of a record, line by line.
#
# The rules determine most lines: such lines are compared byte for byte and not even parsed. A line
# that depends on the outside world (a reply, what a program used) must have the form and the
# position in which the arena writes it, and agree with the arithmetic of clocks and totals. So each
# line takes bounded work, and a file has no more lines than its match.

DIGEST = b'"type":"digest"'
"""Identifies the line of a digest. No text in a line can contain it: quotes would be escaped."""
FAULTS_IN_A_ROW = 1000
"""Far more than the kinds of faults that one turn can produce."""


class Proof:
    """Plays the match of a record again. Pass it the lines after the header in order."""

    def __init__(self, header: Header) -> None:
        """Raises ReplayError for an impossible match."""
        self.header = header
        self.proved = 0
        """The last round with a correct digest."""
        self.digest = ""
        self.round = 0
        """The round that is being checked."""
        self.seal: Seal | None = None
        """The seal, once it came; its hash is not checked here."""
        self._table = _start(header)
        settings, game = self._table.setup.settings, self._table.game
        seats = range(len(header.players))
        untimed, start_up = header.untimed or (), header.start_up or 0
        self._accounts = [
            Recount(
                seat, settings, game.budget(settings), untimed=seat in untimed, start_up=start_up
            )
            for seat in seats
        ]
        self._chain = Chain(header)
        self._given = _GivenReplies(header.position, self._table)
        self._expected = Expected(self._chain)
        self._open: deque[Ask] = deque()
        self._replies: list[Reply] = []
        self._lines = 0
        self._faults = 0
        self._closing = 0
        """The seat whose totals come next, once the match has ended."""
        self._last_said: tuple[type[Record], int] = (Stderr, -1)
        """The kind and the request of that seat's last stderr or drawing line."""
        try:
            self._take_steps()
        except Mismatch as error:
            raise ReplayError(f"the header of the replay is not valid: {error}") from None

    @property
    def missing(self) -> str:
        """What the record still lacks; empty when it is complete."""
        if not self._ended or self._closing < len(self.header.players):
            return "the record ends here, before the match did"
        return "" if self.seal else "the record ends without its seal"

    @property
    def expected(self) -> bytes:
        """The lines that must come next, as far as known; empty before a reply."""
        return self._expected.lines

    def confirm(self) -> None:
        """Note that the record has the expected lines."""
        self._lines += self._expected.lines.count(b"\n")
        self._faults = 0
        if digest := self._expected.take():
            self.proved, self.digest, self.round = digest.round, digest.sha256, digest.round + 1

    def take(self, line: bytes) -> None:
        """Check the next line. Raises Mismatch, or ReplayError for an invalid record."""
        if self.seal:
            raise Mismatch("data follows the seal")
        if self.expected and self._expected.first() == line:
            self.confirm()
        else:
            line = line[:-1]
            self._take_other(decode(line, f"line {self._lines + 2}"), line)
            self._lines += 1

    @property
    def _ended(self) -> bool:
        return self._table.outcome is not None and not self.expected

    def _take_steps(self) -> None:
        self._open.extend(self._table.asked)
        steps: list[Step | Ask | Outcome] = []
        in_past = self._given.in_past
        for step in self._table.take():
            steps.append(step)
            if type(step) is Show:
                self._given.round = step.frame["round"] + 1
                self._expected.add(steps, step.frame["round"])
                steps = []
            elif type(step) is Note and step.fault and not in_past:
                self._account(step.seat).tally.count_fault(step.code, "", self.round)
        steps += self._table.asked
        if self._table.outcome is not None:
            steps.append(self._table.outcome)
        if steps:
            self._expected.add(steps)
        self._given.check(over=self._table.outcome is not None)

    def _take_other(self, record: Record, line: bytes) -> None:
        """Check a line that the rules do not determine, or that is wrong."""
        match record:  # frequent kinds first: each failed case takes 0.1 µs
            case Answered() | Silent():
                self._take_reply(record)
            case Drawn() | Stderr() if self._ended:
                self._take_said(record)
            case ProtocolFault():
                self._take_fault(record)
            case RecordConditions() if self._lines == 0:
                pass
            case PlayerTotals() if self._ended:
                self._take_totals(record)
            case Seal() if self._ended and self._closing == len(self.header.players):
                self.seal = record
            case _ if self.expected:
                raise Mismatch(_difference(self.expected[:-1], line))
            case _:
                raise Mismatch(f"the record has {_short(line)} at an impossible place")
        if not is_canonical(record, line):
            raise Mismatch(
                f"the arena writes {_short(encode(record))}, the record has {_short(line)}"
            )

    def _take_fault(self, record: ProtocolFault) -> None:
        self._faults += 1
        if self._ended or self._faults > FAULTS_IN_A_ROW:
            raise Mismatch(f"a fault of player{record.seat + 1} is at an impossible place")
        account = self._account(record.seat)
        if record.fault:
            account.tally.count_fault(record.code, "", self.round, record.count)

    def _account(self, seat: int) -> Recount:
        if not 0 <= seat < len(self._accounts):
            raise Mismatch(f"there is no player{seat + 1} among {len(self._accounts)}")
        return self._accounts[seat]

    # -- replies ---------------------------------------------------------------------------

    def _take_reply(self, record: ReplyRecord) -> None:
        if self.expected or not self._open:
            raise Mismatch(f"player{record.seat + 1} replies without a request")
        seat = self._open.popleft().seat
        if record.seat != seat:
            raise Mismatch(f"player{record.seat + 1} replies where player{seat + 1} was asked")
        reply, cost = record.reply, record.cost
        line = said(seat, reply, cost.instructions)
        if self._given.take(line):
            self._accounts[seat].give(record, reply)
        else:
            self._accounts[seat].charge(record, reply, cost, self.round)
        self._faults = 0
        self._chain.add(line)
        self._replies.append(reply)
        if not self._open:
            replies, self._replies = tuple(self._replies), []
            self._table.answer_all(replies)
            self._take_steps()

    # -- the end ---------------------------------------------------------------------------

    def _take_said(self, record: Stderr | Drawn) -> None:
        """Check a stderr or drawing line: all of stderr comes first, each in order of requests."""
        tally = self._account(record.seat).tally
        asked = tally.past + tally.requests
        kind, last = self._last_said
        if type(record) is not kind:
            last = -1 if kind is Stderr else asked
        if record.seat != self._closing or not last < record.request <= asked:
            what = "stderr" if isinstance(record, Stderr) else "a drawing"
            raise Mismatch(f"{what} of player{record.seat + 1} is at an impossible place")
        self._last_said = type(record), record.request

    def _take_totals(self, record: PlayerTotals) -> None:
        account = self._account(record.seat)
        if record.seat != self._closing:
            raise Mismatch(f"the totals of player{record.seat + 1} are at an impossible place")
        account.close(record)
        self._closing, self._last_said = self._closing + 1, (Stderr, -1)


class _GivenReplies:
    """The replies that a position gives, as the header names it."""

    def __init__(self, origin: Origin | UnsetType, table: Table[Any]) -> None:
        self.round = 0
        """The round of the requests that come next."""
        self._origin = None if origin is UNSET else origin
        self._table = table
        self._lines: list[bytes] = []
        self._seen = 0
        """Replies so far, those of the players included."""
        self.in_past = self._origin is not None
        """Whether what comes now is not counted, since it follows from the position."""

    def take(self, line: bytes) -> bool:
        """Take a reply, as `said`. Returns whether it is one that the position gives."""
        if not self.in_past:
            return False
        self._seen += 1
        self._lines.append(line)
        return True

    def check(self, *, over: bool) -> None:
        """After an exchange: when it was the last one of the position, check what the header says
        of it. Raises Mismatch."""
        if self._origin is None or not self.in_past:
            return
        if self._seen < self._origin.replies:
            if over:
                raise Mismatch("the match is over before its position")
            return
        self.in_past = False
        game, setup = self._table.game, self._table.setup
        if over or self._seen != self._origin.replies or self._origin.round != self.round:
            raise Mismatch(f"the position of the header is not one of round {self.round}")
        if self._origin.sha256 != position_id(game, setup, self._lines):
            raise Mismatch("the position of the header is not that of the recorded answers")


def _start(header: Header) -> Table[Any]:
    try:
        game = header.find_game()
        game.check_seats(len(header.players), on_map=header.map is not None)
        setup = header.setup(game)
        _check_words(header, setup.settings)
        return Table(game, setup)
    except UsageError as error:
        raise ReplayError(f"the header of the replay is not valid: {error}") from None
    except ArenaFault as error:
        raise ReplayError(str(error)) from error


def _check_words(header: Header, settings: Settings) -> None:
    """Require the arena's own form of the header: all settings, and of the optional keys only those
    that differ from their defaults. Raises ReplayError."""
    seats = range(len(header.players))
    words = {
        "settings": asdict(settings),
        "clock": UNSET if header.clock is Clock.WALL else header.clock,
        "start_up": header.start_up or UNSET,
        "forfeit": header.forfeit or UNSET,
        "untimed": [seat for seat in seats if seat in (header.untimed or ())] or UNSET,
    }
    for name, value in words.items():
        if value is UNSET and getattr(header, name) is not UNSET:
            raise ReplayError(f"the arena writes this header differently: without the {name}")
        if value is not UNSET and encode(value) != encode(getattr(header, name)):
            shown = _short(encode({name: value})[1:-1])
            raise ReplayError(f"the arena writes this header differently: {shown}")


def _difference(expected: bytes, line: bytes) -> str:
    if DIGEST in expected and DIGEST in line:
        return "the digest does not match the record: an answer was changed"
    return f"the rules give {_short(expected)}, the record has {_short(line)}"


def _short(line: bytes, limit: int = 160) -> str:
    text = line[: limit * 4].decode(errors="replace")
    return text if len(text) <= limit else text[: limit - 1] + "…"


class Verdict(Struct, frozen=True):
    """The result of `verify`. `ok` is true when the record is correct and complete."""

    ok: bool
    game: str
    seed: str
    rounds: int
    """Number of rounds that were proved."""
    digest: str
    """The digest of the last proved round."""
    problem: str
    """What is wrong, and in which round; empty if nothing is."""
    unfinished: bool = False
    """Whether the record ends early, as a killed arena leaves it, but is correct so far."""
    seal: str = ""
    """The SHA-256 over the finished record, from its last line; empty unless `ok`. Compare it with
    the seal that was reported when the match was played."""


def verify(path: str | Path) -> Verdict:
    """Run the match of a record again and compare every step, digest and time bank, the outcome,
    and the seal.

    Raises ReplayError for a file that cannot be read as a record at all.
    """
    source = RecordLines(read_blocks(Path(path), whole=True))
    first = source.line()
    proof, problem = Proof(decode_header(first, str(path))), ""
    try:
        _follow(proof, source)
    except (Mismatch, ReplayError, ArenaFault) as error:
        problem = str(error)
    return _verdict(proof, problem, cut_off=source.was_cut_off)


def _follow(proof: Proof, source: RecordLines) -> None:
    """Check everything after the first line. Raises Mismatch, ReplayError or ArenaFault."""
    while True:
        while (lines := proof.expected) and source.has(lines):
            proof.confirm()
        line = source.line()
        if not line.endswith(b"\n") and not (line and proof.seal):
            return  # the end, or half a line, which a killed arena may leave
        proof.take(line)
        if proof.seal and proof.seal.sha256 != source.sha256_before(line):
            raise Mismatch("the seal does not match the record: something in it was changed")


def _verdict(proof: Proof, problem: str, *, cut_off: bool) -> Verdict:
    missing = proof.missing or ("the compressed file lacks its last bytes" if cut_off else "")
    unfinished = not problem and missing != ""
    if unfinished:
        problem = f"{missing}; everything up to there is right"
    return Verdict(
        ok=not problem,
        game=proof.header.game,
        seed=proof.header.seed,
        rounds=proof.proved,
        digest=proof.digest,
        problem=problem and f"round {proof.round}: {problem}",
        unfinished=unfinished,
        seal=proof.seal.sha256 if proof.seal and not problem else "",
    )
