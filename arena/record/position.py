"""Positions: moments of a match from which it can be played on.

A position is one line of JSON, and needs nothing else: the game and its rules' version, settings,
seed or map, and the answers so far. Played again, they lead to the same state, in every game. A
file of positions has one on each line: a *suite* if they say what to expect of a bot, a *book* if
matches begin at them.

Positions hold no times: who plays on from one begins with a full time bank.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from arena.core.game import AnyGame, Setup
from arena.core.offers import NO_MOVES
from arena.core.registry import find_game
from arena.core.replies import FREE, Answer, Cost, Reply, Silence, TimedReply, Why
from arena.core.settings import Settings, parse
from arena.core.steps import Ask, Asks, Note, Show, Step, Stop, Tell
from arena.core.table import Table
from arena.errors import ArenaFault, UsageError
from arena.record.format import (
    Answered,
    Count,
    Number,
    ReplyRecord,
    Silent,
    encode,
    said,
)
from arena.record.pgn import CHESS_GAME, OPENING_ENDINGS, check_fen, parse_epd, parse_pgn
from arena.record.reader import Match
from arena.record.source import MAGIC, open_plain
from arena.text import joined, size_text

TIMES = ("timebank", "time_per_move")
"""The settings of time."""
LARGEST_FILE = 256 << 20
"""Most bytes of a file of positions."""
LARGEST_LINE = 3 << 20
"""Most bytes of a position, which must fit into one message to the worker of a cluster."""
MOST_GAMES = 10_000
"""Most continuations of one position in a suite."""

# The value.


class PastReply(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A reply that is more than an answer: silence, or one with counted instructions."""

    answer: str | None = None
    silence: Why | None = None
    instructions: Count | None = None


Past: TypeAlias = str | PastReply
"""An answer, or another reply."""


class Expectation(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a suite expects of the bot at the position's seat. All that is given must hold."""

    one_of: tuple[str, ...] = ()
    """Answers of which it must give one; blanks count as one blank."""
    none_of: tuple[str, ...] = ()
    """Answers that it must not give."""
    no_fault: bool = False
    """Its answer must be in time, keep the protocol, and be legal."""
    min_score: Annotated[float, Meta(ge=0, le=1)] | None = None
    """The least score over all `games` that are played on from the position."""
    games: Annotated[int, Meta(ge=1, le=MOST_GAMES)] = 1


class Position(Struct, frozen=True, tag="position", omit_defaults=True, forbid_unknown_fields=True):
    """A moment of a match at which players are asked."""

    game: str
    rules_version: Number
    seats: Annotated[int, Meta(ge=1, le=1000)]
    seed: str
    settings: dict[str, Any] = {}
    """Settings of the game; those that are missing have their defaults."""
    map: Any = None
    forfeit: bool = False
    """Whether a seat whose program was stopped ranks below all others."""
    round: Number | None = None
    """The round of its requests; None if that is not said."""
    seat: Count | None = None
    """The seat, from 0, that is looked at: one of those that are asked."""
    digest: str = ""
    """The SHA-256 over the steps and replies up to here, in hexadecimal; empty if not known."""
    tags: tuple[str, ...] = ()
    expect: Expectation | None = None
    answers: tuple[Past, ...] = ()
    """The replies so far, in the order of their requests."""

    def find_game(self) -> AnyGame:
        """The game. Raises UsageError if it is not installed by these rules."""
        game = find_game(self.game)
        remedy = "cut it again from a new match, or "
        if problem := game.other_version("the position", self.rules_version, remedy):
            raise UsageError(problem)
        return game

    def setup(self, game: AnyGame) -> Setup[Settings]:
        """The set-up of its match. Raises UsageError."""
        settings = parse(game.settings, self.settings)
        return Setup(self.seed, self.seats, settings, self.map, self.forfeit)

    def replies(self) -> list[TimedReply]:
        """The replies so far, at no cost."""
        return [_timed(one) for one in self.answers]


def _timed(given: Past) -> TimedReply:
    if isinstance(given, str):
        return TimedReply(Answer(given), FREE)
    reply: Reply = Silence(given.silence) if given.silence else Answer(given.answer or "")
    return TimedReply(reply, Cost(0, instructions=given.instructions))


def _past(record: ReplyRecord) -> Past:
    count = record.instructions
    if isinstance(record, Silent):
        return PastReply(silence=record.why, instructions=count)
    return record.text if count is None else PastReply(record.text, instructions=count)


def free_settings(game: AnyGame) -> tuple[str, ...]:
    """The settings in which matches from one position may differ: they do not change what an answer
    does to the world. They can decide when a match ends."""
    return (*TIMES, *game.adjudication)


def position_id(game: AnyGame, setup: Setup[Settings], replies: Iterable[bytes]) -> str:
    """The SHA-256 that names a position: over all that it depends on, the `free_settings` excepted.
    `replies` are as `said`."""
    free = free_settings(game)
    own = {name: value for name, value in asdict(setup.settings).items() if name not in free}
    found = hashlib.sha256(
        encode([game.name, game.rules_version, setup.seats, setup.seed, own, setup.map])
    )
    for reply in replies:
        found.update(reply)
    return found.hexdigest()


# Playing the replies again.


class PastExchange(Struct, frozen=True):
    """An exchange of a position's past: the steps before it, the requests, and their replies, which
    the last one, the position itself, does not have."""

    round: int
    steps: Sequence[Step]
    asks: Asks
    replies: tuple[TimedReply, ...] = ()


class PastRequest(Struct, frozen=True):
    """A request to a seat up to a position."""

    round: int
    lines: tuple[str, ...]
    """The lines that the seat was told since its last request."""
    ask: Ask


class Prefix(Struct, frozen=True):
    """What a match needs of a position in order to begin there."""

    exchanges: tuple[tuple[TimedReply, ...], ...]
    """The replies, by exchange."""
    round: int
    """The round of its requests."""
    gone: frozenset[int]
    """The seats whose programs were stopped; they stay so."""
    sha256: str
    """Its `position_id`."""


def prefix_of(position: Position) -> Prefix:
    """What a match needs of a position, which is proved by the rules. Raises UsageError."""
    return ReplayedPosition(position).prefix


class ReplayedPosition:
    """A position whose replies were played again, so that its requests are open."""

    def __init__(self, position: Position) -> None:
        """Raises UsageError for replies that do not lead to the position."""
        self.position = position
        self.game = position.find_game()
        self.setup = position.setup(self.game)
        try:
            self.table = Table(self.game, self.setup)
            self.moments = list(self._moments())
        except ArenaFault as error:
            raise UsageError(f"the position cannot be played: {error}") from error
        self.prefix = self._prove()

    def _moments(self) -> Iterator[PastExchange]:
        table, replies, round, at = self.table, self.position.replies(), 0, 0
        while True:
            steps, asks = table.take(), table.asked
            for step in steps:
                if isinstance(step, Show):
                    round = step.frame["round"] + 1
            if table.outcome is not None:
                when = "" if at == len(replies) else f" after {at} of {len(replies)} answers"
                raise UsageError(f"the match of the position is over{when}: cut it earlier")
            if at == len(replies):
                yield PastExchange(round, steps, asks)
                return
            given = tuple(replies[at : at + len(asks)])
            if len(given) < len(asks):
                raise UsageError(
                    f"the answers of the position end in the middle of round {round}, where "
                    f"{len(asks)} seats are asked at once: give the answers of all of "
                    "them, or of none"
                )
            yield PastExchange(round, steps, asks, given)
            at += len(given)
            table.answer_all(tuple([timed.reply for timed in given]))

    def _prove(self) -> Prefix:
        """Check all that the position says beside its replies."""
        digest, lines, gone = hashlib.sha256(), list[bytes](), set[int]()
        for one in self.moments:
            for part in (*one.steps, *one.asks):
                digest.update(encode(part))
            gone |= {step.seat for step in one.steps if isinstance(step, Stop)}
            for ask, timed in zip(one.asks, one.replies, strict=False):
                line = said(ask.seat, timed.reply, timed.cost.instructions)
                digest.update(line)
                lines.append(line)
                if isinstance(timed.reply, Silence) and not timed.reply.missed:
                    gone.add(ask.seat)
        self._check_end(digest.hexdigest(), gone)
        return Prefix(
            tuple(one.replies for one in self.moments[:-1]),
            self.moments[-1].round,
            frozenset(gone),
            position_id(self.game, self.setup, lines),
        )

    def _check_end(self, digest: str, gone: Collection[int]) -> None:
        position, last = self.position, self.moments[-1]
        if position.round not in (None, last.round):
            raise UsageError(
                f"the position says round {position.round}, and its answers lead to round "
                f"{last.round}: correct one of them"
            )
        if position.seat is not None and all(ask.seat != position.seat for ask in last.asks):
            asked = joined((f"player{ask.seat + 1}" for ask in last.asks), "and")
            raise UsageError(
                f"player{position.seat + 1} is not asked at the position, but {asked}: correct the "
                "seat"
            )
        if position.seat is not None and position.seat in gone:
            raise UsageError(
                f"the program of player{position.seat + 1} was stopped before the position: cut it "
                "earlier"
            )
        if position.digest and position.digest != digest:
            raise UsageError(
                "the digest of the position does not match its answers: the position or the "
                "rules have changed; cut it again"
            )

    def requests(self, seat: int) -> list[PastRequest]:
        """What a seat was told and asked up to here; the last is the open request."""
        told, found = list[str](), list[PastRequest]()
        for one in self.moments:
            told += [
                step.line for step in one.steps if isinstance(step, Tell) and step.seat == seat
            ]
            for ask in one.asks:
                if ask.seat == seat:
                    found.append(PastRequest(one.round, tuple(told), ask))
                    told = []
        return found

    def faults(self, seat: int, reply: Reply) -> dict[str, str]:
        """What is wrong by the rules with a reply to the open request of a seat: the first sentence
        of each kind, by code. The other seats that are asked do nothing. Moves the table on."""
        self.table.take()
        for ask in self.table.asked:
            self.table.answer(ask.seat, reply if ask.seat == seat else Answer(NO_MOVES))
        notes = [step for step in self.table.take() if isinstance(step, Note)]
        mine = [note for note in notes if note.seat == seat and note.fault]
        return {note.code: note.detail for note in reversed(mine)}


# Cutting a position from a record.


def cut(
    match: Match,
    round: int,
    seat: int | None = None,
    *,
    request: int | None = None,
    tags: Sequence[str] = (),
    expect: Expectation | None = None,
) -> Position:
    """The position of a recorded match at the first request in `round` or later; with a `seat`
    (from 0), at the first to that seat; with `request`, at the seat's request of that number, from
    1.

    Raises UsageError where there is no such request, ReplayError for a record that the rules do not
    reproduce.
    """
    before, digest, found = _find(match, round, seat, request)
    header = match.header
    position = Position(
        header.game,
        header.rules_version,
        len(header.players),
        header.seed,
        dict(header.settings),
        header.map,
        header.forfeit is True,
        found,
        seat,
        digest,
        tuple(tags),
        expect,
        tuple(_past(record) for record in before),
    )
    prefix_of(position)
    return position


def _find(
    match: Match, round: int, seat: int | None, request: int | None
) -> tuple[list[ReplyRecord], str, int]:
    """The replies before the wanted requests, the digest up to them, and their round."""
    digest, replies, asks = hashlib.sha256(), list[ReplyRecord](), list[Ask]()
    now, asked, answered = 0, 0, 0
    for record in match.records:
        if isinstance(record, Ask):
            asks.append(record)
            asked += record.seat == seat
            digest.update(encode(record))
        elif isinstance(record, Answered | Silent):
            if not answered and _is_wanted(asks, now, asked, round, seat, request):
                return replies, digest.hexdigest(), now
            replies.append(record)
            digest.update(said(record.seat, record.reply, record.instructions))
            answered += 1
            if answered == len(asks):
                asks, answered = [], 0
        elif isinstance(record, Tell | Show | Note | Stop):
            digest.update(encode(record))
            if isinstance(record, Show):
                now = record.frame["round"] + 1
    who = "anybody" if seat is None else f"player{seat + 1}"
    where = f"from round {round} on" if request is None else f"{request} times"
    raise UsageError(f"the record does not ask {who} {where}: name an earlier moment")


def _is_wanted(
    asks: Sequence[Ask], now: int, asked: int, round: int, seat: int | None, request: int | None
) -> bool:
    if seat is None:
        return now >= round
    is_asked = any(ask.seat == seat for ask in asks)
    return is_asked and (now >= round if request is None else asked == request)


# Files of positions.


def position_line(position: Position) -> bytes:
    """A position as its line, with the newline."""
    return encode(position) + b"\n"


def read_positions(path: str | Path, known: str = "") -> list[Position]:
    """The positions of a file, one on each line; blank lines count for nothing. Each is looked at,
    but not played (`prefix_of`), unless the SHA-256 of the file is `known`. Files ``.epd`` and
    ``.pgn`` have openings of chess (`arena.record.pgn`). Raises UsageError, naming the line."""
    try:
        with open_plain(Path(path)) as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise UsageError(
            f"cannot read the positions in {path}: {error.strerror}: name a file that arena cut "
            "has written, or openings of chess (.epd, .pgn)"
        ) from None
    if len(data) > LARGEST_FILE:
        raise UsageError(f"{path} is larger than {size_text(LARGEST_FILE)}: split it")
    if known and hashlib.sha256(data).hexdigest() == known:
        return msgspec.json.Decoder(Position).decode_lines(data)
    return parse_positions(data, str(path))


def parse_positions(data: bytes, name: str) -> list[Position]:
    """The positions in the bytes of a file; `name` is for messages. Raises UsageError."""
    if name.lower().endswith(OPENING_ENDINGS):
        return _openings(data.decode(errors="replace"), name)
    if data.startswith((MAGIC, b'{"type":"header"')):
        raise UsageError(
            f"{name} looks like a record, not like positions: cut one out of it with "
            f"arena cut {name} --round ROUND -o FILE"
        )
    found = [
        _position(line, f"{name}, line {number}")
        for number, line in enumerate(data.split(b"\n"), 1)
        if line.strip()
    ]
    if not found:
        raise UsageError(f"there is no position in {name}: arena cut writes one")
    return found


def _openings(text: str, name: str) -> list[Position]:
    """The openings in a file of chess, as positions. They differ in the FEN and the moves, so what
    else can be wrong is checked at the first alone: a book may have 100,000."""
    game = find_game(CHESS_GAME)
    parse_openings = parse_epd if name.lower().endswith(".epd") else parse_pgn
    found = list[Position]()
    for number, one in enumerate(parse_openings(text, name), 1):
        settings = {"fen": one.fen} if one.fen else {}
        position = Position(
            game.name,
            game.rules_version,
            2,
            "chess",
            settings,
            tags=(one.name,) if one.name else (),
            answers=one.moves,
        )
        try:
            parse(game.settings, settings)
            if not found:
                _check(position)
        except UsageError as error:
            raise UsageError(f"{name}, opening {number}: {error}") from None
        found.append(position)
    if not found:
        raise UsageError(f"there is no opening in {name}: give a file of positions or of games")
    return found


def is_opening(position: Position, rules_version: int) -> bool:
    """Whether a position says nothing but a FEN of chess by these rules, as those of an EPD file
    do."""
    settings, bare = position.settings, Position(CHESS_GAME, rules_version, 2, "")
    own = replace(position, seed="", settings={}, tags=())
    return own == bare and settings.keys() == {"fen"}


def check_opening(position: Position) -> None:
    """Let the rules prove a position that `is_opening`. Raises UsageError."""
    check_fen(position.settings["fen"])


def _position(line: bytes, place: str) -> Position:
    if len(line) > LARGEST_LINE:
        raise UsageError(f"{place}: longer than {size_text(LARGEST_LINE)}: cut it earlier")
    try:
        position = msgspec.json.decode(line, type=Position)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(f"{place}: no position: {error}") from None
    except RecursionError:
        raise UsageError(f"{place}: no position: it is nested too deep") from None
    try:
        _check(position)
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None
    return position


def _check(position: Position) -> None:
    """Check what can be checked without the rules. Raises UsageError."""
    game = position.find_game()
    game.check_setup(position.setup(game))
    if position.seat is not None and position.seat >= position.seats:
        raise UsageError(f"seat={position.seat} is not allowed: give 0 to {position.seats - 1}")
    for number, one in enumerate(position.answers, 1):
        if isinstance(one, PastReply) and (one.answer is None) == (one.silence is None):
            raise UsageError(f"answer {number} must have either an answer or a silence")
    expect = position.expect
    if expect is not None and expect == Expectation(games=expect.games):
        raise UsageError("it expects nothing: give one_of, none_of, no_fault or min_score")
    if expect is not None and position.seat is None:
        raise UsageError("it does not say which seat the expectation is for: add the seat")
