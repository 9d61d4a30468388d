"""The conversation of a match: which lines and requests go to which seat, in which order."""

from __future__ import annotations

from collections.abc import Iterator

from arena.core import Note, Part, Reply, Scene, Script, Show, Silence, Tell, Why
from arena.games.codecharacter import rules, words
from arena.games.codecharacter.checks import check
from arena.games.codecharacter.frames import frame, opening_frame
from arena.games.codecharacter.orders import Plan
from arena.games.codecharacter.world import SEATS, CodecharacterWorld
from arena.games.kit import CappedNotes, answer_text, ask_each, tell_each

MOST_NOTES = 100
"""Void orders per answer that get a note each. A hostile line could hold 30,000."""


def script(world: CodecharacterWorld) -> Script:
    """The match from the current state of the world: the set-up, or the start of a turn."""
    if world.round == 0:
        yield from set_up(world)
    gone: list[int] = []
    news = words.News(world)
    while not gone and world.round <= world.settings.num_turns:
        gone = yield from play_turn(world, news)
    outcome = rules.outcome(world, gone)
    yield from tell_both(news.end_lines(outcome))
    return outcome


def set_up(world: CodecharacterWorld) -> Scene:
    """Send the settings; there is nothing else to send."""
    yield from tell_both(words.opening_lines(world))
    yield Show(opening_frame(world))
    world.round = 1


def play_turn(world: CodecharacterWorld, news: words.News) -> Part[list[int]]:
    """Ask both seats about the same state, then apply both answers at once. Returns the seats that
    have lost because they gave no answer."""
    yield from tell_both(news.turn_lines())
    settings = world.settings
    patience = settings.lost_beyond if settings.turn_limit == "bank" else 1
    replies = yield ask_each(SEATS, words.ACTION, patience)
    gone = [seat for seat in SEATS if is_gone(replies[seat])]
    if gone:
        return gone
    given = [words.read_orders(world, seat, answer_text(replies[seat])) for seat in SEATS]
    plans = check(world, given)
    for plan in plans:
        yield from refusals(plan)
    rules.play(world, plans)
    yield Show(frame(world))
    world.round += 1
    return []


def tell_both(lines: words.Lines) -> list[Tell]:
    """Send all lines to player1, then all lines to player2."""
    return tell_each(SEATS, lambda seat: lines[seat])


def is_gone(reply: Reply) -> bool:
    """Whether the reply exceeds the game limit. (A late answer only voids its turn.)"""
    return isinstance(reply, Silence) and reply.why is not Why.LATE


def refusals(plan: Plan) -> Iterator[Tell | Note]:
    """Report each void order to the bot, and note it for its author."""
    notes = CappedNotes(plan.seat, "did not count", MOST_NOTES)
    for void in plan.void:
        yield void.refusal.tell(plan.seat, void.number)
        notes.add(void.text, void.refusal)
    yield from notes.close()
