"""The conversation of a match: which lines and requests go to which seat, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from arena.core import Answer, Fate, Part, Reply, Scene, Script, Show, Tell
from arena.games.hextrategic import rules, words
from arena.games.hextrategic.frames import frame, opening_frame
from arena.games.hextrategic.orders import explain, order_pieces, read_order, surrenders
from arena.games.hextrategic.rules import Plan
from arena.games.hextrategic.words import News
from arena.games.hextrategic.world import HexWorld
from arena.games.kit import CappedNotes, ask_each, tell, tell_each


def script(world: HexWorld) -> Script:
    """The match from the current state of the world: the set-up, or the start of a round."""
    if world.round == 0:
        yield from set_up(world)
    news = News(world)
    while not rules.is_over(world):
        yield from play_round(world, news)
    yield from dismiss(world, news, world.playing())
    return rules.outcome(world)


def set_up(world: HexWorld) -> Scene:
    """Send the settings and the board."""
    yield from tell_each(world.playing(), lambda seat: words.opening_lines(world, seat))
    yield Show(opening_frame(world))
    world.round = 1


def play_round(world: HexWorld, news: News) -> Scene:
    """Ask all seats, remove some, and carry out the orders of the others at once."""
    playing = world.playing()
    yield from tell_round(world, news, playing)
    replies = yield ask_each(tuple(playing), words.ASK)
    answers = dict(zip(playing, replies, strict=True))
    world.moves = []
    removed = count_missed(world, answers)
    if removed:
        rules.remove(world, removed)
        yield from dismiss(world, news, removed)
    if not rules.is_over(world):
        fallen = yield from carry_out(world, answers)
        if fallen:
            yield from dismiss(world, news, fallen)
    yield Show(frame(world))
    world.round += 1


def tell_round(world: HexWorld, news: News, playing: Iterable[int]) -> Scene:
    """Send the lines at the start of a round."""
    news.renew()
    for seat in playing:
        yield Tell(seat, f"round {world.round}")
        yield from tell(seat, news.lines(seat))


def count_missed(world: HexWorld, answers: Mapping[int, Reply]) -> dict[int, Fate]:
    """The seats removed before anything moves: they surrender or have missed too many rounds."""
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


def carry_out(world: HexWorld, answers: Mapping[int, Reply]) -> Part[list[int]]:
    """Read the orders of the seats still in, then update the match. Returns the eliminated
    seats."""
    plan = rules.new_plan(world)
    for seat in world.playing():
        reply = answers[seat]
        if isinstance(reply, Answer):
            yield from take_orders(world, plan, seat, reply.text)
    return rules.update(world, plan)


def take_orders(world: HexWorld, plan: Plan, seat: int, text: str) -> Scene:
    """Plan the orders of one answer; drop illegal ones and tell their author."""
    notes = CappedNotes(seat, "were dropped")
    for number, piece in enumerate(order_pieces(text), start=1):
        order = read_order(piece)
        refusal = rules.obey(world, plan, seat, order) if order else explain(piece)
        if refusal:
            yield refusal.tell(seat, number)
            notes.add(piece, refusal)
            yield from notes.take()
    yield from notes.close()


def dismiss(world: HexWorld, news: News, seats: Iterable[int]) -> Scene:
    """Send the last lines to eliminated seats, or to all at the end."""
    news.renew()
    for seat in seats:
        yield from tell(seat, (*news.lines(seat), words.farewell_line(world, seat)))
