"""Parser for lines from bots, and all lines sent to bots.

Everything is public, except that an attacked seat learns only the sum of the attacking flanks.
"""

from __future__ import annotations

from arena.core import Ask
from arena.games.kit import (
    Refusal,
    game_over_line,
    is_no_moves,
    quote,
    read_integer,
    settings_lines,
)
from arena.games.tncc import rules
from arena.games.tncc.world import (
    NONE,
    RESOURCES,
    Act,
    Flanks,
    Proposal,
    Recruit,
    Resource,
    TnccWorld,
    Trade,
    War,
)

ACTION = "go action"
TRADE = "go trade"
WAR = "go war"

# -- from the bot ----------------------------------------------------------------------------

_NAMED: dict[str, Resource] = {name: name for name in RESOURCES}
_FORMS = "say wait, recruit N, trade NAME GIVE AMOUNT TAKE PRICE, or war NAME LEFT MIDDLE RIGHT"
_NO_NUMBER = Refusal("syntax", "N is a whole number of at most 9 digits")
_NO_AMOUNTS = Refusal("syntax", "amounts are whole numbers from 0, of at most 9 digits")


def read_action(world: TnccWorld, seat: int, text: str) -> Act | Refusal:
    """The action that a line asks for, if it is legal."""
    act = _read_form(world, seat, text)
    return act if isinstance(act, Refusal) else rules.objection(world, act) or act


def _read_form(world: TnccWorld, seat: int, text: str) -> Act | Refusal:
    match text.split(" ") if "," not in text else []:
        case ["wait"]:
            return rules.idle(seat)
        case ["recruit", number]:
            people = read_integer(number)
            return _NO_NUMBER if people is None else Recruit(seat, people)
        case ["trade", name, give, amount, take, price]:
            return _read_trade(world, seat, name, (give, take), _amounts([amount, price]))
        case ["war", name, *flanks] if len(flanks) == 3:
            return _read_war(world, seat, name, _flanks(flanks))
    return rules.idle(seat) if is_no_moves(text) else Refusal("syntax", _FORMS)


def _read_trade(
    world: TnccWorld, seat: int, name: str, kinds: tuple[str, str], amounts: list[int] | None
) -> Trade | Refusal:
    if amounts is None:
        return _NO_AMOUNTS
    partner = _other(world, seat, name)
    if isinstance(partner, Refusal):
        return partner
    for kind in kinds:
        if kind not in _NAMED:
            return Refusal("resource", f"there is no resource {quote(kind)}")
    if "gold" not in kinds:
        return Refusal("resource", "one side of a trade is gold")
    return Trade(
        seat=seat,
        partner=partner,
        give=_NAMED[kinds[0]],
        amount=amounts[0],
        take=_NAMED[kinds[1]],
        price=amounts[1],
    )


def _read_war(world: TnccWorld, seat: int, name: str, flanks: Flanks | None) -> War | Refusal:
    if flanks is None:
        return _NO_AMOUNTS
    target = _other(world, seat, name)
    return target if isinstance(target, Refusal) else War(seat, target, flanks)


def _other(world: TnccWorld, seat: int, name: str) -> int | Refusal:
    """The seat of that name, if it can be dealt with."""
    if name not in world.names:
        return Refusal("target", f"there is no player {quote(name)}")
    other = world.names.index(name)
    if other == seat:
        return Refusal("target", f"{name} is you")
    return other if world.alive[other] else Refusal("target", f"{name} is dead")


def _amounts(texts: list[str]) -> list[int] | None:
    """Parse non-negative integers; None if malformed."""
    found = [read_integer(text) for text in texts]
    amounts = [amount for amount in found if amount is not None and amount >= 0]
    return amounts if len(amounts) == len(found) else None


def _flanks(texts: list[str]) -> Flanks | None:
    amounts = _amounts(texts)
    return (amounts[0], amounts[1], amounts[2]) if amounts and len(amounts) == 3 else None


def read_consent(world: TnccWorld, seat: int, text: str) -> bool | Refusal:
    """Read the answer to a trade; an empty one means yes."""
    if text == "yes" or is_no_moves(text):
        return True
    return False if text == "no" else Refusal("syntax", "say yes or no")


def read_defence(world: TnccWorld, seat: int, text: str) -> Flanks | Refusal:
    """Read the answer to a war; an empty one means that no soldier defends."""
    if is_no_moves(text):
        return NONE
    flanks = _flanks(text.split(" "))
    if flanks is None:
        return Refusal("syntax", "say three whole numbers from 0: LEFT MIDDLE RIGHT")
    soldiers = world.countries[seat]["military"]
    if sum(flanks) > soldiers:
        return Refusal("soldiers", f"you have {soldiers} soldiers")
    return flanks


# -- to the bot ------------------------------------------------------------------------------


def opening_lines(world: TnccWorld, seat: int) -> list[str]:
    """The lines to a bot before the first cycle."""
    return settings_lines("tncc", world.names, seat, world.settings)


def briefing(world: TnccWorld, seat: int) -> list[str]:
    """The lines to a bot before a request."""
    news = [map_line(world), news_line(world, seat)]
    return news if world.told[seat] == world.round else [f"round {world.round}", *news]


def map_line(world: TnccWorld) -> str:
    """All five numbers of every country."""
    countries = [
        f"{name} {' '.join(map(str, country.values()))} {'alive' if alive else 'dead'}"
        for name, country, alive in zip(world.names, world.countries, world.alive, strict=True)
    ]
    return " ".join(["update_map", *countries])


def news_line(world: TnccWorld, seat: int) -> str:
    """The line with others' acts since the last request to the seat."""
    return " ".join(["opponent_moves", *[_act_text(world.names, act) for act in world.news[seat]]])


def _act_text(names: tuple[str, ...], act: Act) -> str:
    name = names[act.seat]
    match act:
        case Recruit(people=people):
            return f"{name} recruit {people}"
        case Trade(_, partner, give, amount, take, price, agreed):
            return f"{name} trade {names[partner]} {give} {amount} {take} {price} {_said(agreed)}"
        case War(_, target, flanks, defence):
            return f"{name} war {names[target]} {sum(flanks)} {sum(defence)} {_battle_text(act)}"
    return f"{name} wait"


def _said(agreed: bool) -> str:
    return "yes" if agreed else "no"


def _battle_text(war: War) -> str:
    return f"{war.victor} {war.survivors}"


def request(world: TnccWorld, proposal: Proposal) -> Ask:
    """The request to the other side of a trade or a war."""
    name = world.names[proposal.seat]
    if isinstance(proposal, War):
        return Ask(proposal.target, WAR, f"{name} {sum(proposal.flanks)}")
    offer = f"{proposal.give} {proposal.amount} {proposal.take} {proposal.price}"
    return Ask(proposal.partner, TRADE, f"{name} {offer}")


def result_line(done: Proposal) -> str:
    """The result of a trade, for its proposer, or of a war, for both sides."""
    if isinstance(done, War):
        return f"result war {_battle_text(done)}"
    return f"result trade {_said(done.agreed)}"


def last_lines(world: TnccWorld, seat: int) -> list[str]:
    """The lines to a seat when it dies, or at the end."""
    rank, points = world.ranks[seat], rules.points(world)[seat]
    return [map_line(world), news_line(world, seat), game_over_line(rank, points)]
