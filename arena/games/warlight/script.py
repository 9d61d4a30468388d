"""The conversation of a match: which lines and requests go to which seat, in which order."""

from __future__ import annotations

from collections.abc import Sequence

from arena.core import (
    Answer,
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
from arena.games.kit import (
    CappedNotes,
    Refusal,
    answer_text,
    ask_each,
    is_no_moves,
    read_integer,
    tell_each,
)
from arena.games.warlight import rules, words
from arena.games.warlight.attack import AttackPhase
from arena.games.warlight.frames import frame, opening_frame
from arena.games.warlight.orders import Order, new_notes, read_orders
from arena.games.warlight.world import NAMES, WarlightWorld

SEATS = (0, 1)
LATE = Silence(Why.LATE)
ASK_PLACE = ask_each(SEATS, words.PLACE)
ASK_ATTACK = ask_each(SEATS, words.ATTACK)


def script(world: WarlightWorld) -> Script:
    """The match from the current state of the world: the set-up, or the start of a round."""
    if world.round == 0:
        yield from set_up(world)
    news = words.News(world)
    while True:
        yield from news.tells()
        end = rules.outcome(world)
        if end is not None:
            return end
        yield from place_phase(world, (yield ASK_PLACE))
        yield from attack_phase(world, (yield ASK_ATTACK))
        yield Show(frame(world))
        world.round += 1


def set_up(world: WarlightWorld) -> Scene:
    """Send the map, and let the seats pick."""
    yield from tell_each(SEATS, lambda seat: words.opening_lines(world, seat))
    while len(world.acts) < world.opening.picks:
        yield from let_pick(world, rules.picker(len(world.acts)))
    for seat in SEATS:
        yield Tell(seat, words.picks_line(world, seat))
    yield Show(opening_frame(world))
    world.round = 1


def let_pick(world: WarlightWorld, seat: int) -> Scene:
    """Ask for one pick; without a legal answer the region is drawn at random."""
    free = rules.free_to_pick(world)
    reply = yield from ask(seat, words.PICK, words.numbers(free).strip())
    yield from count_missed(world, seat, reply)
    text = answer_text(reply)
    region = read_integer(text)
    if region not in free:
        region = world.chance["pick"].choice(free)
        if isinstance(reply, Answer):
            yield pick_fault(seat, text, region)
    rules.pick(world, seat, region)


def pick_fault(seat: int, text: str, instead: int) -> Note:
    """The note about an illegal pick."""
    if is_no_moves(text):
        code, why = "pick", "a pick is needed"
    elif read_integer(text) is None:
        code, why = "syntax", "give one number from the list and nothing else"
    else:
        code, why = "pick", "it is not on the list"
    return Refusal(code, f"{why}; region {instead} was drawn instead").note(seat, text)


def place_phase(world: WarlightWorld, replies: Sequence[Reply]) -> list[Step]:
    """Carry out the placements, which both seats chose without seeing each other's answer."""
    rules.begin_round(world)
    steps: list[Step] = []
    for seat in SEATS:
        steps += count_missed(world, seat, replies[seat])
        text = answer_text(replies[seat])
        if not is_no_moves(text):
            notes = new_notes(seat)
            rules.place(world, seat, _orders(world, text, notes), notes)
            steps += notes.close()
    return steps


def attack_phase(world: WarlightWorld, replies: Sequence[Reply]) -> list[Step]:
    """Carry out the orders of both seats, interleaved."""
    steps: list[Step] = []
    for seat in SEATS:
        steps += count_missed(world, seat, replies[seat])
    texts = [answer_text(reply) for reply in replies]
    if all(map(is_no_moves, texts)):
        return steps
    notes = new_notes(0), new_notes(1)
    phase = AttackPhase(world, notes)
    for seat in SEATS:
        phase.queue(seat, _orders(world, texts[seat], notes[seat]))
    phase.run()
    return [*steps, *notes[0].close(), *notes[1].close()]


def _orders(world: WarlightWorld, text: str, notes: CappedNotes) -> list[Order]:
    name, cap = NAMES[notes.seat], world.settings.max_orders
    return read_orders(text, name, world.board, notes, cap)


def count_missed(world: WarlightWorld, seat: int, reply: Reply) -> list[Step]:
    """Count a missed answer; too many end the program."""
    if reply == LATE:
        world.timeouts[seat] += 1
        if world.timeouts[seat] == world.settings.max_timeouts:
            return [Stop(seat, "timeouts")]
    return []
