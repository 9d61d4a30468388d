"""The conversation: who is told what, who is asked what, in which order."""

from __future__ import annotations

from collections.abc import Generator

from arena.games.common import quote
from arena.games.toroid import orders, rules, words
from arena.games.toroid.frames import frame, opening_frame
from arena.games.toroid.orders import Illegal, Order
from arena.games.toroid.world import ToroidWorld
from arena.steps import Answer, Asks, Note, Reply, Scene, Script, Show, Step, Tell, ask

Hearing = Generator[Step | Asks, tuple[Reply, ...], Order | None]
"""A part of the script that gives an action."""


def script(world: ToroidWorld) -> Script:
    """The match from where the world stands, be it in the middle of a turn."""
    if world.round == 0:
        yield from set_up(world)
    while not rules.over(world):
        yield from play_round(world)
    for seat, countries in enumerate(world.countries):
        if countries:
            yield from say_goodbye(world, seat)
    return rules.outcome(world)


def set_up(world: ToroidWorld) -> Scene:
    """The settings and the ring."""
    for seat in range(len(world.countries)):
        for line in words.opening_lines(world, seat):
            yield Tell(seat, line)
    yield Show(opening_frame(world))
    rules.begin_round(world)


def play_round(world: ToroidWorld) -> Scene:
    """A game turn: the players one after the other, those who have a country when it comes."""
    while world.place < len(world.turn_order):
        seat = world.turn_order[world.place]
        if world.countries[seat]:
            yield from play_turn(world, seat)
        world.place += 1
    yield Show(frame(world))
    rules.begin_round(world)


def play_turn(world: ToroidWorld, seat: int) -> Scene:
    """One action for each country that the player has when its turn begins, then the builds."""
    if not world.todo:
        rules.begin_turn(world, seat)
    yield Tell(seat, f"round {world.round}")
    yield Tell(seat, words.map_line(world, seat))
    yield Tell(seat, words.news_line(world, seat))
    yield from let_act(world, seat)
    while world.todo:
        yield Tell(seat, words.map_line(world, seat))
        yield from let_act(world, seat)
    rules.end_turn(world, seat)


def let_act(world: ToroidWorld, seat: int) -> Scene:
    """One action of the next country, or none. A player may go out by it."""
    country = world.todo[0]
    order = yield from hear(world, seat, country)
    del world.todo[0]
    world.tries = 0
    if order is None:
        return
    fallen = len(world.fallen)
    act = rules.carry_out(world, country, order)
    yield Tell(seat, words.result_line(country, order, act))
    for loser in world.fallen[fallen:]:
        yield from say_goodbye(world, loser)


def hear(world: ToroidWorld, seat: int, country: int) -> Hearing:
    """The first legal answer; None after too many that were not. Silence is a skip."""
    while world.tries <= world.settings.reasks:
        reply = yield from ask(seat, words.ACTION, str(country))
        text = reply.text if isinstance(reply, Answer) else ""
        order = understand(world, country, text)
        if not isinstance(order, Illegal):
            return order
        world.tries += 1
        yield Note(seat, order.code, f"{quote(text)}: {order.why}")
        yield Tell(seat, words.illegal_line(country, order))
    return None


def understand(world: ToroidWorld, country: int, text: str) -> Order | Illegal:
    """What the country is to do, or why it cannot."""
    order = orders.read_order(text)
    if isinstance(order, Illegal):
        return order
    return rules.objection(world, country, order) or order


def say_goodbye(world: ToroidWorld, seat: int) -> Scene:
    """The last lines to a seat: it goes out, or the match is over."""
    for line in words.last_lines(world, seat):
        yield Tell(seat, line)
