"""The conversation: who is told what, who is asked what, in which order."""

from __future__ import annotations

from arena.core import Part, Scene, Script, Show, Tell, ask
from arena.games.kit import Refusal, answer_text, tell, tell_each
from arena.games.toroid import orders, rules, words
from arena.games.toroid.frames import frame, opening_frame
from arena.games.toroid.orders import Order
from arena.games.toroid.world import ToroidWorld


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
    seats = range(len(world.countries))
    yield from tell_each(seats, lambda seat: words.opening_lines(world, seat))
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
    news = words.MapNews(world, seat)
    yield Tell(seat, f"round {world.round}")
    yield shown_map(world, news)
    world.heard[seat] = world.news[seat]
    yield Tell(seat, words.news_line(world, seat))
    yield from let_act(world, seat)
    while world.todo:
        yield shown_map(world, news)
        yield from let_act(world, seat)
    rules.end_turn(world, seat)


def shown_map(world: ToroidWorld, news: words.MapNews) -> Tell:
    """What the seat sees now; the world keeps what it was shown."""
    told = news.tell()
    world.maps[told.seat] = told.line, len(world.acts)
    return told


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


def hear(world: ToroidWorld, seat: int, country: int) -> Part[Order | None]:
    """The first legal answer; None after too many that were not. Silence is a skip."""
    while world.tries <= world.settings.reasks:
        reply = yield from ask(seat, words.ACTION, str(country))
        text = answer_text(reply)
        order = understand(world, country, text)
        if not isinstance(order, Refusal):
            return order
        world.tries += 1
        yield order.note(seat, text)
        yield order.tell(seat, country)
    return None


def understand(world: ToroidWorld, country: int, text: str) -> Order | Refusal:
    """What the country is to do, or why it cannot."""
    order = orders.read_order(text)
    if isinstance(order, Refusal):
        return order
    return rules.objection(world, country, order) or order


def say_goodbye(world: ToroidWorld, seat: int) -> Scene:
    """The last lines to a seat: it goes out, or the match is over."""
    world.heard[seat] = world.news[seat]
    yield from tell(seat, words.last_lines(world, seat))
