"""The conversation: who is told what, who is asked what, in which order."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from arena.games.codecharacter import rules, words
from arena.games.codecharacter.checks import check
from arena.games.codecharacter.frames import frame, opening_frame
from arena.games.codecharacter.orders import Plan
from arena.games.codecharacter.world import SEATS, CodecharacterWorld
from arena.games.common import quote
from arena.steps import (
    Answer,
    Ask,
    Asks,
    Note,
    Reply,
    Scene,
    Script,
    Show,
    Silence,
    Step,
    Tell,
    Why,
)

MOST_NOTES = 100
"""Void orders of one answer that are noted one by one. A hostile line could hold 30,000."""

Turn = Generator[Step | Asks, tuple[Reply, ...], list[int]]
"""A part of the script that gives the seats which have lost by giving no answer."""


def script(world: CodecharacterWorld) -> Script:
    """The match from where the world stands: the set-up, or the start of its turn."""
    if world.round == 0:
        yield from set_up(world)
    gone: list[int] = []
    while not gone and world.round <= world.settings.num_turns:
        gone = yield from play_turn(world)
    outcome = rules.outcome(world, gone)
    yield from tell(words.end_lines(world, outcome))
    return outcome


def set_up(world: CodecharacterWorld) -> Scene:
    """The settings are all there is to tell."""
    yield from tell(words.opening_lines(world))
    yield Show(opening_frame(world))
    world.round = 1


def play_turn(world: CodecharacterWorld) -> Turn:
    """Both are asked on the same state, then both answers are applied at once."""
    yield from tell(words.turn_lines(world))
    settings = world.settings
    patience = settings.lost_beyond if settings.turn_limit == "bank" else 1
    replies = yield tuple([Ask(seat, words.ACTION, patience=patience) for seat in SEATS])
    gone = [seat for seat in SEATS if is_gone(replies[seat])]
    if gone:
        return gone
    given = [words.read_orders(world, seat, text(replies[seat])) for seat in SEATS]
    plans = check(world, given)
    for plan in plans:
        yield from refusals(plan)
    rules.play(world, plans)
    yield Show(frame(world))
    world.round += 1
    return []


def tell(lines: words.Lines) -> Iterator[Tell]:
    """Everything to player1, then everything to player2."""
    for seat in SEATS:
        for line in lines[seat]:
            yield Tell(seat, line)


def is_gone(reply: Reply) -> bool:
    """Whether the game limit is broken. A late answer only voids its turn."""
    return isinstance(reply, Silence) and reply.why is not Why.LATE


def text(reply: Reply) -> str:
    """What was said in time."""
    return reply.text if isinstance(reply, Answer) else ""


def refusals(plan: Plan) -> Iterator[Tell | Note]:
    """Each order that does not count is told to the bot, and noted for its author."""
    for void in plan.void:
        yield Tell(plan.seat, words.result_line(void))
    for void in plan.void[:MOST_NOTES]:
        yield Note(plan.seat, void.code, f"{quote(void.text)}: {void.why}")
    if len(plan.void) > MOST_NOTES:
        more = f"and {len(plan.void) - MOST_NOTES} more orders of this answer did not count"
        yield Note(plan.seat, "more", more, fault=False)
