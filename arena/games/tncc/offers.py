"""What can be chosen in an answer: an action, a country, amounts."""

from __future__ import annotations

from msgspec.structs import replace

from arena.core import Ask, Number, Offer, Picks, Word
from arena.games.tncc.words import ACTION, TRADE
from arena.games.tncc.world import RESOURCES, Country, TnccWorld

FLANKS = ("left", "middle", "right")
WAIT = Word("wait", "Wait")
YES, NO = Word("yes", "Agree"), Word("no", "Refuse")


def offers(world: TnccWorld, ask: Ask, held: str, picked: Picks) -> Offer:
    """An action by words, countries and numbers; yes or no; three flanks."""
    return replace(_offer(world, ask, picked), alone=True)


def _offer(world: TnccWorld, ask: Ask, picked: Picks) -> Offer:
    if ask.head == ACTION:
        return _action(world, ask.seat, picked)
    return _consent(ask, picked) if ask.head == TRADE else _defend(world, ask, picked)


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
            return _number("How many citizens become soldiers?", own["population"], 1)
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
            takes = RESOURCES if give == "gold" else ("gold",)
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
