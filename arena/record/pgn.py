"""Chess in the formats of its programs: matches as PGN, and openings from files of EPD or PGN.

Both are of the game ``openspiel:chess``, which needs the extra ``openspiel``. Openings become
positions (`arena.record.position`): an EPD line one whose settings have its FEN, a game of a PGN
file one whose answers are its moves.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from msgspec import Struct

from arena.core.replies import Silence
from arena.errors import UsageError
from arena.record.format import Answered, Silent
from arena.record.reader import GivenReply, Match
from arena.text import counted, distinct, printable

CHESS_GAME = "openspiel:chess"
OPENING_ENDINGS = (".epd", ".pgn")
"""How the names of files of openings end."""
WHITE, BLACK = 1, 0
"""The seats: OpenSpiel's player 0 is black."""
_PGN_WIDTH = 80
_BLANK = "\0"
"""A blank at which no line ends."""


class Opening(Struct, frozen=True):
    """A moment of a game of chess from which matches begin."""

    fen: str
    """The position before its moves; empty for the usual first one."""
    moves: tuple[str, ...] = ()
    """The moves from there, in coordinates."""
    name: str = ""


# -- openings --------------------------------------------------------------------------------


def parse_epd(text: str, file: str) -> list[Opening]:
    """The openings of an EPD file, one a line: four fields and operations, or a whole FEN. Lines
    that are blank, or begin with ``#``, count for nothing. Raises UsageError, naming the line."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            found.append(_epd(line, f"{file}, line {number}"))
    return found


def check_fen(fen: str) -> None:
    """Raise UsageError unless matches can begin there."""
    from arena.games.openspiel.chess import first_position

    first_position(fen)


_OPERATION = re.compile(r'\b(hmvc|fmvn|id) +"?([^";]*)"?')


def _epd(line: str, place: str) -> Opening:
    board, *rest = line.split(";")[0].split()
    if len(rest) < 3 or rest[0] not in ("w", "b") or board.count("/") != 7:
        raise UsageError(f"{place}: no position in EPD or FEN: {printable(line[:80])}")
    operations = dict(_OPERATION.findall(" ".join(line.split()[4:])))
    counts = [operations.get("hmvc", "0"), operations.get("fmvn", "1")]
    if len(rest) >= 5 and rest[3].isdecimal() and rest[4].isdecimal():
        counts = rest[3:5]
    fen = " ".join([board, *rest[:3], *(count.strip() for count in counts)])
    return Opening(fen, name=printable(operations.get("id", "")))


def parse_pgn(text: str, file: str) -> list[Opening]:
    """The openings of a PGN file, one for each game: its main line, without comments. Raises
    UsageError, naming the game and the move."""
    found = []
    for number, (tags, moves) in enumerate(_games(text), 1):
        place = f"{file}, game {number}"
        fen = tags.get("FEN", "")
        found.append(Opening(fen, _coordinates(fen, moves, place), _name(tags)))
    return found


def _name(tags: dict[str, str]) -> str:
    names = (tags.get(key, "") for key in ("ECO", "Opening", "Variation"))
    return printable(" ".join(name for name in names if name.strip("?")))


_TOKEN = re.compile(
    r'\[\s*(?P<key>\w+)\s+"(?P<value>(?:\\.|[^"\\])*)"\s*\]'
    r"|(?P<skipped>\{[^}]*\}|;[^\n]*|^%[^\n]*|\$\d+|\d+\.+|\.+)"
    r"|(?P<bracket>[()])|(?P<end>1-0|0-1|1/2-1/2|\*)|(?P<move>[^\s()\[\]{};.]+)",
    re.MULTILINE,
)


def _games(text: str) -> Iterator[tuple[dict[str, str], list[str]]]:
    """The tags and the moves of each game."""
    tags, moves, depth = dict[str, str](), list[str](), 0
    for token in _TOKEN.finditer(text):
        if token["bracket"]:
            depth += 1 if token["bracket"] == "(" else -1
        elif depth > 0 or token["skipped"]:
            continue
        elif token["key"]:
            if moves:  # the game before has no result
                yield tags, moves
                tags, moves = {}, []
            tags[token["key"]] = re.sub(r"\\(.)", r"\1", token["value"])
        elif token["end"]:
            yield tags, moves
            tags, moves = {}, []
        elif token["move"]:
            moves.append(token["move"])
    if moves or "FEN" in tags:
        yield tags, moves


def _coordinates(fen: str, moves: Sequence[str], place: str) -> tuple[str, ...]:
    """Moves as PGN writes them, in coordinates."""
    from arena.games.openspiel.chess import first_position, read_move

    found = list[str]()
    try:
        state = first_position(fen)
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None
    try:
        for move in moves:
            action, word = read_move(state, move)
            state.apply_action(action)
            found.append(word)
    except ValueError as error:
        after = f", after {counted(len(found), 'move')}" if found else ""
        raise UsageError(f"{place}{after}: {printable(str(error))}") from None
    return tuple(found)


# -- matches ---------------------------------------------------------------------------------


def pgn_of(match: Match, number: int = 1) -> str:
    """A match of chess as PGN, with what each clock showed after a move, and the position from
    which it was played as its first moves. `number` is its round in an event. Raises UsageError for
    another game."""
    header = match.header
    if header.game != CHESS_GAME:
        raise UsageError(f"the match is one of {header.game}: only {CHESS_GAME} is written as PGN")
    body = " ".join([*_moves(match), _result(match)])
    tags = "\n".join(f'[{key} "{_quoted(value)}"]' for key, value in _tags(match, number))
    return f"{tags}\n\n{_wrapped(body)}\n"


def _tags(match: Match, number: int) -> Iterator[tuple[str, str]]:
    settings = match.settings
    yield "Event", f"arena, seed {match.seed}"
    yield "Site", "?"
    yield "Date", "????.??.??"
    yield "Round", str(number)
    names = distinct(match.players)
    yield "White", names[WHITE]
    yield "Black", names[BLACK]
    yield "Result", _result(match)
    if settings.get("chess960"):
        yield "Variant", "Chess960"
    if settings.get("fen"):
        yield "SetUp", "1"
        yield "FEN", settings["fen"]
    yield "PlyCount", str(sum(len(frame["moves"]) for frame in match.frames))
    bank, increment = settings["timebank"] / 1000, settings["time_per_move"] / 1000
    yield "TimeControl", f"{bank:g}+{increment:g}"
    yield "Termination", _termination(match)


def _termination(match: Match) -> str:
    outcome = match.outcome
    if outcome is None:
        return "unterminated"
    ends = {
        "time": "time forfeit",
        "illegal": "rules infraction",
        "end": "normal",
        "gone": "abandoned",
        "failed": "abandoned",
    }
    return ends.get(outcome.reason, "adjudication")


def _result(match: Match) -> str:
    outcome = match.outcome
    if outcome is None:
        return "*"
    if outcome.ranks[WHITE] == outcome.ranks[BLACK]:
        return "1/2-1/2"
    return "1-0" if outcome.ranks[WHITE] < outcome.ranks[BLACK] else "0-1"


def _moves(match: Match) -> Iterator[str]:
    """The words of the moves, with numbers and clocks."""
    fen = match.settings.get("fen") or "- w - - 0 1"
    count = 2 * (int(fen.split()[5]) - 1) + (fen.split()[1] == "b")
    clocks = [_clocks(match, seat) for seat in (BLACK, WHITE)]
    numbered = False
    for frame in match.frames:
        for seat, san in frame["moves"]:
            if seat == WHITE or not numbered:
                yield f"{count // 2 + 1}{'.' if seat == WHITE else '...'}"
            yield san
            clock = next(clocks[seat], "")
            if clock:
                yield clock
            numbered, count = not clock, count + 1
    if (outcome := match.outcome) is not None:
        yield f"{{{outcome.sentence.replace('}', ')')}}}"


def _clocks(match: Match, seat: int) -> Iterator[str]:
    """For each move of a seat, what its clock showed then; empty for the moves of a position."""
    bank, increment = match.settings["timebank"], match.settings["time_per_move"]
    past = _past_replies(match, seat)
    for number, given in enumerate(match.replies(seat)):
        if number < past or isinstance(given.reply, Silence):
            yield ""
        else:
            yield f"{{[%clk{_BLANK}{_shown(_left(given, bank, increment))}]}}"


def _past_replies(match: Match, seat: int) -> int:
    """How many replies of a seat are of the position from which the match was played."""
    origin = match.header.position
    replies = [one for one in match.records if isinstance(one, Answered | Silent)]
    return sum(one.seat == seat for one in replies[: origin.replies]) if origin else 0


def _left(given: GivenReply, bank: int, increment: int) -> float:
    """Milliseconds on a clock after a reply, and its increment."""
    return max(0.0, min(bank, given.bank_ms - given.cost.charged / 1e6 + increment))


def _shown(ms: float) -> str:
    minutes, seconds = divmod(ms / 1000, 60)
    return f"{int(minutes) // 60}:{int(minutes) % 60:02}:{seconds:06.3f}"


def _quoted(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')


def _wrapped(text: str) -> str:
    lines = textwrap.fill(text, _PGN_WIDTH, break_long_words=False, break_on_hyphens=False)
    return lines.replace(_BLANK, " ")
