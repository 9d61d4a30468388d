"""Data for the replay page: chart, marks, sentences, and the view of each seat.

Everything is public except the flanks of a war: each seat knows its own three, and only the sum of
the others'. A dead seat receives nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from arena.core import Ask, Event, Frame, GameView, Number, Offer, Picks, Sign, Word
from arena.games.kit import counted
from arena.games.tncc.frames import frame
from arena.games.tncc.words import ACTION, TRADE
from arena.games.tncc.world import RESOURCES, Act, Country, TnccWorld, Trade, War

# Clicks on the countries: choosing an action, a country and an amount.

FLANKS = ("left", "middle", "right")
WAIT = Word("wait", "Wait")
YES, NO = Word("yes", "Agree"), Word("no", "Refuse")


def picks(world: TnccWorld, ask: Ask, held: str, picked: Picks) -> Offer:
    """An action by words, countries and numbers; yes or no; three flanks."""
    return replace(_offer(world, ask, picked), alone=True)


def _offer(world: TnccWorld, ask: Ask, picked: Picks) -> Offer:
    if ask.head == ACTION:
        return _action(world, ask.seat, picked)
    return _consent(ask, picked) if ask.head == TRADE else _defend(world, ask, picked)


def signs(world: TnccWorld, ask: Ask, held: str) -> Iterator[Sign]:
    """A trade or a war, where its partner is."""
    match held.split():
        case [("trade" | "war") as verb, name, *_]:
            yield Sign((name,), verb)


def _done(*words: str) -> Offer:
    return Offer("", order=" ".join(filter(None, words)))


def _number(text: str, most: int, preset: int | None = None, least: int = 0) -> Offer:
    return Offer(text, number=Number(least, most, most if preset is None else preset))


# -- an action -------------------------------------------------------------------------------


def _action(world: TnccWorld, seat: int, picked: Picks) -> Offer:
    own = world.countries[seat]
    match picked:
        case []:
            return _what(world, seat)
        case ["wait"]:
            return _done("wait")
        case ["recruit"]:
            return _number("How many citizens become soldiers?", own["population"], 1, 1)
        case ["home"]:
            return _number("How many soldiers go home?", own["military"], 1, 1)
        case ["recruit", number]:
            return _done("recruit", number)
        case ["home", number]:
            return _done("recruit", f"-{number}")
        case [name, "trade", *more]:
            return _trade(world, seat, name, more)
        case [name, "war", *more]:
            return _war(f"war {name}", f"Attack {name}", own["military"], more)
    return _deal(world, seat, picked[0])


def _what(world: TnccWorld, seat: int) -> Offer:
    own = world.countries[seat]
    words = [WAIT]
    if own["population"]:
        words.append(Word("recruit", "Recruit soldiers"))
    if own["military"]:
        words.append(Word("home", "Send soldiers home"))
    others = [name for i, name in enumerate(world.names) if i != seat and world.alive[i]]
    words += [Word(name, f"Deal with {name}") for name in others]
    text = "Your action: pick a country to trade or to fight with, or say what to do."
    return Offer(text, tuple(others), tuple(words))


def _deal(world: TnccWorld, seat: int, name: str) -> Offer:
    rich = world.countries[seat]["gold"] >= world.settings.gold_for_war
    words = Word("trade", "Offer a trade"), Word("war", "Attack")
    return Offer(f"What about {name}?", words=words if rich else words[:1])


def _trade(world: TnccWorld, seat: int, name: str, picked: Picks) -> Offer:
    own, other = world.countries[seat], world.countries[world.names.index(name)]
    match picked:
        case [give, amount, take, price]:
            return _done("trade", name, give, amount, take, price)
        case [give, amount, take]:
            has = _has(other, take)
            text = f"For {amount} {give}, how much {take} do you want? {name} has {has}."
            return _number(text, has, min(has, int(amount)))
        case [give, amount]:
            takes = [one for one in RESOURCES if (one == "gold") != (give == "gold")]
            text = f"What do you want for {amount} {give}?"
            return Offer(text, words=tuple(Word(one, f"{one} ({other[one]})") for one in takes))
        case [give]:
            return _number(f"How much {give} do you give?", _has(own, give), 0)
    text = f"A trade with {name}: what do you give? One side is gold."
    return Offer(text, words=tuple(Word(one, f"{one} ({own[one]})") for one in RESOURCES))


def _has(country: Country, name: str) -> int:
    return next(amount for resource, amount in country.items() if resource == name)


def _war(order: str, text: str, soldiers: int, picked: Picks) -> Offer:
    """Offer soldiers for one flank after the other; the preset divides the rest equally."""
    if len(picked) == len(FLANKS):
        return _done(order, *picked)
    flank, left = FLANKS[len(picked)], soldiers - sum(map(int, picked))
    question = f"{text}: how many soldiers on the {flank} flank? {left} are left."
    return _number(question, left, left // (len(FLANKS) - len(picked)))


# -- what others want ------------------------------------------------------------------------


def _consent(ask: Ask, picked: Picks) -> Offer:
    match picked:
        case [word]:
            return _done(word)
    name, give, amount, take, price = ask.tail.split()
    text = f"{name} gives you {amount} {give} and wants {price} {take}."
    return Offer(text, words=(YES, NO))


def _defend(world: TnccWorld, ask: Ask, picked: Picks) -> Offer:
    name, soldiers = ask.tail.split()
    text = f"{name} attacks with {soldiers} soldiers. Defend"
    return _war("", text, world.countries[ask.seat]["military"], picked)


def standing(frame: Frame) -> Sequence[float | None]:
    """The people of each seat, citizens and soldiers; 0 when it is dead."""
    people = zip(frame["population"], frame["military"], frame["alive"], strict=True)
    return [
        citizens + soldiers if alive else None if alive is None else 0
        for citizens, soldiers, alive in people
    ]


# -- events ----------------------------------------------------------------------------------


def events(board: Any, before: Frame | None, frame: Frame) -> Sequence[Event]:
    """Wars and deaths."""
    return [] if before is None else [*_wars(frame), *_ends(before, frame)]


def _wars(frame: Frame) -> Iterator[Event]:
    for move in frame["moves"]:
        if move[0] == "war":
            yield Event("war", _sentence(*move), (move[1], move[2]))


def _ends(before: Frame, frame: Frame) -> Iterator[Event]:
    for seat, (lived, lives) in enumerate(zip(before["alive"], frame["alive"], strict=True)):
        if lived and lives is False:
            yield Event("elimination", f"{_name(seat)} dies", (seat,))


# -- orders ----------------------------------------------------------------------------------


def orders(frame: Frame) -> Sequence[str]:
    """Each action as a sentence."""
    return [_sentence(*move) for move in frame["moves"]]


def _sentence(kind: str, seat: int, *rest: Any) -> str:
    name = _name(seat)
    match kind, rest:
        case "recruit", [people] if people < 0:
            return f"{name} sends {counted(-people, 'soldier')} home"
        case "recruit", [people]:
            return f"{name} recruits {counted(people, 'soldier')}"
        case "trade", [partner, give, amount, take, price, agreed]:
            said = "agrees" if agreed else "refuses"
            offer = f"{amount} {give} for {price} {take}"
            return f"{name} offers {_name(partner)} {offer}: {_name(partner)} {said}"
        case "war", [target, attack, defence, victor, survivors]:
            armies = f"{_flanks(attack)} against {_flanks(defence)}"
            return f"{name} attacks {_name(target)}, {armies}: {_ending(victor, survivors)}"
    return f"{name} waits"


def _flanks(flanks: Sequence[int | None]) -> str:
    return "·".join(["?" if soldiers is None else str(soldiers) for soldiers in flanks])


def _ending(victor: str, survivors: int) -> str:
    if victor == "tie":
        return "no one is left"
    return f"the {victor} wins, {survivors} {'comes' if survivors == 1 else 'come'} home"


def _name(seat: int) -> str:
    return f"player{seat + 1}"


# -- what a seat sees ------------------------------------------------------------------------


def seen(world: TnccWorld, seat: int, frame: Frame) -> Frame:
    """Everything except the flanks of others; for a dead seat, its own resources and its end."""
    told = frame | {"moves": [_as_told(act, seat) for act in _heard(world, seat)]}
    if world.alive[seat]:
        return told
    own = {name: _only(frame[name], seat) for name in (*RESOURCES, "alive")}
    return told | own


def asked(world: TnccWorld, ask: Ask) -> Frame:
    """The seat's view with all acts of others so far, which precede each request."""
    return seen(world, ask.seat, frame(world))


def _heard(world: TnccWorld, seat: int) -> Sequence[Act]:
    """The acts known to the seat: if it is dead, those up to the last that involved it."""
    if world.alive[seat]:
        return world.acts
    last = [place for place, act in enumerate(world.acts, start=1) if seat in _parties(act)]
    return world.acts[: max(last, default=0)]


def _parties(act: Act) -> set[int]:
    match act:
        case War():
            return {act.seat, act.target}
        case Trade():
            return {act.seat, act.partner}
    return {act.seat}


def _as_told(act: Act, seat: int) -> list[Any]:
    move: list[Any] = msgspec.to_builtins(act)
    if isinstance(act, War):
        move[3] = list(act.flanks) if seat == act.seat else [None] * 3
        move[4] = list(act.defence) if seat == act.target else [None] * 3
    return move


def _only(values: Sequence[Any], seat: int) -> list[Any]:
    return [value if place == seat else None for place, value in enumerate(values)]


VIEW = GameView(
    standing=standing,
    unit="person",
    units="people",
    events=events,
    orders=orders,
    seen=seen,
    asked=asked,
    picks=picks,
    signs=signs,
)
