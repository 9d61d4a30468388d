"""The conversation of a match: which lines and requests go to which seat, in which order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from arena.core import Ask, Part, Scene, Script, Show, Silence, Tell
from arena.games.kit import Refusal, tell, tell_each
from arena.games.tncc import rules, words
from arena.games.tncc.frames import frame, opening_frame
from arena.games.tncc.world import NONE, TnccWorld, Trade, War

T = TypeVar("T")
Reader: TypeAlias = Callable[[TnccWorld, int, str], T | Refusal]
"""Reads the answer of a seat."""


def script(world: TnccWorld) -> Script:
    """The match from the current state of the world, possibly in the middle of a turn."""
    if world.round == 0:
        yield from set_up(world)
    while rules.going_on(world):
        yield from play_cycle(world)
    for seat in rules.living(world):
        yield from say_goodbye(world, seat)
    return rules.outcome(world)


def set_up(world: TnccWorld) -> Scene:
    """Send the settings; nothing is random."""
    yield from tell_each(rules.living(world), lambda seat: words.opening_lines(world, seat))
    yield Show(opening_frame(world))
    rules.next_cycle(world)


def play_cycle(world: TnccWorld) -> Scene:
    """Play an action of each seat still alive at its turn, then the production."""
    while world.turn < len(world.countries):
        if world.alive[world.turn]:
            yield from play_turn(world, world.turn)
        world.turn += 1
    for seat in rules.production(world):
        yield from say_goodbye(world, seat)
    yield Show(frame(world))
    rules.next_cycle(world)


def play_turn(world: TnccWorld, seat: int) -> Scene:
    """Play one action; a trade or a war waits for the other side."""
    if world.proposal is None:
        act = yield from hear(world, Ask(seat, words.ACTION), words.read_action, rules.idle(seat))
        if isinstance(act, Trade | War):
            world.proposal = act
        else:
            rules.carry_out(world, act)
    match world.proposal:
        case Trade() as offer:
            yield from let_trade(world, offer)
        case War() as begun:
            yield from let_fight(world, begun)
    world.proposal = None


def let_trade(world: TnccWorld, offer: Trade) -> Scene:
    """Let the partner say yes or no."""
    agreed = yield from hear(world, words.request(world, offer), words.read_consent, True)
    done = rules.trade(world, offer, agreed)
    yield Tell(offer.seat, words.result_line(done))


def let_fight(world: TnccWorld, begun: War) -> Scene:
    """Let the defender divide its soldiers, knowing only the total attack; the loser may die."""
    defence = yield from hear(world, words.request(world, begun), words.read_defence, NONE)
    done = rules.fight(world, begun, defence)
    for seat in (begun.seat, begun.target):
        yield Tell(seat, words.result_line(done))
    for seat in (begun.seat, begun.target):
        if not world.alive[seat]:
            yield from say_goodbye(world, seat)


def hear(world: TnccWorld, ask: Ask, read: Reader[T], default: T) -> Part[T]:
    """Brief a seat and ask it. Returns the default without a legal answer."""
    yield from tell(ask.seat, words.briefing(world, ask.seat))
    rules.briefed(world, ask.seat)
    (reply,) = yield (ask,)
    if isinstance(reply, Silence):
        return default
    wish = read(world, ask.seat, reply.text)
    if not isinstance(wish, Refusal):
        return wish
    yield wish.note(ask.seat, reply.text)
    if ask.head == words.ACTION:
        yield wish.tell(ask.seat)
    return default


def say_goodbye(world: TnccWorld, seat: int) -> Scene:
    """Send the last lines to a seat."""
    yield from tell(seat, words.last_lines(world, seat))
