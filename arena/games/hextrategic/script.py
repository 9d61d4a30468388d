"""The conversation: who is told what, who is asked what, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from arena.games.common import quote
from arena.games.hextrategic import rules, words
from arena.games.hextrategic.frames import frame, opening_frame
from arena.games.hextrategic.orders import explain, order_pieces, read_order, surrenders
from arena.games.hextrategic.rules import Plan
from arena.games.hextrategic.world import HexWorld
from arena.steps import Answer, Ask, Fate, Note, Reply, Scene, Script, Show, Tell

MOST_NOTES = 250
"""Faults of one answer that are noted one by one. A hostile line could hold 30,000."""


def script(world: HexWorld) -> Script:
    """The match from where the world stands: the set-up, or the start of its round."""
    if world.round == 0:
        yield from set_up(world)
    while not rules.is_over(world):
        yield from play_round(world)
    yield from dismiss(world, world.playing())
    return rules.outcome(world)


def set_up(world: HexWorld) -> Scene:
    """The settings and the board."""
    for seat in world.playing():
        for line in words.opening_lines(world, seat):
            yield Tell(seat, line)
    yield Show(opening_frame(world))
    world.round = 1


def play_round(world: HexWorld) -> Scene:
    """All are told and asked the same; some go out; the others' orders are carried out at once."""
    yield from tell_round(world)
    playing = world.playing()
    replies = yield tuple([Ask(seat, words.ASK) for seat in playing])
    answers = dict(zip(playing, replies, strict=True))
    world.moves = []
    removed = count_missed(world, answers)
    if removed:
        rules.remove(world, removed)
        yield from dismiss(world, removed)
    if not rules.is_over(world):
        yield from carry_out(world, answers)
    yield Show(frame(world))
    world.round += 1


def tell_round(world: HexWorld) -> Scene:
    """The start of a round."""
    news = words.News(world)
    for seat in world.playing():
        yield Tell(seat, f"round {world.round}")
        for line in news.lines(seat):
            yield Tell(seat, line)


def count_missed(world: HexWorld, answers: Mapping[int, Reply]) -> dict[int, Fate]:
    """Who goes out before anything moves: who surrenders, and who has missed too many rounds."""
    removed = {}
    for seat, reply in answers.items():
        if isinstance(reply, Answer):
            world.missed[seat] = 0
            if surrenders(reply.text):
                removed[seat] = Fate.SURRENDERED
        else:
            world.missed[seat] += 1
            if world.missed[seat] == world.settings.max_missed:
                removed[seat] = Fate.REMOVED
    return removed


def carry_out(world: HexWorld, answers: Mapping[int, Reply]) -> Scene:
    """Read the orders of those who are in, then update the match."""
    plan = rules.new_plan(world)
    for seat in world.playing():
        reply = answers[seat]
        if isinstance(reply, Answer):
            yield from take_orders(world, plan, seat, reply.text)
    fallen = rules.update(world, plan)
    if fallen:
        yield from dismiss(world, fallen)


def take_orders(world: HexWorld, plan: Plan, seat: int, text: str) -> Scene:
    """Program the orders of one answer; each that is illegal is dropped, and its author told."""
    dropped = 0
    for number, piece in enumerate(order_pieces(text), start=1):
        order = read_order(piece)
        refusal = rules.obey(world, plan, seat, order) if order else ("syntax", explain(piece))
        if refusal:
            code, why = refusal
            dropped += 1
            yield Tell(seat, f"result {number} illegal {code}")
            if dropped <= MOST_NOTES:
                yield Note(seat, code, f"{quote(piece)}: {why}")
    if dropped > MOST_NOTES:
        more = f"and {dropped - MOST_NOTES} more orders of this answer were dropped"
        yield Note(seat, "more", more, fault=False)


def dismiss(world: HexWorld, seats: Iterable[int]) -> Scene:
    """The last lines to seats that are out, or to all at the end."""
    news = words.News(world)
    for seat in seats:
        for line in (*news.lines(seat), words.farewell_line(world, seat)):
            yield Tell(seat, line)
