"""Records of short matches, written without a process."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import Any

from msgspec.structs import asdict, replace

from arena.core.game import Setup
from arena.core.registry import find_game
from arena.core.replies import FREE, Answer, Reply, Silence, TimedReply, Violation, Why
from arena.core.rng import Stream
from arena.core.steps import Show
from arena.core.table import Table
from arena.core.tally import Drawing, SeatTotals, Tally
from arena.record.format import FORMAT, Header
from arena.record.writer import Recorder

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\u202eevil\u200f"
"""What a bot may be called, answer, and write."""
DRAWING = "\n".join(
    [
        *("mark {place} good", "arrow {place} {place} plan", "text {place} a <b>word</b>"),
        *("heat {place}:0.5", "value hope 3", "side thinking", "moment now", "nonsense"),
    ]
)
TRACEBACK = """Traceback (most recent call last):
  File "/home/ann/bot.py", line 14, in <module>
    best = moves[0]
IndexError: list index out of range
"""
LONG = 65536
"""Characters of a long line."""
PLACES = {"warlight": "1", "toroid": "1", "hextrategic": "1", "tncc": "player1"}
"""A place on the board of a game."""


@cache
def record(
    game_name: str,
    seats: int = 2,
    rounds: int = 12,
    *,
    hostile: bool = False,
    crashed: bool = False,
) -> bytes:
    """The record of a match that is broken off after so many rounds. `hostile`: its bots are;
    `crashed`: the last of them from round 3 on."""
    game = find_game(game_name)
    names = [HOSTILE if hostile else f"bot{seat}" for seat in range(seats)]
    settings = game.settings()
    header = Header(FORMAT, game.name, game.rules_version, "5", asdict(settings), names)
    table = Table(game, Setup("5", seats, settings))
    written = BytesIO()
    with Recorder(written, header) as recorder:
        _play(table, recorder, rounds, hostile, dead=seats - 1 if crashed else None)
        for seat in range(seats):
            totals = _totals(seat, game_name, hostile)
            if crashed and seat == seats - 1:
                totals = replace(totals, stopped="crashed", stderr=((1, TRACEBACK),))
            recorder.totals(totals)
    return written.getvalue()


def _play(
    table: Table[Any], recorder: Recorder, rounds: int, hostile: bool, dead: int | None
) -> None:
    stream, asked, shown = Stream("1", "answers"), 0, 0
    while table.outcome is None and shown <= rounds:
        for step in (*table.take(), *table.asked):
            recorder.steps([step])
            shown += isinstance(step, Show)
        for ask in table.asked:
            asked += 1
            reply: Reply = Answer(table.game.random_answer(table.world, ask, stream))
            if asked % 9 == 0:
                reply = Silence(Why.LATE)
            elif hostile and asked % 4 == 0:
                reply = Answer(HOSTILE + "x" * LONG)
            if ask.seat == dead and shown > 3:
                reply = Silence(Why.DEAD)
            recorder.replied(ask.seat, TimedReply(reply, FREE), 10000)
            table.answer(ask.seat, reply)
        if asked < 5:
            recorder.violated(0, Violation("excess", HOSTILE if hostile else "more lines"))
    for last in table.take():
        recorder.steps([last])
    if table.outcome:
        recorder.steps([table.outcome])


def _totals(seat: int, game: str, hostile: bool) -> SeatTotals:
    drawn = DRAWING.replace("{place}", PLACES.get(game, "3,3"))
    drawn += f"\nside {HOSTILE}" * hostile
    stderr = ((1, HOSTILE + "y" * LONG if hostile else "thought"),)
    notes = (Drawing(2, drawn, 1),)
    return SeatTotals(seat, None, Tally(), None, None, None, None, stderr, notes)
