"""The conversation: who is told what, who is asked what, in which order."""

from __future__ import annotations

from collections.abc import Generator

from arena.games.common import is_no_moves, quote, read_integer
from arena.games.warlight import rules, words
from arena.games.warlight.attack import AttackPhase
from arena.games.warlight.faults import Faults
from arena.games.warlight.frames import frame, opening_frame
from arena.games.warlight.orders import Order, read_orders
from arena.games.warlight.world import NAMES, WarlightWorld
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
    Stop,
    Tell,
    Why,
    ask,
)

SEATS = (0, 1)
ASK_PLACE = (Ask(0, words.PLACE), Ask(1, words.PLACE))
ASK_ATTACK = (Ask(0, words.ATTACK), Ask(1, words.ATTACK))

Hearing = Generator[Step | Asks, tuple[Reply, ...], str]
"""A part of the script that gives a text."""


def script(world: WarlightWorld) -> Script:
    """The match from where the world stands: the set-up, or the start of its round."""
    if world.round == 0:
        yield from set_up(world)
    while True:
        yield from tell_round(world)
        end = rules.outcome(world)
        if end is not None:
            return end
        yield from play_round(world)


def set_up(world: WarlightWorld) -> Scene:
    """The map and the picks."""
    for seat in SEATS:
        for line in words.opening_lines(world, seat):
            yield Tell(seat, line)
    while len(world.acts) < world.opening.picks:
        yield from let_pick(world, rules.picker(len(world.acts)))
    for seat in SEATS:
        yield Tell(seat, words.picks_line(world, seat))
    yield Show(opening_frame(world))
    world.round = 1


def let_pick(world: WarlightWorld, seat: int) -> Scene:
    """One pick; without a good answer the region is drawn."""
    free = rules.free_to_pick(world)
    reply = yield from ask(seat, words.PICK, words.numbers(free).strip())
    text = yield from hear(world, seat, reply)
    region = read_integer(text)
    if region not in free:
        region = free[world.stream("pick").below(len(free))]
        if isinstance(reply, Answer):
            yield pick_fault(seat, text, region)
    rules.pick(world, seat, region)


def pick_fault(seat: int, text: str, instead: int) -> Note:
    """What was wrong with a pick."""
    if is_no_moves(text):
        code, why = "pick", "a pick is needed"
    elif read_integer(text) is None:
        code, why = "syntax", "give one number from the list and nothing else"
    else:
        code, why = "pick", "it is not on the list"
    return Note(seat, code, f"{quote(text)}: {why}; region {instead} was drawn instead")


def tell_round(world: WarlightWorld) -> Scene:
    """The start of a round, as each seat sees it."""
    texts = words.region_texts(world)
    for seat in SEATS:
        for line in words.round_lines(world, texts, seat):
            yield Tell(seat, line)


def play_round(world: WarlightWorld) -> Scene:
    """Both place, then both move."""
    yield from place_phase(world)
    yield from attack_phase(world)
    yield Show(frame(world))
    world.round += 1


def place_phase(world: WarlightWorld) -> Scene:
    """Both place armies, knowing nothing of each other's answer."""
    replies = yield ASK_PLACE
    rules.begin_round(world)
    for seat in SEATS:
        faults = Faults(seat)
        text = yield from hear(world, seat, replies[seat])
        rules.place(world, seat, _orders(world, text, faults), faults)
        yield from faults.notes()


def attack_phase(world: WarlightWorld) -> Scene:
    """Both give their orders, then these are carried out, interleaved."""
    replies = yield ASK_ATTACK
    faults = Faults(0), Faults(1)
    phase = AttackPhase(world, faults)
    for seat in SEATS:
        text = yield from hear(world, seat, replies[seat])
        phase.queue(seat, _orders(world, text, faults[seat]))
    phase.run()
    for seat in SEATS:
        yield from faults[seat].notes()


def _orders(world: WarlightWorld, text: str, faults: Faults) -> list[Order]:
    name, cap = NAMES[faults.seat], world.settings.max_orders
    return read_orders(text, name, world.board, faults, cap)


def hear(world: WarlightWorld, seat: int, reply: Reply) -> Hearing:
    """The text of a reply, nothing for silence; too many missed answers end the program."""
    match reply:
        case Answer(text):
            return text
        case Silence(Why.LATE):
            world.timeouts[seat] += 1
            if world.timeouts[seat] == world.settings.max_timeouts:
                yield Stop(seat, "timeouts")
    return ""
