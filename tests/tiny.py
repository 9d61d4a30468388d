"""A complete tiny game, for tests of everything except games.

Two seats bid for a prize in each round and do not see each other's purse. Three seats are allowed
too, to test larger matches.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta

from arena.core import (
    Answer,
    Ask,
    Asks,
    Fate,
    Frame,
    Game,
    Note,
    Outcome,
    Reply,
    Scene,
    Script,
    Settings,
    Setup,
    Show,
    Silence,
    Stop,
    Stream,
    Tell,
    Why,
    ask_all,
)


class TinySettings(Settings, frozen=True, kw_only=True):
    """The settings of the tiny game."""

    max_rounds: Annotated[int, Meta(ge=1, le=1000, description="rounds of a match")] = 5
    purse: Annotated[int, Meta(ge=1, le=1000, description="money at the start")] = 20
    max_timeouts: Annotated[int, Meta(ge=1, le=100, description="misses until it is ended")] = 2


@dataclass(slots=True)
class TinyWorld:
    """Purses and points by seat."""

    settings: TinySettings
    purse: list[int]
    points: list[int]
    misses: list[int]
    chance: Stream
    round: int = 0
    prize: int = 0
    bids: list[int] = field(default_factory=lambda: [0, 0])

    def copy(self) -> TinyWorld:
        """An independent copy."""
        twin = copy.copy(self)
        twin.purse, twin.points = self.purse[:], self.points[:]
        twin.misses, twin.bids = self.misses[:], self.bids[:]
        twin.chance = self.chance.copy()
        return twin


def new_world(setup: Setup[TinySettings]) -> TinyWorld:
    """All start with the same purse."""
    settings, seats = setup.settings, setup.seats
    chance = Stream(setup.seed, "prize")
    return TinyWorld(settings, [settings.purse] * seats, [0] * seats, [0] * seats, chance)


def script(world: TinyWorld) -> Script:
    """Play all rounds; then the most points win."""
    if world.round == 0:
        yield Show(frame(world))
        world.round = 1
    while world.round <= world.settings.max_rounds:
        yield from play_round(world)
    best = max(world.points)
    ranks = tuple(1 + sum(other > mine for other in world.points) for mine in world.points)
    share = 1 / world.points.count(best)
    return Outcome(
        ranks,
        tuple(share if rank == 1 else 0.0 for rank in ranks),
        tuple(Fate.SURVIVED for _ in ranks),
        "max_rounds",
        f"{best} points were the most.",
    )


def play_round(world: TinyWorld) -> Scene:
    """Tell the seats, ask all at once, pay, and show a frame."""
    world.prize = 1 + world.chance.below(6)
    seats = range(len(world.purse))
    for seat in seats:
        yield Tell(seat, f"round {world.round}")
        yield Tell(seat, f"update_map {world.purse[seat]} {world.prize}")
    asks: Asks = tuple(Ask(seat, "go bid") for seat in seats)
    replies = yield from ask_all(asks)
    world.bids = []
    for seat, reply in enumerate(replies):
        yield from take_bid(world, seat, reply)
    winner = world.bids.index(max(world.bids))
    world.purse = [purse - bid for purse, bid in zip(world.purse, world.bids, strict=True)]
    world.points[winner] += world.prize
    yield Show(frame(world))
    world.round += 1


def take_bid(world: TinyWorld, seat: int, reply: Reply) -> Scene:
    """Take a bid; one that is not a number, or exceeds the purse, counts as 0 and is a fault."""
    bid = 0
    match reply:
        case Answer(text) if re.fullmatch(r"[0-9]{1,4}", text) and int(text) <= world.purse[seat]:
            bid = int(text)
        case Answer(text) if text.lower() not in ("", "no moves"):
            yield Note(seat, "bid", f"{text[:40]!r} is no bid")
        case Silence(Why.LATE):
            world.misses[seat] += 1
            if world.misses[seat] == world.settings.max_timeouts:
                yield Stop(seat, "timeouts")
    world.bids.append(bid)


def frame(world: TinyWorld) -> Frame:
    """A frame that shows the whole world."""
    return {
        "round": world.round,
        "rounds": world.settings.max_rounds,
        "purse": world.purse[:],
        "points": world.points[:],
        "bids": world.bids[:],
    }


def random_bid(world: TinyWorld, ask: Ask, stream: Stream) -> str:
    """A random legal bid."""
    return str(stream.below(world.purse[ask.seat] + 1))


def perturb_hidden(world: TinyWorld, seat: int, stream: Stream) -> bool:
    """Change the purse of another seat, which no seat may see."""
    others = [other for other in range(len(world.purse)) if other != seat]
    world.purse[stream.choice(others)] += 1 + stream.below(9)
    return True


TINY = Game(
    name="tiny",
    title="Tiny",
    seats=(2, 3),
    rules_version=1,
    settings=TinySettings,
    world=new_world,
    script=script,
    headline=lambda frame: f"points {frame['points']}",
    picture=lambda board, frame: f"purses {frame['purse']}",
    random_answer=random_bid,
    perturb_hidden=perturb_hidden,
)
