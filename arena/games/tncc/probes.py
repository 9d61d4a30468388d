"""Random legal answers, and changes that a seat cannot see: for checks and tests."""

from __future__ import annotations

from msgspec.structs import replace

from arena.core import Ask, Stream
from arena.games.tncc import rules, words
from arena.games.tncc.world import RESOURCES, Resource, TnccWorld, War


def random_answer(world: TnccWorld, ask: Ask, stream: Stream) -> str:
    """A random legal answer to the current request."""
    if ask.head == words.TRADE:
        return stream.choice(("yes", "no"))
    if ask.head == words.WAR:
        return _flanks(world.countries[ask.seat]["military"], stream)
    return _action(world, ask.seat, stream)


def _action(world: TnccWorld, seat: int, stream: Stream) -> str:
    """A war if there is gold for it, otherwise any action."""
    own = world.countries[seat]
    others = [other for other in rules.living(world) if other != seat]
    kind = stream.below(4)
    if others and kind > 0:
        other = stream.choice(others)
        if own["gold"] >= world.settings.gold_for_war and kind < 3:
            return f"war {world.names[other]} {_flanks(own['military'], stream)}"
        if kind == 3:
            return _trade(world, seat, other, stream)
    if stream.below(3) == 0:
        return "wait"
    return f"recruit {stream.between(-own['military'] // 2, own['population'] // 2)}"


def _trade(world: TnccWorld, seat: int, other: int, stream: Stream) -> str:
    """Offer up to a tenth of one resource for up to a tenth of another."""
    kinds: list[Resource] = ["gold", stream.choice(RESOURCES)]
    stream.shuffle(kinds)
    give, take = kinds
    amount = stream.below(1 + world.countries[seat][give] // 10)
    price = stream.below(1 + world.countries[other][take] // 10)
    return f"trade {world.names[other]} {give} {amount} {take} {price}"


def _flanks(soldiers: int, stream: Stream) -> str:
    """Divide the soldiers into three flanks; some may stay at home."""
    flanks = []
    for _ in range(3):
        flanks.append(stream.below(soldiers + 1))
        soldiers -= flanks[-1]
    stream.shuffle(flanks)
    return " ".join(map(str, flanks))


def perturb_hidden(world: TnccWorld, seat: int, stream: Stream) -> bool:
    """Change the flanks of a pending attack; false if there is none, or it is the seat's own.
    Nothing else is hidden."""
    begun = world.proposal
    if not isinstance(begun, War) or begun.seat == seat or not sum(begun.flanks):
        return False
    left, middle, right = begun.flanks
    if left == middle == right:
        left, middle, right = left + right, 0, middle
    world.proposal = replace(begun, flanks=(middle, right, left))
    return True


def disguise(world: TnccWorld, ask: Ask, text: str, stream: Stream) -> str:
    """As many soldiers in other flanks: others are told the sum alone. All else is seen, so nothing
    is hidden where nobody is at war, or comes with no soldiers."""
    *head, left, middle, right = ["", "", "", *text.split()]
    if ask.head == words.TRADE or not all(map(str.isdigit, (left, middle, right))):
        return text
    soldiers = int(left) + int(middle) + int(right)
    first = stream.below(soldiers + 1)
    second = stream.below(soldiers - first + 1)
    flanks = [first, second, soldiers - first - second]
    stream.shuffle(flanks)
    return " ".join(filter(None, [*head, *map(str, flanks)]))
