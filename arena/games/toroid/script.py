"""The conversation of a match: which lines and requests go to which seat, in which order."""

from __future__ import annotations

from arena.core import Part, Scene, Script, Show, Tell, ask
from arena.games.kit import Refusal, answer_text, tell, tell_each
from arena.games.toroid import orders, rules, words
from arena.games.toroid.frames import frame, opening_frame
from arena.games.toroid.orders import Order
from arena.games.toroid.world import ToroidWorld


def script(world: ToroidWorld) -> Script:
    """The match from the current state of the world, possibly in the middle of a turn."""
    if world.round == 0:
        yield from set_up(world)
    while not rules.over(world):
        yield from play_round(world)
    for seat, countries in enumerate(world.countries):
        if countries:
            yield from say_goodbye(world, seat)
    return rules.outcome(world)


def set_up(world: ToroidWorld) -> Scene:
    """Send the settings and the ring."""
    seats = range(len(world.countries))
    yield from tell_each(seats, lambda seat: words.opening_lines(world, seat))
    yield Show(opening_frame(world))
    rules.begin_round(world)


def play_round(world: ToroidWorld) -> Scene:
    """Play a game turn: each player in turn who still has a country by then."""
    while world.place < len(world.turn_order):
        seat = world.turn_order[world.place]
        if world.countries[seat]:
            yield from play_turn(world, seat)
        world.place += 1
    yield Show(frame(world))
    rules.begin_round(world)


def play_turn(world: ToroidWorld, seat: int) -> Scene:
    """Play one action for each country that the seat has at the start of its turn, then build."""
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
    """Show the seat its current view; the world records what was shown."""
    told = news.tell()
    world.maps[told.seat] = told.line, len(world.acts)
    return told


def let_act(world: ToroidWorld, seat: int) -> Scene:
    """Let the next country act or skip. The action may eliminate a player."""
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
    """Ask until a legal answer comes; None after too many illegal ones. Silence is a skip."""
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
    """The order to the country, or why it is refused."""
    order = orders.read_order(text)
    if isinstance(order, Refusal):
        return order
    return rules.objection(world, country, order) or order


def say_goodbye(world: ToroidWorld, seat: int) -> Scene:
    """Send the last lines to a seat: it is eliminated, or the match is over."""
    world.heard[seat] = world.news[seat]
    yield from tell(seat, words.last_lines(world, seat))
